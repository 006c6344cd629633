import ScrollModel

/// The names of the log's files.
enum SegmentName {
  static let suffix = ".scrolllog"
  /// What ends the name of a file that is not complete yet.
  static let temporarySuffix = ".tmp"
  static let tornSuffix = ".torn"
  static let damagedSuffix = ".damaged"
  private static let snapshotsSuffix = ".snapshots"

  /// A segment's name: the 20 digits of its first position.
  static func of(_ firstPosition: Position) -> String { digits(firstPosition) + suffix }

  /// The name of the snapshots that stand beside the segment of a first position.
  static func snapshots(_ firstPosition: Position) -> String { digits(firstPosition) + snapshotsSuffix }

  /// Whether a name is that of snapshots.
  static func areSnapshots(_ name: String) -> Bool { name.hasSuffix(snapshotsSuffix) }

  /// The name of what was taken out of a segment behind a position; `attempt` tells apart what came at the same time.
  static func kept(after position: Position, time: Int64, attempt: Int, _ suffix: String) -> String {
    let distinction = attempt == 0 ? "" : "-\(attempt)"
    return "\(digits(position)).\(time)\(distinction)\(suffix)"
  }

  /// The position in the name of what was taken out of a segment; `nil` for other files.
  static func keptPosition(_ name: String) -> Position? {
    guard name.hasSuffix(tornSuffix) || name.hasSuffix(damagedSuffix) else { return nil }
    let digits = name.prefix { $0 != "." }
    return digits.utf8.count == 20 ? Position(digits) : nil
  }

  /// The first position in a segment's name; `nil` for other files.
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
