// scrollctl backup: a copy of the log.

import Glibc
import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  private static let directory = Option(
    name: "directory", short: "D", value: "STATE",
    summary: "Copy the log in this state directory, on which no daemon runs")

  static let backup = Verb(
    name: "backup", group: .manage,
    arguments: [Argument(name: "DIR")], options: [directory],
    summary: "Copy the log into a directory, while the daemon runs",
    details: [
      "DIR is made where it is not there; else it must be empty. It then holds all that was stored when the copying began, "
        + "on the disk and checked. The daemon goes on meanwhile, and removes nothing from its log. You need to be able to "
        + "read its state directory: as root, or as the user it runs as.",
      "To restore it, copy it to where the state directory was: the daemon starts on it as on its own. What came behind it is "
        + "gone; a new generation begins there, so that subscribers that had seen more learn of it.",
      "A backup holds what is forgotten later. One during which something is forgotten ends, and is removed; so is one that "
        + "Ctrl-C or a signal ends. What a "
        + "recovery or repair had set aside is not copied.",
    ],
    examples: [
      Example(arguments: "backup /var/backups/scrolld", meaning: "The log of the daemon that runs."),
      Example(
        arguments: "backup -D /var/lib/scrolld /var/backups/scrolld", meaning: "The same when it is stopped."),
    ]
  ) { invocation in
    // The parser has seen to it that the argument is there.
    let target = invocation.argument(0) ?? ""
    let report: BackupReport
    if let state = invocation.command.text(directory) {
      report = try copyStopped(state, to: target)
    } else {
      report = try copyPinned(try invocation.connect(), to: target)
    }
    if invocation.wantsJSON {
      try invocation.output.json(BackupJSON(report: report))
    } else {
      try invocation.output.line(text(report))
      for segment in report.segments where !segment.problems.isEmpty {
        try invocation.output.lines(lines(segment, invocation.style))
      }
    }
    return report.isDamaged ? .failed : .done
  }

  /// Copies a log that no daemon has open.
  private static func copyStopped(_ state: String, to target: String) throws -> BackupReport {
    let backup: LogBackup
    do {
      backup = try LogBackup(ofStopped: state, fileSystem: POSIXFileSystem())
    } catch OpenError.locked(let path) {
      throw Failure(
        "a daemon has the log open: it holds the lock \(path)", hint: "Without --directory the daemon is asked for it.")
    } catch OpenError.damaged(let damage) {
      throw Failure("the log is damaged: \(damage)", hint: "“scrollctl repair” sets the damaged part aside.")
    }
    let progress = ProgressLine()
    return try write(backup, to: target) { progress.show("\(ByteSize.text($0)) copied") }
  }

  /// Copies the log of a running daemon, which keeps its files meanwhile.
  private static func copyPinned(_ daemon: ServiceConnection, to target: String) throws -> BackupReport {
    // What is answered by now is to be in it, whatever Sync= says.
    _ = try daemon.sync()
    let log = try daemon.pinLog()
    let backup = LogBackup(
      of: log.directory, fileSystem: POSIXFileSystem(), firstPositions: log.files.map(\.firstPosition),
      through: log.lastPosition)
    let total = ByteSize.text(log.files.reduce(0) { $0 + $1.bytes })
    let progress = ProgressLine()
    do {
      return try write(backup, to: target) { copied in
        try log.check()
        progress.show("\(ByteSize.text(copied)) of \(total) copied")
      }
    } catch let error as FileError where error.path.hasPrefix(log.directory + "/") {
      throw Failure("\(error)", hint: hint(for: error))
    }
  }

  /// Makes a backup, of which nothing is left when a signal ends the program meanwhile.
  private static func write(
    _ backup: LogBackup, to target: String, _ progress: (Int64) throws -> Void
  ) throws -> BackupReport {
    let interruption = Interruption()
    defer { interruption.release() }
    do {
      return try backup.write(to: target, options: options()) { copied in
        try interruption.check()
        try progress(copied)
      }
    } catch let interrupted as Interruption.Interrupted {
      // Once the signals are let through, this one ends the program.
      Program.warn("interrupted: what was copied to \(target) is removed again")
      throw interrupted
    }
  }

  private static func options() throws -> LogOptions { LogOptions(syncMode: .commit, boot: try BootID.current()) }

  /// Why a file that the daemon has may not be there for us.
  private static func hint(for error: FileError) -> String? {
    switch error.code.rawValue {
    case EACCES: "The daemon's files are read by root and by the user that it runs as: be one of them."
    case ENOENT:
      "The file is named as the daemon sees it. One that runs in a container or with a file system of its own sees other\n"
        + "files than you: run scrollctl where it runs."
    default: nil
    }
  }

  private static func text(_ report: BackupReport) -> String {
    let records = report.records == 1 ? "1 record" : "\(report.records) records"
    let files = report.segments.count == 1 ? "1 file" : "\(report.segments.count) files"
    let positions =
      report.records == 0
      ? "before position \(report.lastPosition + 1)" : "positions \(report.firstPosition) to \(report.lastPosition)"
    return "\(visible(report.directory)): \(records) in \(files), \(positions), \(ByteSize.text(report.bytes))"
  }
}
