import Platform
import ScrollModel

/// The segments of a log.
///
/// It belongs to the loop, which adds each segment that the writer begins and removes those that retention no longer
/// keeps. Queries get only its ``LogView``.
public final class SegmentList {
  /// The paths of the log's files.
  let directory: LogDirectory
  /// The first positions of the segments, in order; never empty.
  public private(set) var firstPositions: [Position]
  /// Every segment but the last one.
  private var sealed: [Position: SealedSegment]
  /// The positions that repairs have given up, in order. Nobody repairs a log while a daemon runs.
  let repairedGaps: [ClosedRange<Position>]
  private var setAside: SetAsideFiles
  private var pins = SegmentPins()
  private var maps = SegmentMaps()
  /// The indexes that queries have read.
  let recentIndexes = RecentIndexes()
  /// When the daemon received the first record of the last segment, microseconds since the Unix epoch; `nil` while the
  /// segment is empty.
  public private(set) var lastSegmentSince: Int64?
  /// The version of the fold. Snapshots made by another version are ignored.
  public internal(set) var foldVersion = Policy.foldVersion

  init(
    _ directory: LogDirectory, _ firstPositions: [Position], sealed: [Position: SealedSegment] = [:],
    setAside: SetAsideFiles = SetAsideFiles(), since: Int64? = nil
  ) {
    self.directory = directory
    self.firstPositions = firstPositions
    self.sealed = sealed
    self.setAside = setAside
    lastSegmentSince = since
    repairedGaps = firstPositions.compactMap { sealed[$0]?.gap }
  }

  /// The first position that the log still holds.
  public var firstPosition: Position { firstPositions.first ?? 1 }

  /// The first position of the segment that holds a position; `nil` for a position before the log's first.
  public func segment(of position: Position) -> Position? {
    var low = 0
    var high = firstPositions.count
    while low < high {
      let middle = (low + high) / 2
      if firstPositions[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : firstPositions[low - 1]
  }

  // MARK: - Growth

  /// Adds the segment that the writer has begun, ``WriterStatus/segment`` after a roll.
  ///
  /// - Parameter sealing: the segment before it, which is now sealed.
  public func add(_ firstPosition: Position, sealing: SealedSegment = SealedSegment(bytes: 0, lastReceived: nil)) {
    guard let last = firstPositions.last, last < firstPosition else { return }
    sealed[last] = sealing
    firstPositions.append(firstPosition)
    lastSegmentSince = nil
  }

  /// Adds the segment that the writer has begun with a roll, and starts a map of it.
  ///
  /// - Parameter sealing: the segment before it, which is now sealed.
  public func add(_ status: WriterStatus, sealing: SealedSegment) {
    add(status.segment, sealing: sealing)
    map(status)
  }

  /// Starts a map of the segment that is being written.
  func map(_ status: WriterStatus) { maps[status.segment] = SegmentMap(identifier: status.identifier) }

  /// Takes over the map of a segment that the writer continues.
  func map(_ firstPosition: Position, as map: SegmentMap) { maps[firstPosition] = map }

  /// Adds a block that was written to the last segment.
  ///
  /// - Parameters:
  ///   - status: the writer's status after the block.
  ///   - closed: the sessions that the block closes.
  public func addBlock(_ block: Block, _ status: WriterStatus, closed: [ClosedSession]) {
    lastSegmentSince = lastSegmentSince ?? block.received
    maps.add(block, to: status.segment, endingAt: status.segmentBytes, closed: closed)
  }

  /// Adds a snapshot that was written beside the last segment.
  public func addSnapshot(_ place: SnapshotPlace) {
    guard let last = firstPositions.last else { return }
    maps[last]?.add(place)
  }

  /// Returns the next snapshot of the last segment; `nil` while the segment is empty.
  public func snapshot(of checkpoint: Checkpoint) -> Snapshot? {
    guard let last = firstPositions.last, let since = lastSegmentSince else { return nil }
    return maps[last]?.snapshot(of: checkpoint, since: since)
  }

  /// The last snapshot of the last segment; `nil` when it has no snapshot.
  public var lastSnapshot: SnapshotPlace? { firstPositions.last.flatMap { maps[$0]?.snapshots.last } }

  // MARK: - Sizes

  /// The size of all files that are no longer written to, in bytes.
  public var sealedBytes: Int64 {
    sealed.values.reduce(0) { $0 + $1.bytes + $1.snapshotBytes } + setAside.bytes
  }

  /// Returns how many records and bytes the sealed segments hold, either the packed or the unpacked ones.
  public func sealedSize(isPacked: Bool) -> (records: Int64, bytes: Int64) {
    var size: (records: Int64, bytes: Int64) = (0, 0)
    for (first, next) in zip(firstPositions, firstPositions.dropFirst()) {
      guard let segment = sealed[first], segment.isPacked == isPacked else { continue }
      size.records += next - first
      size.bytes += segment.bytes
    }
    return size
  }

  /// Returns the size and the free space of the log's file system.
  public func space() throws(FileError) -> FileSystemSpace {
    try directory.fileSystem.space(directory.logPath)
  }

  /// The log's segment files, with paths relative to the state directory, in order.
  ///
  /// - Parameter activeBytes: how many bytes of the last segment are in use.
  public func files(activeBytes: Int64) -> [(name: String, firstPosition: Position, bytes: Int64)] {
    firstPositions.map { first in
      let bytes = first == firstPositions.last ? activeBytes : sealed[first]?.bytes ?? 0
      return (LogDirectory.logName + "/" + SegmentName.of(first), first, bytes)
    }
  }

  /// The state directory.
  public var path: String { directory.path }

  // MARK: - Retention

  /// Keeps every segment in the list until ``unpin()`` has been called as often as this. Newer segments stay as well,
  /// since segments are removed oldest first.
  public func pin() { pins.pin() }

  /// Ends what ``pin()`` began.
  public func unpin() { pins.unpin() }

  /// Whether the last ``trim(to:activeBytes:unpacked:growth:available:now:atMost:)`` removed nothing only because the segments are
  /// pinned.
  public var isRemovalDelayed: Bool { pins.isRemovalDelayed }

  /// Removes the oldest segments from the list until the rest keeps to the limits. The last segment always stays, and all
  /// of them stay while they are pinned.
  ///
  /// Readers open only files in the list, so the caller can then delete the files, in this order.
  ///
  /// - Parameters:
  ///   - activeBytes: the size of the last segment.
  ///   - unpacked: how many bytes are in segments that are about to be packed.
  ///   - growth: how many bytes are added before the limits are applied again.
  ///   - available: the free space of the file system, in bytes; `nil` when it is unknown.
  ///   - now: the present, microseconds since the Unix epoch.
  public func trim(
    to limits: RetentionLimits, activeBytes: Int64, unpacked: Int64 = 0, growth: Int64 = 0, available: Int64?,
    now: Int64, atMost count: Int = .max
  ) -> [TrimmedSegment] {
    let plan = RetentionPlan(
      limits, use: sealedBytes + activeBytes, unpacked: unpacked, growth: growth, available: available, now: now)
    let reasons = plan.reasons(for: retained).prefix(count)
    return pins.permitsRemoval(of: reasons.count) ? reasons.map { removeFirst($0) } : []
  }

  /// What has to happen before the oldest segment may go because the log is too large.
  public enum FairStep: Equatable, Sendable {
    /// Find out whose records a segment holds.
    case measure(Position)
    /// Take a user's records out of a segment.
    case trim(user: UInt32, Position)
  }

  /// Returns what has to happen so that nobody loses records for the sake of a user above the fair share.
  ///
  /// - Parameters:
  ///   - activeBytes: the size of the last segment.
  ///   - unpacked: how many bytes are in segments that are about to be packed.
  ///   - growth: how many bytes are added before the limits are applied again.
  ///   - available: the free space of the file system, in bytes; `nil` when it is unknown.
  ///   - present: the users with open sessions.
  ///   - account: returns the user for whom an id counts.
  /// - Returns: `nil` if the log keeps to the limits, or if the oldest segment may go.
  public func fairStep(
    to limits: RetentionLimits, activeBytes: Int64, unpacked: Int64, growth: Int64 = 0, available: Int64?,
    present: Set<UInt32>, account: (UInt32) -> UInt32
  ) -> FairStep? {
    let use = sealedBytes + activeBytes
    let plan = RetentionPlan(
      limits, use: use, unpacked: unpacked, growth: growth, available: available, now: .min)
    // Without an age, only a size can be the reason. While segments are pinned, nothing is removed or rewritten.
    guard !pins.isPinned, !plan.reasons(for: retained).isEmpty else { return nil }
    let first = firstPositions
    let found = first.dropLast().map { first in
      let segment = sealed[first]
      return FairSharePlan.Segment(
        bytes: segment?.bytes ?? 0, use: segment?.use?.counted(for: account), trimmed: segment?.trimmed ?? [])
    }
    let allowed = min(limits.maximumUse, limits.allowedByFree(use: use, available: available))
    switch FairSharePlan(segments: found, allowed: allowed, present: Set(present.map(account))).step {
    case .removeOldest: return nil
    case .measure(let index): return .measure(first[index])
    case .trim(let user, let index): return .trim(user: user, first[index])
    }
  }

  /// Records whose records a segment holds.
  public func setUse(_ firstPosition: Position, _ use: SegmentUse) { sealed[firstPosition]?.use = use }

  /// Records that a user's records were taken out of a segment.
  public func didTrim(_ firstPosition: Position, _ user: UInt32) { sealed[firstPosition]?.trimmed.insert(user) }

  /// The sealed segments as retention sees them, oldest first.
  private var retained: [RetentionPlan.Segment] {
    var counted: Int64 = 0
    return zip(firstPositions, firstPositions.dropFirst()).map { first, next in
      let aside = setAside.bytes(before: next)
      defer { counted = aside }
      let segment = sealed[first]
      return RetentionPlan.Segment(
        bytes: (segment?.bytes ?? 0) + (segment?.snapshotBytes ?? 0) + aside - counted,
        lastReceived: segment?.lastReceived)
    }
  }

  private func removeFirst(_ reason: RetentionLimits.Reason) -> TrimmedSegment {
    let first = firstPositions.removeFirst()
    let aside = setAside.remove(before: firstPosition)
    let segment = sealed.removeValue(forKey: first) ?? SealedSegment(bytes: 0, lastReceived: nil)
    let bytes = segment.bytes + segment.snapshotBytes + aside.reduce(0) { $0 + $1.bytes }
    maps[first] = nil
    recentIndexes.remove(first)
    let paths = [directory.path(ofSegment: first), directory.path(ofSnapshots: first)]
    return TrimmedSegment(
      firstPosition: first, lastPosition: firstPosition - 1, bytes: bytes, reason: reason,
      files: paths + aside.map { directory.path(of: $0.name) })
  }

  /// Removes the files that were set aside from the list, so that the caller can delete them.
  ///
  /// - Returns: their paths.
  public func takeSetAside() -> [String] { setAside.removeAll().map { directory.path(of: $0.name) } }

  // MARK: - Rewritten segments

  /// Records the new size of a sealed segment that was rewritten, which also removed its snapshots.
  public func resize(_ firstPosition: Position, to bytes: Int64) {
    sealed[firstPosition]?.bytes = bytes
    sealed[firstPosition]?.snapshotBytes = 0
    sealed[firstPosition]?.use = nil
    maps[firstPosition] = nil
    recentIndexes.remove(firstPosition)
  }

  /// Marks a segment as packed, and records its new size.
  public func markPacked(_ firstPosition: Position, bytes: Int64) {
    resize(firstPosition, to: bytes)
    sealed[firstPosition]?.isPacked = true
    sealed[firstPosition]?.needsPacking = false
  }

  /// Returns the newest sealed segment that is not packed, or whose index is bad, except for some.
  public func nextUnpacked(except excepted: Set<Position>) -> Position? {
    firstPositions.dropLast().last { sealed[$0]?.needsPacking == true && !excepted.contains($0) }
  }

  /// Returns the size of the sealed segments that ``nextUnpacked(except:)`` returns one after the other, in bytes.
  public func unpackedBytes(except excepted: Set<Position>) -> Int64 {
    firstPositions.dropLast().reduce(0) { sum, first in
      guard let segment = sealed[first], segment.needsPacking, !excepted.contains(first) else { return sum }
      return sum + segment.bytes + segment.snapshotBytes
    }
  }

  // MARK: - Reading

  /// How many snapshots could not be read, so that a reader had to start further back.
  public var unreadableSnapshots: Int64 { maps.unreadableSnapshots }

  /// Returns the last snapshot at or before a position, among a segment's, that holds nothing received after a time.
  func snapshot(in segment: Position, atOrBefore position: Position, receivedBy time: Int64) -> SnapshotPlace? {
    maps[segment]?.snapshots.last { $0.position <= position && $0.received <= time }
  }

  /// Returns the last snapshot before a position, among a segment's; `nil` when the file is unknown, or when this version of
  /// the fold can continue from none.
  func snapshot(in segment: Position, before position: Position, identifier: UInt64) -> SnapshotPlace? {
    guard let map = maps[segment], map.identifier == identifier else { return nil }
    return map.snapshot(before: position, foldVersion: foldVersion)
  }

  /// Forgets a snapshot that could not be read.
  func forget(_ snapshot: SnapshotPlace, of segment: Position) { maps.forget(snapshot, of: segment) }

  /// Returns where a reader of a segment can begin to find a position; `nil` when the file is unknown.
  func offset(in segment: Position, of position: Position, identifier: UInt64) -> Int64? {
    guard let map = maps[segment], map.identifier == identifier else { return nil }
    return map.index.entry(for: position)?.offset
  }
}
