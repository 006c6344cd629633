import ScrollModel

/// The check that all segments belong to one log, by the generations in their headers. A new log begins with a generation that no
/// other log has.
struct SegmentKinship {
  let directory: LogDirectory
  /// The last segment, and its generations.
  let last: Position
  let generations: GenerationHistory

  /// Looks at the headers of the other segments. A bad one is reported by the readers that need the segment.
  ///
  /// - Throws: ``OpenError/foreign(_:)``; ``OpenError/file(_:)``.
  func check(_ sealed: some Sequence<Position>) throws(OpenError) {
    for first in sealed {
      guard let generation = try generation(of: first), !isKnown(generation, before: first) else { continue }
      throw .foreign(
        LogDamage(
          file: directory.path(ofSegment: first), offset: Int64(SegmentHeader.Offset.generation),
          reason:
            "its generation \(generation) is none of \(directory.path(ofSegment: last)): one of them belongs to another log"
        ))
    }
  }

  private func isKnown(_ generation: Generation, before position: Position) -> Bool {
    generations.entries.contains { $0.generation == generation && $0.after < position }
  }

  private func generation(of first: Position) throws(OpenError) -> Generation? {
    do {
      let file = try directory.fileSystem.openForReading(directory.path(ofSegment: first))
      return try SegmentReading.header(of: file, firstPosition: first).generation
    } catch let error as FileError {
      throw .file(error)
    } catch {
      return nil
    }
  }
}
