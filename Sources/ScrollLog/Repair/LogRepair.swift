import ScrollModel

/// Makes a log that is damaged where it was synced fit to be opened again, without a daemon.
///
/// Only damage in the last segment keeps a log from being opened, so only that is repaired. What is bad is set aside, and
/// kept in a file beside the segment:
///
/// - Bad bytes among the blocks: the blocks before stay, everything from there on goes.
/// - A bad header is made anew from the file's name, and a bad checkpoint from the segment before; the blocks stay. Where
///   that cannot be, all of the segment goes, and the log goes on at the same position with no session open.
///
/// Damage in a sealed segment is left as it is and told: reads that need it fail, and all positions stay.
public enum LogRepair {
  /// Repairs a log, while it holds its lock.
  ///
  /// What is set aside is on the disk before the segment is replaced, and that is done by one renaming: a repair that is
  /// interrupted leaves the log as it was, and can be done again.
  ///
  /// - Parameters:
  ///   - path: the state directory.
  ///   - isDryRun: to find out what would be done, changing nothing.
  /// - Throws: ``OpenError``; ``OpenError/damaged(_:)`` for a last segment that a newer program wrote.
  public static func run(
    directory path: String, fileSystem: any FileSystem, options: LogOptions, isDryRun: Bool = false
  ) throws(OpenError) -> RepairReport {
    let directory = LogDirectory(path: path, fileSystem: fileSystem)
    var report = RepairReport(directory: path, isDryRun: isDryRun)
    let positions = try reporting { () throws(FileError) in try directory.segments() }
    guard let last = positions.last else { return report }
    // Held until the end.
    let lock = try LogLock(directory)
    defer { withExtendedLifetime(lock) {} }
    report.segments = positions.count
    for (first, next) in zip(positions, positions.dropFirst()) {
      try check(directory, first, next: next, &report)
    }
    // A packed segment is sealed, also where it is the last.
    if try reporting({ () throws(FileError) in try isPacked(directory, last) }) {
      try check(directory, last, next: nil, &report)
      return report
    }
    do throws(OpenError) {
      _ = try LastSegment(directory, firstPosition: last)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      let segment = try DamagedSegment(directory, positions, damage)
      let repair = SegmentRepair(directory: directory, options: options, segment: segment)
      report.repair = try reporting { () throws(FileError) in try repair.run(isDryRun: isDryRun) }
    }
    return report
  }

  private static func check(
    _ directory: LogDirectory, _ first: Position, next: Position?, _ report: inout RepairReport
  ) throws(OpenError) {
    var check = SegmentCheck(directory, firstPosition: first, nextSegment: next)
    try reporting { () throws(FileError) in try check.run() }
    let problems = check.found.problems.map {
      LogDamage(file: check.found.file, offset: $0.offset, reason: $0.reason)
    }
    if check.found.damage == .records { report.sealedDamage += problems } else { report.derivedDamage += problems }
  }

  private static func isPacked(_ directory: LogDirectory, _ first: Position) throws(FileError) -> Bool {
    let file = try directory.fileSystem.openForReading(directory.path(ofSegment: first))
    return try SuccessorSegment.packedHeader(of: file, firstPosition: first) != nil
  }

  private static func reporting<Value>(_ body: () throws(FileError) -> Value) throws(OpenError) -> Value {
    do {
      return try body()
    } catch {
      throw .file(error)
    }
  }
}
