// What is wrong in a configuration, and where.

/// What is wrong in a configuration, and where.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file at fault.
  public var file: String
  /// The line, 1 for the first; `nil` when the file as a whole is at fault.
  public var line: Int?
  /// The key; `nil` when it is not about one.
  public var key: String?
  /// What is wrong, and what would be right.
  public var reason: String

  /// An error of its parts.
  public init(file: String, line: Int? = nil, key: String? = nil, reason: String) {
    self.file = file
    self.line = line
    self.key = key
    self.reason = reason
  }

  /// The text for people.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return key.map { "\(place): \($0)=: \(reason)" } ?? "\(place): \(reason)"
  }
}
