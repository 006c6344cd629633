// A file that keeps what was taken out of the log.

import ScrollModel

/// A file beside the segments that keeps what was taken out of one: a torn tail, or what a repair set aside.
struct SetAsideFile: Equatable, Sendable {
  var name: String
  /// The last position that stayed in the segment.
  var position: Position
  var bytes: Int64
}
