// scrollctl repair: the way out of a log that is damaged where it was synced.

import ScrollLog

extension Verb {
  private static let dryRun = Option(name: "dry-run", summary: "Only tell what would be done")

  static let repair = Verb(
    name: "repair", group: .manage,
    arguments: [Argument(name: "DIR")], options: [dryRun],
    summary: "Set the damaged part of a log aside, so that a daemon can start again",
    details: [
      "A daemon doesn't start on a log whose last file is damaged where it was synced. What is good before the damage "
        + "stays; everything from the damage on is set aside, and kept in a file .damaged beside the log. It is told what "
        + "is lost, and a new generation begins, so that subscribers learn of it, too.",
      "Damage in the log's other files doesn't keep a daemon from starting: it is told, and left as it is.",
      "No daemon may run on DIR, its state directory, meanwhile.",
    ],
    examples: [
      Example(arguments: "repair --dry-run /var/lib/scrolld", meaning: "What would be done to the machine's log.")
    ]
  ) { invocation in
    // The parser has seen to it that the argument is there.
    let directory = invocation.argument(0) ?? ""
    let options = LogOptions(syncMode: .commit, boot: try BootID.current())
    let report = try LogRepair.run(
      directory: directory, fileSystem: POSIXFileSystem(), options: options, isDryRun: invocation.command.has(dryRun))
    if invocation.wantsJSON {
      try invocation.output.json(RepairJSON(report: report))
    } else {
      try invocation.output.lines(report.lines.map { visible($0) })
    }
    return .done
  }
}
