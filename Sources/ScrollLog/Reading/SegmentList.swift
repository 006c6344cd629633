// The segments of a log, for its readers.

import ScrollModel

/// The segments of a log, for its readers. It belongs to the loop, which adds each segment that the writer begins, and takes
/// out those whose records are no longer kept.
public final class SegmentList {
  let directory: LogDirectory
  /// The first positions of the segments, in order; never empty.
  public private(set) var firstPositions: [Position]
  /// What is known of all but the last one.
  private var sealed: [Position: SealedSegment]
  private var setAside: [SetAsideFile]
  /// How many backups need the segments to stay.
  private var pins = 0
  /// Segments that were to go stay for that.
  public private(set) var isHeldBack = false
  /// When the daemon got the first record of the last segment, microseconds since the Unix epoch; `nil` when it has none.
  public private(set) var lastSegmentSince: Int64?
  /// The version of the fold: snapshots of another one are passed over.
  public internal(set) var foldVersion = Policy.foldVersion
  /// Where things stand in segments, as far as this process knows.
  private var maps: [Position: SegmentMap] = [:]
  /// How many snapshots could not be read, so that a reader began further back.
  public private(set) var unreadableSnapshots: Int64 = 0

  init(
    _ directory: LogDirectory, _ firstPositions: [Position], sealed: [Position: SealedSegment] = [:],
    setAside: [SetAsideFile] = [], since: Int64? = nil
  ) {
    self.directory = directory
    self.firstPositions = firstPositions
    self.sealed = sealed
    self.setAside = setAside
    lastSegmentSince = since
  }

  /// The first position that the log still has.
  public var firstPosition: Position { firstPositions.first ?? 1 }

  /// How many bytes the files take that are no longer written to.
  public var sealedBytes: Int64 {
    sealed.values.reduce(0) { $0 + $1.bytes + $1.snapshotBytes } + setAside.reduce(0) { $0 + $1.bytes }
  }

  /// How much room the log's file system has.
  public func space() throws(FileError) -> FileSystemSpace {
    try directory.fileSystem.space(directory.logPath)
  }

  /// Takes up the segment that the writer began, as ``WriterStatus/segment`` names it after a roll.
  ///
  /// - Parameter sealing: what is known of the segment before it.
  public func add(_ firstPosition: Position, sealing: SealedSegment = SealedSegment(bytes: 0, lastReceived: nil)) {
    guard let last = firstPositions.last, last < firstPosition else { return }
    sealed[last] = sealing
    firstPositions.append(firstPosition)
    lastSegmentSince = nil
  }

  /// Takes up the segment that the writer began with a roll.
  ///
  /// - Parameter sealing: what is known of the segment before it.
  public func add(_ status: WriterStatus, sealing: SealedSegment) {
    add(status.segment, sealing: sealing)
    takeUp(status)
  }

  /// Begins to map the segment that is written to.
  func takeUp(_ status: WriterStatus) {
    maps[status.segment] = SegmentMap(identifier: status.identifier)
  }

  /// Maps the segment that a start has read and that the writer goes on with.
  func takeUp(_ segment: LastSegment, _ status: WriterStatus) {
    maps[status.segment] = SegmentMap(segment, status)
  }

  /// Notes that a block was written to the last segment.
  ///
  /// - Parameters:
  ///   - status: how far the writer has come with it.
  ///   - closed: the sessions that the block closes.
  public func noteWritten(_ block: Block, _ status: WriterStatus, closed: [SessionID]) {
    lastSegmentSince = lastSegmentSince ?? block.received
    maps[status.segment]?.noteWritten(block, endingAt: status.segmentBytes, closed: closed)
  }

  /// What the next snapshot beside the last segment is to hold; `nil` when the segment has no records.
  public func snapshot(of checkpoint: Checkpoint) -> Snapshot? {
    guard let last = firstPositions.last, let since = lastSegmentSince else { return nil }
    return maps[last]?.snapshot(of: checkpoint, since: since)
  }

  /// Notes that a snapshot was written beside the last segment.
  public func noteWritten(_ place: SnapshotPlace) {
    guard let last = firstPositions.last else { return }
    maps[last]?.noteWritten(place)
  }

  /// The last snapshot beside the last segment; `nil` when there is none.
  public var lastSnapshot: SnapshotPlace? { firstPositions.last.flatMap { maps[$0]?.snapshots.last } }

  /// The position of the last snapshot that holds nothing received after a time, to go back to from a position; the
  /// position itself where none is known between.
  public func position(before position: Position, receivedBy time: Int64) -> Position {
    guard let first = segment(of: max(1, position)), let map = maps[first] else { return position }
    return map.snapshots.last { $0.position <= position && $0.received <= time }?.position ?? position
  }

  /// What the last snapshot before a position holds, of those beside the segment that the position belongs to; `nil` when
  /// there is none that this fold can go on from.
  func snapshot(in segment: Position, before position: Position) -> Checkpoint? {
    while let map = maps[segment], let place = map.snapshot(before: position, foldVersion: foldVersion) {
      if let checkpoint = map.checkpoint(at: place, directory, segment) { return checkpoint }
      unreadableSnapshots += 1
      maps[segment]?.forget(place)
    }
    return nil
  }

  /// Where a reader of a segment that wants a position may begin; `nil` where that is not known of this file.
  func offset(in segment: Position, of position: Position, identifier: UInt64) -> Int64? {
    guard let map = maps[segment], map.identifier == identifier else { return nil }
    return map.index.entry(for: position)?.offset
  }

  /// Keeps all segments in the list until ``unpin()`` is called as often as this. Those that come later stay, too, as
  /// they are never removed before older ones.
  public func pin() { pins += 1 }

  /// Ends what ``pin()`` began.
  public func unpin() { pins -= 1 }

  /// What the files of the log take now, by their first positions, in order.
  ///
  /// - Parameter activeBytes: how many bytes of the last one are in use.
  public func files(activeBytes: Int64) -> [(name: String, firstPosition: Position, bytes: Int64)] {
    firstPositions.map { first in
      let bytes = first == firstPositions.last ? activeBytes : sealed[first]?.bytes ?? 0
      return (LogDirectory.logName + "/" + SegmentName.of(first), first, bytes)
    }
  }

  /// The state directory.
  public var path: String { directory.path }

  /// The first position behind the segment that is a file; `nil` behind the last one, and for a file that is none.
  public func firstPosition(behind file: String) -> Position? {
    let first = firstPositions.first { directory.path(of: SegmentName.of($0)) == file }
    guard let first else { return nil }
    return firstPositions.first { $0 > first }
  }

  /// Damage of the block that begins at a position.
  public func damage(at position: Position, _ reason: String) -> LogDamage {
    let file = directory.path(of: SegmentName.of(segment(of: position) ?? firstPosition))
    return LogDamage(file: file, offset: 0, reason: "the block of position \(position): \(reason)")
  }

  /// Takes the oldest segments out of the list until what is left keeps to limits. The last segment always stays, and
  /// all do while they are pinned.
  ///
  /// No reader opens a file any more that the list doesn't name, so that the files can be removed then, in this order.
  ///
  /// - Parameters:
  ///   - activeBytes: how many bytes the last segment takes.
  ///   - available: how many bytes are free on the file system; `nil` when it is unknown.
  ///   - now: the present, microseconds since the Unix epoch.
  public func trim(
    to limits: RetentionLimits, activeBytes: Int64, available: Int64?, now: Int64
  ) -> [TrimmedSegment] {
    var use = sealedBytes + activeBytes
    let (allowed, limit) = limits.allowed(use: use, available: available)
    let (oldest, overflow) = now.subtractingReportingOverflow(limits.maximumAge)
    var trimmed: [TrimmedSegment] = []
    isHeldBack = false
    while firstPositions.count > 1 {
      let reason: RetentionLimits.Reason
      if use > allowed {
        reason = limit
      } else if !overflow, let received = lastReceivedOfFirst, received < oldest {
        reason = .age
      } else {
        break
      }
      if pins > 0 {
        isHeldBack = true
        break
      }
      let segment = removeFirst(reason)
      use -= segment.bytes
      trimmed.append(segment)
    }
    return trimmed
  }

  /// Notes that a segment takes another number of bytes now.
  public func resize(_ firstPosition: Position, to bytes: Int64) {
    sealed[firstPosition]?.bytes = bytes
    // It was written anew, and the snapshots beside it are gone.
    sealed[firstPosition]?.snapshotBytes = 0
    maps[firstPosition] = nil
  }

  /// Notes that a segment is packed.
  ///
  /// - Parameter bytes: how many it takes now.
  public func notePacked(_ firstPosition: Position, bytes: Int64) {
    resize(firstPosition, to: bytes)
    sealed[firstPosition]?.isPacked = true
    sealed[firstPosition]?.needsPacking = false
  }

  /// The oldest segment that is no longer written to and isn't packed, or has a bad index, of those that aren't excepted.
  public func nextUnpacked(except excepted: Set<Position>) -> Position? {
    firstPositions.dropLast().first { sealed[$0]?.needsPacking == true && !excepted.contains($0) }
  }

  /// How many records and bytes the segments hold that are no longer written to, packed or not.
  public func sealedSize(isPacked: Bool) -> (records: Int64, bytes: Int64) {
    var size: (records: Int64, bytes: Int64) = (0, 0)
    for (first, next) in zip(firstPositions, firstPositions.dropFirst()) {
      guard let segment = sealed[first], segment.isPacked == isPacked else { continue }
      size.records += next - first
      size.bytes += segment.bytes
    }
    return size
  }

  /// Takes the files that keep what was taken out of the log out of the list, to be removed.
  ///
  /// - Returns: their paths.
  public func takeSetAside() -> [String] {
    defer { setAside = [] }
    return setAside.map { directory.path(of: $0.name) }
  }

  /// When the daemon got the last record of the first segment. Where damage hides that, a later one's counts.
  private var lastReceivedOfFirst: Int64? {
    firstPositions.dropLast().lazy.compactMap { self.sealed[$0]?.lastReceived }.first
  }

  private func removeFirst(_ reason: RetentionLimits.Reason) -> TrimmedSegment {
    let first = firstPositions.removeFirst()
    let aside = setAside.filter { $0.position < firstPosition }
    setAside.removeAll { $0.position < firstPosition }
    let segment = sealed.removeValue(forKey: first) ?? SealedSegment(bytes: 0, lastReceived: nil)
    let bytes = segment.bytes + segment.snapshotBytes + aside.reduce(0) { $0 + $1.bytes }
    maps[first] = nil
    let names = [SegmentName.of(first), SegmentName.snapshots(first)] + aside.map(\.name)
    return TrimmedSegment(
      firstPosition: first, lastPosition: firstPosition - 1, bytes: bytes, reason: reason,
      files: names.map(directory.path(of:)))
  }

  /// The first position of the segment that a position belongs to; `nil` when it is before the first.
  public func segment(of position: Position) -> Position? {
    var low = 0
    var high = firstPositions.count
    while low < high {
      let middle = (low + high) / 2
      if firstPositions[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : firstPositions[low - 1]
  }
}
