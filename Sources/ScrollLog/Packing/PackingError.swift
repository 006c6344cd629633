import ScrollModel

/// Why a segment was not packed. The segment is unchanged, except after ``unsynced(bytes:_:)``.
public enum PackingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The segment could not be read, or the packed one could not be written.
  case failed(ReadError)
  /// The segment was packed and has this size, but the directory could not be synced, or the snapshots of the old file could
  /// not be removed. After a power loss the old file, which holds the same records, may be back.
  case unsynced(bytes: Int64, ReadError)
  /// The block at a position is too large for a packed block.
  case tooLarge(Position)
  /// The blocks from a position on changed when they were packed and unpacked.
  case differs(Position)
  /// The caller cancelled the packing.
  case cancelled

  /// Whether the disk is full or the quota exceeded.
  public var isNoSpace: Bool {
    switch self {
    case .failed(.file(let error)), .unsynced(_, .file(let error)): error.isNoSpace
    case .failed, .unsynced, .tooLarge, .differs, .cancelled: false
    }
  }

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .failed(let error), .unsynced(_, let error): "\(error)"
    case .tooLarge(let position): "the block at position \(position) is too large to be packed"
    case .differs(let position): "the block at position \(position) changed when it was packed and unpacked"
    case .cancelled: "the packing was cancelled"
    }
  }
}
