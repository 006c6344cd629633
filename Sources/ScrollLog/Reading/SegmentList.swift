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
    sealed.values.reduce(0) { $0 + $1.bytes } + setAside.reduce(0) { $0 + $1.bytes }
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

  /// Notes that a block was written to the last segment.
  public func noteWritten(_ block: Block) {
    lastSegmentSince = lastSegmentSince ?? block.received
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
    let bytes = (sealed.removeValue(forKey: first)?.bytes ?? 0) + aside.reduce(0) { $0 + $1.bytes }
    let names = [SegmentName.of(first)] + aside.map(\.name)
    return TrimmedSegment(
      firstPosition: first, lastPosition: firstPosition - 1, bytes: bytes, reason: reason,
      files: names.map(directory.path(of:)))
  }

  /// The first position of the segment that a position belongs to; `nil` when it is before the first.
  func segment(of position: Position) -> Position? {
    var low = 0
    var high = firstPositions.count
    while low < high {
      let middle = (low + high) / 2
      if firstPositions[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : firstPositions[low - 1]
  }
}
