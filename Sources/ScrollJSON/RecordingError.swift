/// An error in a line of a recording.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, 1 for the first.
  public var line: Int
  /// The field at fault; `nil` if the whole line is.
  public var field: String?
  /// What is wrong and what is expected, in words that follow the field's name.
  public var reason: String

  /// Creates an error from its parts.
  public init(line: Int, field: String? = nil, reason: String) {
    self.line = line
    self.field = field
    self.reason = reason
  }

  /// The line, the field and the reason: `line 3: y is missing: a scroll needs it`.
  public var description: String {
    "line \(line): " + (field.map { "\($0) \(reason)" } ?? reason)
  }
}
