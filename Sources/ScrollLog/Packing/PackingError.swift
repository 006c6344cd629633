import ScrollModel

/// Why a segment was not packed. It stands there as it did, but for ``unsynced(bytes:_:)``.
public enum PackingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It could not be read, or the packed one could not be written.
  case failed(ReadError)
  /// It is packed and takes so many bytes, but the directory could not be synced, or the snapshots of the old file not
  /// removed: after a power loss the old one may stand there, which holds the same.
  case unsynced(bytes: Int64, ReadError)
  /// The block of a position is larger than a packed one may be.
  case tooLarge(Position)
  /// The blocks from a position on are not the same once they are packed and unpacked.
  case differs(Position)
  /// Somebody wanted it to end.
  case cancelled

  /// Whether the disk, or the user's share of it, is full.
  public var isNoSpace: Bool {
    switch self {
    case .failed(.file(let error)), .unsynced(_, .file(let error)): error.isNoSpace
    case .failed, .unsynced, .tooLarge, .differs, .cancelled: false
    }
  }

  /// The text that people read.
  public var description: String {
    switch self {
    case .failed(let error), .unsynced(_, let error): "\(error)"
    case .tooLarge(let position): "what stands at position \(position) is too large to be packed"
    case .differs(let position): "the block of position \(position) is not the same once it is packed and unpacked"
    case .cancelled: "the packing was cancelled"
    }
  }
}
