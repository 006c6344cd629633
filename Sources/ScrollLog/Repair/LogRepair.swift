import ScrollModel

/// The repair of a log with damage. No daemon may be running.
///
/// Damage in the last segment keeps a log from being opened, and damage in another one hides what is behind it from readers. Both
/// are repaired in the same way. Bad bytes are set aside in files beside the segment:
///
/// - Bad bytes among the blocks: every block that checks is kept. The segment ends at the first position that is lost, and
///   another segment begins after each gap. No position is used again.
/// - A bad header is rebuilt from the file's name, and a bad checkpoint from the previous segment; the blocks are kept. If
///   that is impossible, records of unknown sessions are lost.
/// - A file that has a segment's name, but holds nothing and continues nothing, is set aside.
/// - If the last segment is packed and has bad records, another segment begins after it.
///
/// What no repair can fix is reported and not changed: missing segments, and segments of another log.
public enum LogRepair {
  /// Repairs a log while holding its lock.
  ///
  /// The bytes set aside are synced before the segment is replaced, which takes a single rename: an interrupted repair leaves
  /// the segment unchanged, and can be repeated.
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
      report.strays = try ForeignFiles(directory: directory).setAside(isDryRun: isDryRun)
      if !isDryRun { try RepairCompletion(directory: directory).run() }
      return try setStraysAside(directory, options, &report)
    }
    guard let last = positions.last else { return report }
    report.segments = positions.count
    // The oldest first, since the head of a segment is rebuilt from the one before it.
    for (index, (first, next)) in zip(positions, positions.dropFirst()).enumerated() {
      progress(index, positions.count)
      let found = try check(directory, first, next: next)
      try repairSealed(directory, options, found, before: next, &report)
    }
    progress(positions.count - 1, positions.count)
    if try repairPackedEnd(directory, options, last, &report) { return report }
    guard let damage = try damage(directory, last, options) else { return report }
    let segment = try DamagedSegment(directory, last, before: nil, damage)
    report.repair = try run(SegmentRepair(directory: directory, options: options, segment: segment), report)
    return report
  }

  /// Repairs a segment that another one follows, if records in it are damaged or out of reach.
  private static func repairSealed(
    _ directory: LogDirectory, _ options: LogOptions, _ found: SegmentVerification, before next: Position,
    _ report: inout RepairReport
  ) throws(OpenError) {
    let problems = found.damages
    if found.damage != .records {
      report.derivedDamage += problems
    } else if found.isForeign {
      report.foreign += problems
    } else if found.isMissingNext {
      report.sealedDamage += problems
    } else if let segment = try damaged(directory, found, before: next), !segment.isWhole {
      report.sealedRepairs.append(
        try run(SegmentRepair(directory: directory, options: options, segment: segment), report))
    } else {
      report.sealedDamage += problems
    }
  }

  /// Repairs a packed last segment, which cannot be written to. It is the last one only because newer ones are missing.
  ///
  /// - Returns: whether the last segment is packed, and nothing more is to be done.
  private static func repairPackedEnd(
    _ directory: LogDirectory, _ options: LogOptions, _ last: Position, _ report: inout RepairReport
  ) throws(OpenError) -> Bool {
    guard let packed = try packedFold(directory, last) else { return false }
    let found = try check(directory, last, next: nil)
    // A start begins the next segment.
    if found.damage != .records, packed.isExact {
      report.derivedDamage += found.damages
      return true
    }
    guard let segment = try damaged(directory, found, before: packed.end, packed.damage) else {
      report.sealedDamage += found.damages
      return true
    }
    let fold = packed.isExact ? packed.fold : segment.parts.last?.fold ?? packed.fold
    let successor = SuccessorSegment(directory: directory, options: options, last: last)
    let isDryRun = report.isDryRun
    report.successor = try reporting { () throws(FileError) in
      RepairReport.Successor(
        after: packed.end - 1, generation: try successor.begin(fold, after: packed.end - 1, isDryRun: isDryRun),
        isUnsure: !packed.isExact)
    }
    if !segment.isWhole {
      report.sealedRepairs.append(
        try run(SegmentRepair(directory: directory, options: options, segment: segment), report))
    }
    return true
  }

  /// Returns the fold over the last segment if it is packed and has a good head.
  private static func packedFold(
    _ directory: LogDirectory, _ last: Position
  ) throws(OpenError) -> PackedSegmentFold? {
    do {
      let file = try directory.fileSystem.openForReading(directory.path(ofSegment: last))
      let header = try SegmentReading.header(of: file, firstPosition: last)
      return header.isPacked ? try PackedSegmentFold(file, header) : nil
    } catch let error as FileError {
      throw .file(error)
    } catch {
      // A bad head is repaired like that of a segment that is not packed.
      return nil
    }
  }

  /// Returns the good parts of a sealed segment; `nil` if a newer program wrote it.
  private static func damaged(
    _ directory: LogDirectory, _ found: SegmentVerification, before next: Position, _ damage: LogDamage? = nil
  ) throws(OpenError) -> DamagedSegment? {
    let damage = found.damages.first ?? damage ?? LogDamage(file: found.file, offset: 0, reason: "records are missing")
    do throws(OpenError) {
      return try DamagedSegment(directory, found.firstPosition, before: next, damage)
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }

  private static func run(_ repair: SegmentRepair, _ report: RepairReport) throws(OpenError) -> RepairReport.Repair {
    try reporting { () throws(FileError) in try repair.run(isDryRun: report.isDryRun) }
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
    _ directory: LogDirectory, _ first: Position, next: Position?
  ) throws(OpenError) -> SegmentVerification {
    // A start or this repair begins the segment after a packed last one.
    var check = SegmentCheck(directory, firstPosition: first, nextSegment: next, mayEndPacked: true)
    try reporting { () throws(FileError) in try check.run() }
    return check.found
  }

  private static func reporting<Value>(_ body: () throws(FileError) -> Value) throws(OpenError) -> Value {
    do {
      return try body()
    } catch {
      throw .file(error)
    }
  }
}

extension SegmentVerification {
  /// The problems with the file.
  fileprivate var damages: [LogDamage] {
    problems.map { LogDamage(file: file, offset: $0.offset, reason: $0.reason) }
  }
}
