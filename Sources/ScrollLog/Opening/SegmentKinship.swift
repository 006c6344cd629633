import ScrollModel

/// The check that all segments belong to one log, by the generations in their headers. A new log begins with a generation that no
/// other log has.
struct SegmentKinship {
  let directory: LogDirectory
  /// The last segment, and its generations.
  let last: Position
  let generations: GenerationHistory

  /// Checks the other segments. A bad header is reported by the readers that need the segment.
  ///
  /// - Throws: ``OpenError/foreign(_:)``.
  func check(_ sealed: [Position: SealedSegment]) throws(OpenError) {
    let foreign = sealed.filter { first, segment in segment.generation.map { !isKnown($0, before: first) } ?? false }
    guard let first = foreign.keys.min(), let generation = foreign[first]?.generation else { return }
    throw .foreign(
      LogDamage(
        file: directory.path(ofSegment: first), offset: Int64(SegmentHeader.Offset.generation),
        reason:
          "its generation \(generation) is none of \(directory.path(ofSegment: last)): one of them belongs to another log"
      ))
  }

  private func isKnown(_ generation: Generation, before position: Position) -> Bool {
    generations.entries.contains { $0.generation == generation && $0.after < position }
  }
}
