// The segments of a log, for its readers.

import ScrollModel

/// The segments of a log, for its readers. It belongs to the loop, which adds each segment that the writer begins.
public final class SegmentList {
  let directory: LogDirectory
  /// The first positions of the segments, in order; never empty.
  public private(set) var firstPositions: [Position]

  init(_ directory: LogDirectory, _ firstPositions: [Position]) {
    self.directory = directory
    self.firstPositions = firstPositions
  }

  /// The first position that the log still has.
  public var firstPosition: Position { firstPositions.first ?? 1 }

  /// Takes up the segment that the writer began, as ``WriterStatus/segment`` names it after a roll.
  public func add(_ firstPosition: Position) {
    if let last = firstPositions.last, last >= firstPosition { return }
    firstPositions.append(firstPosition)
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

  /// The first position of the segment after a segment.
  func segment(after firstPosition: Position) -> Position? {
    guard let index = firstPositions.lastIndex(of: firstPosition), index + 1 < firstPositions.count else { return nil }
    return firstPositions[index + 1]
  }
}
