// Why an interface text was refused.

/// Where and why a text is no interface description. Lines and columns count from 1, columns in bytes.
public struct InterfaceSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  public let line: Int
  public let column: Int
  public let explanation: String

  public var description: String {
    "line \(line), column \(column): \(explanation)"
  }
}
