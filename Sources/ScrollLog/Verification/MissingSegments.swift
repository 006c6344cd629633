import ScrollModel

/// Files of a log that are missing after one of its segments, with all of their records.
public struct MissingSegments: Equatable, Sendable, CustomStringConvertible {
  /// The file of the first of them, as a path.
  public var file: String
  /// Its first position.
  public var firstPosition: Position
  /// The last position before the next segment; `nil` if no segment follows, so that nothing shows where the log ended.
  public var lastPosition: Position?

  /// What is missing, as a clause for people.
  public var description: String {
    guard let lastPosition else { return "\(file) is missing, with all records from position \(firstPosition) on" }
    return firstPosition == lastPosition
      ? "\(file) is missing, with position \(firstPosition)"
      : "\(file) is missing, with positions \(firstPosition) to \(lastPosition)"
  }
}
