import JSON
import Platform
import ScrollLog
import ScrollModel

extension Verb {
  private static let directory = Option(
    name: "directory", short: "D", value: "STATE",
    summary: "Restore to this state directory, which no daemon uses")
  private static let forgottenList = Option(
    name: "list", value: "LIST", repeats: true,
    summary: "Leave out what this list says was forgotten, too; repeatable")

  static let restore = Verb(
    name: "restore", group: .manage,
    arguments: [Argument(name: "DIR")], options: [directory, forgottenList],
    summary: "Restore a backup, without what was forgotten since",
    details: [
      "DIR is a backup that “backup” made. It stays as it is. Without --directory, the state directory is that of the daemon "
        + "that --system or --user selects; otherwise your own if it exists, else the system's. Stop its daemon first, and "
        + "move its log away: the state directory must not have a directory “log”, or an empty one. Leave its other files, "
        + "above all “forgotten” and “forgotten.key”, in place.",
      "Sessions and clients that the state directory's list says were forgotten are left out, as if they had been forgotten "
        + "in the restored log. If that list is lost with the disk, give a copy of it with --list: the output of “--json "
        + "forgotten”. The key for the hashes comes from the backup. Sessions that a client opened after it was forgotten "
        + "are restored.",
      "The restored log ends with the backup; later records are gone. A new generation begins, so that subscribers that had "
        + "seen later records notice. Every record is checked. A backup with damaged records is not restored: repair a copy of it "
        + "first. Positions that a repair could not keep, and damage that costs no record, as of an index, do not matter: a message "
        + "names them. A backup that ends in the middle of a "
        + "write or lacks files, as an interrupted copy does, is restored as far as it goes, with a message and the exit "
        + "status 1. "
        + "After a failure, or if a signal interrupts the restore, nothing of it is left, and it can be tried again.",
      "If root restores, the files get the owner of the state directory.",
    ],
    examples: [
      Example(
        arguments: "restore /var/backups/scrolld -D /var/lib/scrolld",
        meaning: "Restore the log of the system's daemon.")
    ]
  ) { invocation in
    // The parser guarantees the argument.
    let backup = invocation.argument(0) ?? ""
    let state =
      try invocation.command.text(directory) ?? StateDirectory.chooseStopped(invocation.command, option: directory)
    let lists = try invocation.command.texts(forgottenList).map { try ForgottenListFile.read($0) }
    let report = try restore(backup, to: state, lists)
    try Ownership.giveToOwner(of: state)
    if invocation.wantsJSON {
      try invocation.output.json(RestoreJSON(report: report))
    } else {
      try invocation.output.line(text(of: report.log))
      if report.forgotten > 0 { try invocation.output.line("\(records(report.forgotten)) left out: forgotten") }
    }
    try invocation.output.flush()
    for segment in report.log.segments {
      guard segment.isGapRepaired, let gap = segment.gap else { continue }
      Program.warn("the backup has no positions \(gap.lowerBound) to \(gap.upperBound): a repair could not keep them")
    }
    for damage in report.derivedDamage {
      Program.warn("the backup is damaged, but no record is lost: \(visible("\(damage)"))")
    }
    for missing in report.missing {
      Program.warn("the backup is incomplete: \(visible("\(missing)"))", hint: incompleteHint)
    }
    if let unfinished = report.unfinished {
      Program.warn(
        "the backup is incomplete: \(unfinished): what followed is missing",
        hint: incompleteHint)
    }
    if report.missingKeys.isEmpty { return report.unfinished == nil && report.missing.isEmpty ? .done : .failed }
    throw ForgottenListFile.failure(missingKeys: report.missingKeys)
  }

  private static func restore(
    _ backup: String, to state: String, _ lists: [ForgottenList]
  ) throws -> LogRestore.Report {
    for (outer, inner) in [(state, backup), (backup, state)] where StateDirectory.contains(outer, inner) {
      throw Failure("\(inner) is in \(outer): a backup and the state directory must be apart")
    }
    try StateDirectory.requireLog(in: backup, what: "a backup")
    let interruption = Interruption()
    defer { interruption.release() }
    let isNew = !Files.exists(state)
    var isDone = false
    defer { if !isDone { removeUnfinished(state, isNew: isNew) } }
    let progress = ProgressBar("restore", of: StateDirectory.logSize(of: backup), "bytes")
    do {
      let restore = LogRestore(from: backup, to: state, fileSystem: POSIXFileSystem(), lists: lists)
      let options = LogOptions(syncMode: .commit, boot: try BootID.current())
      let report = try restore.run(options: options) { copied in
        try interruption.check()
        progress.update(copied)
      }
      isDone = true
      return report
    } catch BackupError.hasLog(let path) {
      throw Failure(
        "the state directory has a log: \(path)",
        hint: "Move it away first:  mv \(path) \(path).old")
    } catch BackupError.damaged(let damage) {
      throw Failure(
        "the backup is damaged: \(damage)", hint: repairHint)
    } catch OpenError.damaged(let damage) {
      throw Failure("the backup is damaged: \(damage)", hint: repairHint)
    } catch OpenError.locked(let path) {
      throw Failure(
        "a daemon holds the lock \(path)", hint: StateDirectory.stopHint(state))
    }
  }

  /// Removes the directories that a failed restore has made; the files in them are gone. The original error is more useful than one
  /// from cleaning up.
  private static func removeUnfinished(_ state: String, isNew: Bool) {
    try? Directory.remove("\(state)/\(LogRestore.unfinishedName)")
    guard isNew else { return }
    for name in ["lock", "forgotten", "forgotten.key"] { try? Files.remove("\(state)/\(name)") }
    try? Directory.remove(state)
  }

  private static let incompleteHint = "If it was copied, the copy may have been interrupted: copy it again."
  private static let repairHint = "Copy it, run “scrollctl repair” on the copy, and restore the copy."

  private static func text(of log: BackupReport) -> String {
    let positions =
      log.records == 0
      ? "before position \(log.lastPosition + 1)" : "positions \(log.firstPosition) to \(log.lastPosition)"
    return "\(visible(log.directory)): restored \(records(Int64(log.records))), \(positions)"
  }

  private static func records(_ count: Int64) -> String { count == 1 ? "1 record" : "\(count) records" }
}

/// Whose the files of a state directory are.
enum Ownership {
  /// Gives the files that root has made in a state directory to the directory's owner. Other users can only make files of
  /// their own.
  static func giveToOwner(of state: String) throws(SystemError) {
    guard CurrentProcess.effectiveUser == 0 else { return }
    let owner = try SystemError.wrapping("examine", state) { () throws(Errno) in try FileStatus(state) }
    let log = state + "/log"
    let segments = try SystemError.wrapping("list", log) { () throws(Errno) in try Directory.names(in: log) }
    let files = ["lock", "forgotten", "forgotten.key", "log"].map { "\(state)/\($0)" }
    let paths = files + segments.map { "\(log)/\($0)" }
    for path in paths where Files.exists(path) {
      try SystemError.wrapping("change the owner of", path) { () throws(Errno) in
        try Files.setOwner(owner.owner, group: owner.group, of: path)
      }
    }
  }
}

/// The JSON form of a restore's report.
struct RestoreJSON: JSONWritable {
  var report: LogRestore.Report

  private var gaps: [ClosedRange<Position>] { report.log.segments.filter(\.isGapRepaired).compactMap(\.gap) }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("directory", report.log.directory)
    writer.member("records", report.log.records)
    writer.member("firstPosition", report.log.firstPosition)
    writer.member("lastPosition", report.log.lastPosition)
    writer.member("generation", report.log.generation)
    writer.member("bytes", report.log.bytes)
    writer.member("forgotten", report.forgotten)
    writer.member("gaps", ifPresent: gaps.isEmpty ? nil : gaps.map(GapJSON.init))
    writer.member("unfinished", ifPresent: report.unfinished.map(DamageJSON.init))
    writer.member(
      "derivedDamage", ifPresent: report.derivedDamage.isEmpty ? nil : report.derivedDamage.map(DamageJSON.init))
    writer.member("missing", ifPresent: report.missing.isEmpty ? nil : report.missing.map(MissingJSON.init))
    writer.member("missingKeys", ifPresent: report.missingKeys.isEmpty ? nil : report.missingKeys)
    writer.endObject()
  }
}
