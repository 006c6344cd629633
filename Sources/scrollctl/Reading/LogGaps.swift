import ScrollClient
import ScrollModel

/// The damaged parts of the log that a reading has passed over.
final class LogGaps {
  private struct Gap {
    var file: String
    var offset: Int64
    /// The first position behind it.
    var next: Position
    /// The first position that a repair has given up; `nil` if the file is damaged.
    var lost: Position?
  }

  private var gaps: [Gap] = []

  /// Calls `read` with a query, and again behind each damaged part.
  ///
  /// - Parameter query: A query whose limit the caller counts.
  /// - Throws: What `read` throws, also for a damaged part behind which there is nothing.
  func passing(_ query: LogQuery, _ read: (LogQuery) throws -> Void) throws {
    var query = query
    while true {
      do {
        return try read(query)
      } catch let error as ServiceError {
        guard case .logDamaged(let file, let offset, let next?, let lost)? = error.refusal,
          next - 1 > query.after ?? -1
        else { throw error }
        if !gaps.contains(where: { $0.next == next }) {
          gaps.append(Gap(file: file, offset: offset, next: next, lost: lost))
        }
        query.after = next - 1
      }
    }
  }

  /// Reports the parts, once each.
  ///
  /// - Parameter first: Only those behind this position: what a verb did not want cannot be missing.
  /// - Returns: Whether there was any but those that a repair has given up.
  func report(behind first: Position = 0) -> Bool {
    let missing = gaps.filter { $0.next > first }.sorted { $0.next < $1.next }
    for gap in missing {
      if let lost = gap.lost {
        Program.warn("records were lost in a repair: the positions \(lost) to \(gap.next - 1)")
        continue
      }
      Program.warn(
        "the log is damaged: \(gap.file), byte \(gap.offset): records before position \(gap.next) are missing",
        hint: "“scrollctl verify” says which, and whether “scrollctl repair” can help.")
    }
    return missing.contains { $0.lost == nil }
  }
}
