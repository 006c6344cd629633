import ScrollModel

/// Damage to a log: a place where bytes are not what was written.
public struct LogDamage: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, as a path.
  public var file: String
  /// The offset in the file of the first bad byte, or of the block that it belongs to.
  public var offset: Int64
  /// What is wrong there.
  public var reason: String
  /// The positions that a repair has given up, if nothing else is wrong there.
  public var lostInRepair: ClosedRange<Position>?

  /// Creates damage of a file at an offset.
  public init(file: String, offset: Int64, reason: String) {
    self.file = file
    self.offset = offset
    self.reason = reason
  }

  /// The damage as a phrase for people.
  public var description: String { "\(file), byte \(offset): \(reason)" }
}
