import ScrollModel

/// A file beside the segments with bytes that were taken out of one: a torn tail, or what a repair set aside.
struct SetAsideFile: Equatable, Sendable {
  var name: String
  /// The last position that stayed in the segment.
  var position: Position
  var bytes: Int64
}

/// The files that were set aside and still belong to the log.
struct SetAsideFiles {
  private var files: [SetAsideFile]

  init(_ files: [SetAsideFile] = []) { self.files = files }

  /// The size of all of them, in bytes.
  var bytes: Int64 { files.reduce(0) { $0 + $1.bytes } }

  /// Returns the size of those that were set aside before a position, in bytes.
  func bytes(before position: Position) -> Int64 {
    files.reduce(0) { $1.position < position ? $0 + $1.bytes : $0 }
  }

  /// Removes and returns those that were set aside before a position.
  mutating func remove(before position: Position) -> [SetAsideFile] {
    defer { files.removeAll { $0.position < position } }
    return files.filter { $0.position < position }
  }

  /// Removes and returns all of them.
  mutating func removeAll() -> [SetAsideFile] {
    defer { files = [] }
    return files
  }
}
