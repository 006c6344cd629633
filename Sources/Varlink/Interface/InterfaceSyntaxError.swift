// Why an interface text was refused.

/// Where and why a text is no interface description.
public struct InterfaceSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, the first is 1.
  public let line: Int
  /// The byte within the line, the first is 1.
  public let column: Int
  /// What is wrong there.
  public let explanation: String

  /// The text for people, with the place.
  public var description: String {
    "line \(line), column \(column): \(explanation)"
  }
}
