import ScrollModel

/// A backup that is put in a state directory, without what was forgotten since it was made.
///
/// The log is copied under another name, rewritten, checked, and renamed. So a restore that is interrupted leaves a state
/// directory without a log, and never one with forgotten records.
public struct LogRestore {
  /// The name of the log's directory before it is complete.
  public static let unfinishedName = "log.restoring"

  private let source: LogDirectory
  private let target: LogDirectory
  private let unfinished: LogDirectory
  private let lists: [ForgottenList]

  /// Creates a restore.
  ///
  /// - Parameters:
  ///   - backup: the directory of the backup.
  ///   - state: the state directory, which has no log. What its list says was forgotten is left out.
  ///   - lists: further lists of what was forgotten, to be taken over.
  public init(from backup: String, to state: String, fileSystem: any FileSystem, lists: [ForgottenList] = []) {
    source = LogDirectory(path: backup, fileSystem: fileSystem)
    target = LogDirectory(path: state, fileSystem: fileSystem)
    unfinished = LogDirectory(path: state, fileSystem: fileSystem, logName: Self.unfinishedName)
    self.lists = lists
  }

  /// What a restore has done.
  public struct Report: Equatable, Sendable {
    /// The restored log.
    public var log: BackupReport
    /// The files that are missing from the backup, in order: ``log`` has what is left.
    public var missing: [MissingSegments] { log.missing }
    /// Where the backup ends in the middle of a write, as an interrupted copy of it does: what followed is missing.
    public var unfinished: LogDamage?
    /// Damage of the backup that costs no records.
    public var derivedDamage: [LogDamage]
    /// How many records were left out.
    public var forgotten: Int64
    /// The names of the keys that are missing: clients with their hashes could not be recognized.
    public var missingKeys: [String]
  }

  /// Restores the backup.
  ///
  /// - Parameter progress: called with the number of bytes copied so far. An error that it throws ends the restore.
  /// - Throws: ``BackupError``; ``OpenError`` when a daemon has the state directory or the backup open; ``FileError``;
  ///   ``LogDamage``; ``ReadError`` about the lists; what `progress` throws. The state directory then has no log.
  public func run(options: LogOptions, progress: (Int64) throws -> Void = { _ in }) throws -> Report {
    let fileSystem = target.fileSystem
    if try fileSystem.makeDirectory(target.path) { try fileSystem.syncDirectory(target.parentPath) }
    let lock = try LogLock(target)
    defer { withExtendedLifetime(lock) {} }
    try requireNoLog()
    let selection = try takeOverLists()
    let copy = try LogBackup(ofStopped: source.path, fileSystem: fileSystem)
    _ = try fileSystem.makeDirectory(unfinished.logPath)
    for name in try fileSystem.list(unfinished.logPath) { try fileSystem.remove(unfinished.path(of: name)) }
    do {
      let (generation, bytes) = try copy.copySegments(to: unfinished, options, progress)
      let forgotten = try forget(selection, in: copy.firstPositions, options) { try progress(bytes) }
      let segments = try copy.verify(unfinished) { try progress(bytes) }
      try requireGood(segments)
      let torn = try unfinishedEnd(copy.firstPositions.last)
      try fileSystem.rename(unfinished.logPath, to: target.logPath)
      try fileSystem.syncDirectory(target.path)
      return Report(
        log: BackupReport(
          directory: target.path, segments: segments, generation: generation, bytes: bytes,
          missing: copy.missing(segments)),
        unfinished: torn, derivedDamage: derivedDamage(segments), forgotten: forgotten,
        missingKeys: selection.missingKeys)
    } catch {
      copy.removeSegments(from: unfinished)
      throw error
    }
  }

  private func requireNoLog() throws {
    do throws(FileError) {
      if try target.fileSystem.list(target.logPath).isEmpty { return }
    } catch {
      if error.code == .noSuchFile { return }
      throw error
    }
    throw BackupError.hasLog(target.logPath)
  }

  /// Adds the lists of the backup and the further ones to that of the state directory, so that all of them count for later
  /// restores as well.
  private func takeOverLists() throws(ReadError) -> ForgottenSelection {
    let files = ForgottenFiles(target)
    try files.merge(ForgottenFiles(source))
    for list in lists { try files.add(list) }
    return ForgottenSelection(try files.list(), try files.keys())
  }

  /// Removes what was forgotten.
  ///
  /// - Returns: how many records were removed.
  private func forget(
    _ selection: ForgottenSelection, in firstPositions: [Position], _ options: LogOptions, _ progress: () throws -> Void
  ) throws -> Int64 {
    if selection.list.isEmpty { return 0 }
    var count: Int64 = 0
    for first in firstPositions.reversed() {
      let forgetting = SegmentForgetting(
        directory: unfinished, options: options, scope: .listed(selection, except: []), firstPosition: first)
      do throws(ReadError) {
        count += try forgetting.run().count
      } catch {
        if case .logDamaged(let damage) = error { throw BackupError.damaged(inSource(damage)) }
        throw error
      }
      try progress()
    }
    return count
  }

  /// Returns where the backup's last segment ends in the middle of a write.
  private func unfinishedEnd(_ last: Position?) throws -> LogDamage? {
    guard let last else { return nil }
    var check = SegmentCheck(source, firstPosition: last, nextSegment: nil)
    try check.run()
    return check.found.unfinished.map { LogDamage(file: check.found.file, offset: $0.offset, reason: $0.reason) }
  }

  private func derivedDamage(_ segments: [SegmentVerification]) -> [LogDamage] {
    segments.flatMap { segment -> [LogDamage] in
      guard case .derived = segment.damage else { return [] }
      return segment.problems.map {
        inSource(LogDamage(file: segment.file, offset: $0.offset, reason: $0.reason))
      }
    }
  }

  private func requireGood(_ segments: [SegmentVerification]) throws {
    // What a repair could not keep is no damage. Of a backup without some of its files, the rest is restored and reported.
    for segment in segments where segment.damage == .records && !segment.isMissingNext || segment.unfinished != nil {
      let problem = segment.problems.first ?? segment.unfinished
      let damage = problem.map { LogDamage(file: segment.file, offset: $0.offset, reason: $0.reason) }
      throw BackupError.damaged(
        inSource(damage ?? LogDamage(file: segment.file, offset: 0, reason: "records are missing")))
    }
  }

  /// Returns damage of the copy as damage of the backup, which has the same bytes.
  private func inSource(_ damage: LogDamage) -> LogDamage {
    var damage = damage
    if let name = damage.file.split(separator: "/").last { damage.file = source.path(of: String(name)) }
    return damage
  }
}
