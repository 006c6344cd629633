import ScrollModel

/// The file names of the log.
enum SegmentName {
  static let suffix = ".scrolllog"
  /// The suffix of a file that is not complete yet.
  static let temporarySuffix = ".tmp"
  static let tornSuffix = ".torn"
  static let damagedSuffix = ".damaged"
  static let snapshotsSuffix = ".snapshots"

  /// Returns the name of a segment: its first position in 20 digits.
  static func of(_ firstPosition: Position) -> String { digits(firstPosition) + suffix }

  /// Returns the name of the snapshots beside the segment that begins at a position.
  static func snapshots(_ firstPosition: Position) -> String { digits(firstPosition) + snapshotsSuffix }

  /// Returns whether a name is that of snapshots.
  static func areSnapshots(_ name: String) -> Bool { name.hasSuffix(snapshotsSuffix) }

  /// Returns a name for bytes that were cut from a segment after a position; `attempt` distinguishes files of the same time.
  static func kept(after position: Position, time: Int64, attempt: Int, _ suffix: String) -> String {
    let distinction = attempt == 0 ? "" : "-\(attempt)"
    return "\(digits(position)).\(time)\(distinction)\(suffix)"
  }

  /// Returns the position in the name of bytes that were cut from a segment; `nil` for other files.
  static func keptPosition(_ name: String) -> Position? {
    guard name.hasSuffix(tornSuffix) || name.hasSuffix(damagedSuffix) else { return nil }
    let digits = name.prefix { $0 != "." }
    return digits.utf8.count == 20 ? Position(digits) : nil
  }

  /// Returns the first position in the name of a segment; `nil` for other files.
  static func firstPosition(_ name: String) -> Position? {
    guard name.hasSuffix(suffix) else { return nil }
    let digits = name.dropLast(suffix.count)
    guard digits.utf8.count == 20, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let position = Position(digits),
      position >= 1
    else { return nil }
    return position
  }

  private static func digits(_ position: Position) -> String {
    let text = String(position)
    return String(repeating: "0", count: max(0, 20 - text.utf8.count)) + text
  }
}
