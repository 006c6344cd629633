import ScrollModel

/// The maps of the segments that this process has read or written, by first position.
struct SegmentMaps {
  private var maps: [Position: SegmentMap] = [:]
  /// How many snapshots could not be read, so that a reader had to start further back.
  private(set) var unreadableSnapshots: Int64 = 0

  subscript(_ segment: Position) -> SegmentMap? {
    get { maps[segment] }
    _modify { yield &maps[segment] }
  }

  /// Adds a block to the map of its segment, if there is one. In place: a subscript would move the map out and back.
  mutating func add(_ block: Block, to segment: Position, endingAt end: Int64, closed: [ClosedSession]) {
    guard let index = maps.index(forKey: segment) else { return }
    maps.values[index].add(block, endingAt: end, closed: closed)
  }

  /// Forgets a snapshot that could not be read, so that readers start further back.
  mutating func forget(_ place: SnapshotPlace, of segment: Position) {
    unreadableSnapshots += 1
    maps[segment]?.remove(place)
  }
}
