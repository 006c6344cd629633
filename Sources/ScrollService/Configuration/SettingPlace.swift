// Where in the configuration's files something is set.

/// Where in the configuration's files something is set.
public struct SettingPlace: Equatable, Sendable {
  /// The file's path.
  public var file: String
  /// The line, 1 for the first.
  public var line: Int

  /// A place of its parts.
  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}
