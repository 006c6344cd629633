// What is wrong with a recording, and where.

/// What is wrong with a line of a recording.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, 1 for the first.
  public var line: Int
  /// The field at fault; `nil` when it is the line as a whole.
  public var field: String?
  /// What is wrong and what would be right, worded to follow the field's name.
  public var reason: String

  /// An error of its parts.
  public init(line: Int, field: String? = nil, reason: String) {
    self.line = line
    self.field = field
    self.reason = reason
  }

  /// The text for people: `line 3: y is missing: a scroll needs it`.
  public var description: String {
    "line \(line): " + (field.map { "\($0) \(reason)" } ?? reason)
  }
}
