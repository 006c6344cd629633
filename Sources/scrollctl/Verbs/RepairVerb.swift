import ScrollLog

extension Verb {
  private static let dryRun = Option(name: "dry-run", summary: "Only report what the repair would do")

  static let repair = Verb(
    name: "repair", group: .manage,
    arguments: [Argument(name: "DIR")], options: [dryRun],
    summary: "Set the damaged part of a log aside, so that a daemon can start again",
    details: [
      "A daemon does not start if the last file of its log is damaged within the part that was synced. “repair” keeps every "
        + "block of records that checks, also behind the damage, and moves the bad bytes to files .damaged beside the log. "
        + "Positions that are lost stay lost: reads of them fail, and no record gets them again. It reports what is lost, and "
        + "begins a new generation, so that subscribers notice.",
      "It also sets aside what is no part of the log: empty files with the name of a log file, and directories or links with "
        + "the name of a file that a daemon needs. If the last file is packed, and the newer ones are missing, it begins a "
        + "new file after it.",
      "Damage in other files does not keep a daemon from starting; it is reported, and left as it is.",
      "DIR is the state directory. No daemon may use it during the repair.",
    ],
    examples: [
      Example(
        arguments: "repair --dry-run /var/lib/scrolld", meaning: "Show what a repair of the system's log would do.")
    ]
  ) { invocation in
    // The parser guarantees the argument.
    let directory = invocation.argument(0) ?? ""
    let options = LogOptions(syncMode: .commit, boot: try BootID.current())
    try StateDirectory.requireLog(in: directory)
    let progress = ProgressBar("repair", "files")
    let report = try LogRepair.run(
      directory: directory, fileSystem: POSIXFileSystem(), options: options, isDryRun: invocation.command.has(dryRun)
    ) { done, total in
      progress.total = Int64(total)
      progress.update(Int64(done))
    }
    progress.clear()
    if invocation.wantsJSON {
      try invocation.output.json(RepairJSON(report: report))
    } else {
      try invocation.output.lines(report.lines.map { visible($0) })
    }
    return .done
  }
}
