// What stands under a name that is no regular file.

import Glibc

/// What stands under a name where a regular file should be (`st_mode`, `inode(7)`).
public enum FileKind: Sendable {
  /// A directory.
  case directory
  /// A named pipe, which would keep whoever opens it waiting for somebody at its other end.
  case fifo
  /// A socket.
  case socket
  /// A character or block device.
  case device
  /// A symbolic link. What is forgotten or removed would stay where it leads to.
  case symbolicLink

  /// The kind that a mode tells; `nil` for a regular file.
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
