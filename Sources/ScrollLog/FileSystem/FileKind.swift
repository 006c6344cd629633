import Glibc

/// What is in the place of a regular file (`st_mode`, `inode(7)`).
public enum FileKind: Sendable {
  /// A directory.
  case directory
  /// A named pipe. Opening it would wait for another process to open its other end.
  case fifo
  /// A socket.
  case socket
  /// A character or block device.
  case device
  /// A symbolic link. Forgotten or removed records would remain in its target.
  case symbolicLink

  /// Creates a kind from a mode; `nil` for a regular file.
  init?(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: self = .directory
    case S_IFIFO: self = .fifo
    case S_IFSOCK: self = .socket
    case S_IFLNK: self = .symbolicLink
    default: self = .device
    }
  }

  /// The kind as a noun.
  var noun: String {
    switch self {
    case .directory: "a directory"
    case .fifo: "a FIFO"
    case .socket: "a socket"
    case .device: "a device"
    case .symbolicLink: "a symbolic link"
    }
  }
}
