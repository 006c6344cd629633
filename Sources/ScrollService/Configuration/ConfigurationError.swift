import Platform

/// An error in a configuration file, with its place.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public var file: String
  /// The line, 1 for the first; `nil` if the error concerns the whole file.
  public var line: Int?
  /// The key; `nil` if the error concerns none.
  public var key: String?
  /// What is wrong and what is expected instead.
  public var reason: String

  /// How many other errors the configuration has.
  public internal(set) var others = 0
  /// The command that lists all errors; `nil` if it would not find this one.
  public internal(set) var check: String?

  /// Whether the daemon may not read the file, so that nothing is known about its content.
  public var isPermissionDenied = false

  /// Creates an error.
  public init(file: String, line: Int? = nil, key: String? = nil, reason: String) {
    self.file = file
    self.line = line
    self.key = key
    self.reason = reason
  }

  /// Creates the error of a file or directory that can't be read.
  init(file: String, _ errno: Errno) {
    self.init(file: file, reason: "\(errno)")
    guard errno == .permissionDenied else { return }
    isPermissionDenied = true
    reason += ": $HOME, $XDG_CONFIG_HOME and --config must name files that the daemon's user may read"
  }

  /// The message, with the file, the line and the key.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return key.map { "\(place): \($0)=: \(reason)" } ?? "\(place): \(reason)"
  }
}
