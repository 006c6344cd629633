import ScrollModel

/// The repair of a log that cannot be opened because synced bytes are bad. No daemon may be running.
///
/// Only damage in the last segment keeps a log from being opened, so only that is repaired. Bad parts are set aside in a file
/// beside the segment:
///
/// - Bad bytes among the blocks: the blocks before them are kept, and everything after that is set aside.
/// - A bad header is rebuilt from the file's name, and a bad checkpoint from the previous segment; the blocks are kept. If
///   that is impossible, the whole segment is set aside, and the log continues at the same position with no open session.
///
/// Damage in sealed segments is reported but not changed: reads that need the damaged part fail, and all positions remain.
public enum LogRepair {
  /// Repairs a log while holding its lock.
  ///
  /// The bytes set aside are synced before the segment is replaced, which takes a single rename: an interrupted repair leaves
  /// the log unchanged, and can be repeated.
  ///
  /// - Parameters:
  ///   - path: the state directory.
  ///   - isDryRun: whether only to report what a repair would do.
  /// - Throws: ``OpenError``; ``OpenError/damaged(_:)`` when a newer program wrote the last segment.
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
    // A packed segment is sealed even if it is the last one.
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
