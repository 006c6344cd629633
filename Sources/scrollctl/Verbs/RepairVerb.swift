import ScrollLog

extension Verb {
  private static let dryRun = Option(name: "dry-run", summary: "Only report what the repair would do")

  static let repair = Verb(
    name: "repair", group: .manage,
    arguments: [Argument(name: "DIR")], options: [dryRun],
    summary: "Set the damaged parts of a log aside, so that the rest can be read",
    details: [
      "A daemon does not start if the last file of its log is damaged within the part that was synced. Damage in another file "
        + "hides the rest of that file from readers. “repair” keeps every block of records that checks, also behind the "
        + "damage, and moves the bad bytes to files .damaged beside the log. Positions that are lost stay lost: reads "
        + "name them and go on, and no record gets them again. It reports the lost positions, and the sessions that have lost "
        + "records there or may have. After "
        + "damage in the last file it begins a new generation, so that subscribers notice.",
      "It also sets aside what is no part of the log: empty files with the name of a log file, and directories or links whose "
        + "names end in .tmp, .torn, .damaged, .snapshots or .repaired. If the last file is packed, and the newer ones are "
        + "missing, it begins a new file after it.",
      "A directory or link in the place of a log file or of the file “lock” stays where it is, and so do missing files and "
        + "those of another log: a message says what to do by hand, and the exit status is 1.",
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
    return report.isIncomplete ? .failed : .done
  }
}
