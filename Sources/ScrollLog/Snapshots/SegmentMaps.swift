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

  /// Reads the checkpoint of the last snapshot before a position, among a segment's. Snapshots that cannot be read are
  /// forgotten.
  ///
  /// - Returns: `nil` when a version of the fold can continue from none of them.
  mutating func checkpoint(
    in segment: Position, before position: Position, foldVersion: UInt32, _ directory: LogDirectory
  ) -> Checkpoint? {
    while let map = maps[segment], let place = map.snapshot(before: position, foldVersion: foldVersion) {
      if let checkpoint = map.checkpoint(at: place, directory, segment) { return checkpoint }
      unreadableSnapshots += 1
      maps[segment]?.remove(place)
    }
    return nil
  }
}
