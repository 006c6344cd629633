/// Where a log is damaged: bytes that are not what was written.
public struct LogDamage: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, as a path.
  public var file: String
  /// The first bad byte's offset in the file, or that of the block that it belongs to.
  public var offset: Int64
  /// What is wrong there.
  public var reason: String

  /// Damage of a file at an offset.
  public init(file: String, offset: Int64, reason: String) {
    self.file = file
    self.offset = offset
    self.reason = reason
  }

  /// The text that people read.
  public var description: String { "\(file), byte \(offset): \(reason)" }
}
