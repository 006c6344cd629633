/// An operation on a file or a directory.
public enum FileOperation: Sendable, CaseIterable {
  /// `open(2)` of an existing file.
  case open
  /// `open(2)` of a new file.
  case create
  /// `pread(2)`.
  case read
  /// `pwrite(2)`.
  case write
  /// `fdatasync(2)`.
  case sync
  /// `fsync(2)` of a directory.
  case syncDirectory
  /// `rename(2)`.
  case rename
  /// `unlink(2)`.
  case remove
  /// `ftruncate(2)`.
  case truncate
  /// `posix_fallocate(3)`.
  case preallocate
  /// `fstat(2)`.
  case size
  /// `lstat(2)`.
  case look
  /// `flock(2)`.
  case lock
  /// `mkdir(2)`.
  case makeDirectory
  /// `opendir(3)` and `readdir(3)`.
  case list
  /// `statvfs(3)`.
  case space

  /// The operation as a verb, to be followed by a path.
  public var verb: String {
    switch self {
    case .open: "open"
    case .create: "create"
    case .read: "read"
    case .write: "write"
    case .sync: "sync"
    case .syncDirectory: "sync the directory"
    case .rename: "rename"
    case .remove: "remove"
    case .truncate: "truncate"
    case .preallocate: "reserve space for"
    case .size: "find the size of"
    case .look: "look at"
    case .lock: "lock"
    case .makeDirectory: "make the directory"
    case .list: "list"
    case .space: "find the free space of"
    }
  }
}
