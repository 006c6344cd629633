/// A line in a configuration file.
public struct SettingPlace: Equatable, Sendable {
  /// The path of the file.
  public var file: String
  /// The number of the line, 1 for the first.
  public var line: Int

  /// Creates a place.
  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}
