/// The reason why an event is refused: the field at fault, and what is wrong with it in words that follow the field's
/// name.
public struct EventProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The field's name, which can also be `kind` or `time`.
  public var field: String
  /// What is wrong and what is expected, such as `is missing: a scroll needs it`.
  public var reason: String

  /// Creates a problem with a field.
  public init(field: String, reason: String) {
    self.field = field
    self.reason = reason
  }

  /// The field and the reason.
  public var description: String { "\(field) \(reason)" }
}
