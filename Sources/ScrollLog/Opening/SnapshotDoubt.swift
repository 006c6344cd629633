// Why a start does not go by a snapshot.

/// Why a start does not go by a snapshot and reads all of the last segment.
enum SnapshotDoubt: Error, CustomStringConvertible {
  case notStoppedCleanly
  case noSnapshot

  /// The text that people read.
  var description: String {
    switch self {
    case .notStoppedCleanly: "the log was not stopped in order"
    case .noSnapshot: "there is no snapshot of it"
    }
  }
}
