// A part of the log that can't be read.

import ScrollModel

/// A part of the log that can't be read.
struct LogGap: Equatable {
  /// The last position before it that was given.
  var after: Position
  /// The first position behind it; `nil` when nothing is behind it.
  var next: Position?
  /// The damaged file, as the daemon names it, and the first bad byte, or that of the block that it belongs to.
  var file: String
  var offset: Int64

  /// The text that people read.
  var description: String {
    let place = next.map { "between the positions \(after) and \($0)" } ?? "behind position \(after)"
    return
      "the log is damaged: \(file), byte \(offset): what stands \(place) can't all be read, and sessions that may have "
      + "records there are left out"
  }
}
