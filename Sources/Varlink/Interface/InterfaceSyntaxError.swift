/// A syntax error in an interface description.
public struct InterfaceSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  public let line: Int
  /// The byte within the line, counted from 1.
  public let column: Int
  /// The cause of the error.
  public let explanation: String

  /// A message that names the line and the column.
  public var description: String {
    "line \(line), column \(column): \(explanation)"
  }
}
