import ScrollModel

/// The repair of a log that cannot be opened because synced bytes are bad. No daemon may be running.
///
/// Only damage in the last segment keeps a log from being opened, so only that is repaired. Bad bytes are set aside in files
/// beside the segment:
///
/// - Bad bytes among the blocks: every block that checks is kept. The segment ends at the first position that is lost, and
///   another segment begins after each gap. No position is used again.
/// - A bad header is rebuilt from the file's name, and a bad checkpoint from the previous segment; the blocks are kept. If
///   that is impossible, records of unknown sessions are lost.
/// - A file that has a segment's name, but holds nothing and continues nothing, is set aside.
/// - If the last segment is packed and has bad records, it remains, and another segment begins after it.
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
  ///   - progress: called before each segment with the number of segments that are checked, and of all.
  /// - Throws: ``OpenError``; ``OpenError/damaged(_:)`` when a newer program wrote the last segment.
  public static func run(
    directory path: String, fileSystem: any FileSystem, options: LogOptions, isDryRun: Bool = false,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(OpenError) -> RepairReport {
    let directory = LogDirectory(path: path, fileSystem: fileSystem)
    var report = RepairReport(directory: path, isDryRun: isDryRun)
    var positions = try reporting { () throws(FileError) in try directory.segments() }
    if positions.isEmpty { return report }
    // Held until the end.
    let lock = try LogLock(directory)
    defer { withExtendedLifetime(lock) {} }
    positions = try reporting { () throws(FileError) in
      if !isDryRun { try RepairCompletion(directory: directory).run() }
      report.strays = try ForeignFiles(directory: directory).setAside(isDryRun: isDryRun)
      return try setStraysAside(directory, options, &report)
    }
    guard let last = positions.last else { return report }
    report.segments = positions.count
    for (index, (first, next)) in zip(positions, positions.dropFirst()).enumerated() {
      progress(index, positions.count)
      try check(directory, first, next: next, &report)
    }
    progress(positions.count - 1, positions.count)
    // Even the last segment may be sealed, if newer ones are missing.
    if try reporting({ () throws(FileError) in try isPacked(directory, last) }) {
      try check(directory, last, next: nil, &report)
      let successor = SuccessorSegment(directory: directory, options: options, last: last)
      report.successor = try successor.repair(isDryRun: isDryRun).map {
        RepairReport.Successor(after: $0.after, generation: $0.generation, isUnsure: true)
      }
      return report
    }
    guard let damage = try damage(directory, last, options) else { return report }
    let segment = try DamagedSegment(directory, positions, damage)
    let repair = SegmentRepair(directory: directory, options: options, segment: segment)
    report.repair = try reporting { () throws(FileError) in try repair.run(isDryRun: isDryRun) }
    return report
  }

  /// Returns why the last segment can't be opened; `nil` if it can.
  private static func damage(
    _ directory: LogDirectory, _ last: Position, _ options: LogOptions
  ) throws(OpenError) -> LogDamage? {
    do throws(OpenError) {
      let successor = SuccessorSegment(directory: directory, options: options, last: last)
      if try successor.isNeeded() { return nil }
      _ = try LastSegment(directory, firstPosition: last)
      return nil
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return damage
    }
  }

  /// Sets files aside that are no part of the log.
  ///
  /// - Returns: the first positions of the other segments.
  private static func setStraysAside(
    _ directory: LogDirectory, _ options: LogOptions, _ report: inout RepairReport
  ) throws(FileError) -> [Position] {
    var kept: [Position] = []
    for first in try directory.segments() {
      if let previous = kept.last, let stray = try StraySegment(directory, first, after: previous) {
        report.strays.append(try stray.setAside(options, isDryRun: report.isDryRun))
      } else {
        kept.append(first)
      }
    }
    return kept
  }

  private static func check(
    _ directory: LogDirectory, _ first: Position, next: Position?, _ report: inout RepairReport
  ) throws(OpenError) {
    // A start or this repair begins the segment after a packed last one.
    var check = SegmentCheck(directory, firstPosition: first, nextSegment: next, mayEndPacked: true)
    try reporting { () throws(FileError) in try check.run() }
    let problems = check.found.problems.map {
      LogDamage(file: check.found.file, offset: $0.offset, reason: $0.reason)
    }
    if check.found.damage == .records { report.sealedDamage += problems } else { report.derivedDamage += problems }
  }

  private static func isPacked(_ directory: LogDirectory, _ first: Position) throws(FileError) -> Bool {
    let file = try directory.fileSystem.openForReading(directory.path(ofSegment: first))
    do {
      return try SegmentReading.header(of: file, firstPosition: first).isPacked
    } catch let error as FileError {
      throw error
    } catch {
      // A bad header is repaired like that of a segment that is not packed.
      return false
    }
  }

  private static func reporting<Value>(_ body: () throws(FileError) -> Value) throws(OpenError) -> Value {
    do {
      return try body()
    } catch {
      throw .file(error)
    }
  }
}
