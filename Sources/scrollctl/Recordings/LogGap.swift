import ScrollModel

/// A part of the log that cannot be read.
struct LogGap: Equatable {
  /// The last position that was read before the gap.
  var after: Position
  /// The first position after the gap; `nil` when the gap reaches the end.
  var next: Position?
  /// The damaged file, as the daemon sees it, and the first bad byte or the start of its block.
  var file: String
  var offset: Int64

  /// The gap as a message.
  var description: String {
    let place = next.map { "between the positions \(after) and \($0)" } ?? "after position \(after)"
    return
      "the log is damaged: \(file), byte \(offset): cannot read all records \(place), skipping sessions that may have "
      + "records there"
  }
}
