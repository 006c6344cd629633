import JSON
import Platform
import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  private static let directory = Option(
    name: "directory", short: "D", value: "STATE",
    summary: "Copy from this state directory, which no daemon uses")

  static let backup = Verb(
    name: "backup", group: .manage,
    arguments: [Argument(name: "DIR")], options: [directory],
    summary: "Copy the log to a directory, while the daemon runs",
    details: [
      "DIR is created, or must be empty. The copy has everything that was stored when the backup began, checked and synced "
        + "to disk. The daemon continues to run, and removes nothing from its log in the meantime. You need permission to "
        + "read its state directory: as root, or as the user it runs as.",
      "DIR must not be the state directory or inside it: the backup would be lost with the log.",
      "To restore a backup, use “restore”. A backup keeps what the daemon forgets later; “restore” leaves it out. The backup "
        + "has the key of the state directory's list of what was forgotten, so keep it as safe as the log itself.",
      "With --json, generation is the one of the log, if its daemon runs, and nextGeneration the one that begins after the "
        + "backup's last position when it is restored.",
      "If the daemon forgets something during a backup, or if Ctrl-C or "
        + "another signal interrupts it, or the disk is full, the backup fails and is removed. Files that a recovery or repair set aside are "
        + "not copied.",
    ],
    examples: [
      Example(arguments: "backup /var/backups/scrolld", meaning: "Back up the log of the running daemon."),
      Example(
        arguments: "backup -D /var/lib/scrolld /var/backups/scrolld", meaning: "Back up the log of a stopped daemon."),
    ]
  ) { invocation in
    // The parser guarantees the argument.
    let target = invocation.argument(0) ?? ""
    let report: BackupReport
    var generation: Int64?
    if let state = invocation.command.text(directory) {
      report = try copyStopped(state, to: target)
    } else {
      (report, generation) = try copyPinned(try invocation.connect(), to: target)
    }
    if invocation.wantsJSON {
      try invocation.output.json(BackupJSON(report: report, generation: generation))
    } else {
      try invocation.output.line(text(report))
      for segment in report.segments where !segment.problems.isEmpty || segment.gapNote != nil {
        try invocation.output.lines(lines(segment, invocation.style))
      }
    }
    try invocation.output.flush()
    for missing in report.missing {
      Program.warn(
        "the log is not whole: \(visible("\(missing)"))",
        hint: "The backup has the other records. If you have the file, put it in its place and back up the log again.")
    }
    return report.isDamaged ? .failed : .done
  }

  /// Copies a log that no daemon has open.
  private static func copyStopped(_ state: String, to target: String) throws -> BackupReport {
    try requireOutside(state, target)
    let backup: LogBackup
    do {
      backup = try LogBackup(ofStopped: state, fileSystem: POSIXFileSystem())
    } catch OpenError.locked(let path) {
      throw Failure(
        "a daemon has the log open and holds the lock \(path)",
        hint: "To back up the log of a running daemon, omit --directory.")
    } catch OpenError.damaged(let damage) {
      throw Failure("the log is damaged: \(damage)", hint: "“scrollctl repair” sets the damaged part aside.")
    }
    let progress = ProgressBar("backup", of: StateDirectory.logSize(of: state), "bytes")
    return try write(backup, to: target) { progress.update($0) }
  }

  /// Copies the log of a running daemon, which keeps the files during the backup.
  ///
  /// - Returns: What was copied, and the log's generation.
  private static func copyPinned(
    _ daemon: ServiceConnection, to target: String
  ) throws -> (BackupReport, generation: Int64) {
    // The backup must have everything that the daemon has acknowledged, even with Sync=never.
    _ = try daemon.sync()
    let log = try daemon.pinLog()
    try requireOutside(log.directory, target)
    let backup = LogBackup(
      of: log.directory, fileSystem: POSIXFileSystem(), firstPositions: log.files.map(\.firstPosition),
      through: log.lastPosition)
    let total = log.files.reduce(0) { min($0, .max - $1.bytes) + $1.bytes }
    let progress = ProgressBar("backup", of: total, "bytes")
    do {
      let report = try write(backup, to: target) { copied in
        try log.check()
        progress.update(copied)
      }
      return (report, log.generation)
    } catch let error as FileError where error.path.hasPrefix(log.directory + "/") {
      throw Failure("\(error)", hint: hint(for: error))
    }
  }

  /// Checks that a backup would not become a part of what it is a backup of.
  private static func requireOutside(_ state: String, _ target: String) throws(Failure) {
    guard StateDirectory.contains(state, target) else { return }
    throw Failure(
      "\(target) is in the state directory \(state)",
      hint: "Give a directory elsewhere, best on another disk: what destroys the log would destroy this backup as well."
    )
  }

  /// Makes a backup, and removes it if it fails or a signal ends the program.
  private static func write(
    _ backup: LogBackup, to target: String, _ progress: (Int64) throws -> Void
  ) throws -> BackupReport {
    let interruption = Interruption()
    defer { interruption.release() }
    // The inner one first.
    let new = ["\(target)/log", target].filter { !Files.exists($0) }
    var isDone = false
    // The original error is more useful than one from cleaning up.
    defer { if !isDone { for directory in new { try? Directory.remove(directory) } } }
    do {
      let report = try backup.write(to: target, options: options()) { copied in
        try interruption.check()
        try progress(copied)
      }
      isDone = true
      return report
    } catch let interrupted as Interruption.Interrupted {
      // This signal ends the program after release().
      Program.warn("interrupted: removing the incomplete backup \(target)")
      throw interrupted
    }
  }

  private static func options() throws -> LogOptions { LogOptions(syncMode: .commit, boot: try BootID.current()) }

  /// Returns a hint about a file of the daemon that cannot be read.
  private static func hint(for error: FileError) -> String? {
    switch error.code {
    case .permissionDenied:
      "Only root and the user that the daemon runs as can read its files: run scrollctl as one of them."
    case .noSuchFile:
      "The path is the daemon's. If the daemon runs in a container or in a file system of its own, run scrollctl there."
    default: nil
    }
  }

  private static func text(_ report: BackupReport) -> String {
    let records = report.records == 1 ? "1 record" : "\(report.records) records"
    let files = report.segments.count == 1 ? "1 file" : "\(report.segments.count) files"
    let positions =
      report.records == 0
      ? "before position \(report.lastPosition + 1)" : "positions \(report.firstPosition) to \(report.lastPosition)"
    // Forgetting, users' shares and repairs leave positions without a record.
    let empty = report.records == 0 ? 0 : report.lastPosition - report.firstPosition + 1 - Int64(report.records)
    let rest = empty > 0 ? " (\(empty) of them \(empty == 1 ? "has" : "have") no record any more)" : ""
    return "\(visible(report.directory)): \(records) in \(files), \(positions)\(rest), \(ByteSize.text(report.bytes))"
  }
}

/// The JSON form of a backup report.
struct BackupJSON: JSONWritable {
  var report: BackupReport
  /// The generation of the log that was copied; `nil` without its daemon.
  var generation: Int64?

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("directory", report.directory)
    writer.member("records", report.records)
    writer.member("firstPosition", report.firstPosition)
    // A log without records ends before it begins.
    writer.member("lastPosition", ifPresent: report.records == 0 ? nil : report.lastPosition)
    writer.member("generation", ifPresent: generation)
    writer.member("nextGeneration", report.generation)
    writer.member("bytes", report.bytes)
    writer.member("missing", ifPresent: report.missing.isEmpty ? nil : report.missing.map(MissingJSON.init))
    writer.member("segments", report.segments.map { SegmentJSON(segment: $0) })
    writer.endObject()
  }
}
