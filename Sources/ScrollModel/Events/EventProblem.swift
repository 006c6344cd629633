// What is wrong with an event that is refused.

/// Why an event is refused: the field at fault and the reason, worded to follow the field's name.
public struct EventProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The field's name, `kind` and `time` among them.
  public var field: String
  /// What is wrong and what would be right, such as `is missing: a scroll needs it`.
  public var reason: String

  /// A problem of one field.
  public init(field: String, reason: String) {
    self.field = field
    self.reason = reason
  }

  /// The text for people.
  public var description: String { "\(field) \(reason)" }
}
