import Glibc

/// How a file is opened (open(2)).
public struct OpenOptions: OptionSet, Sendable {
  /// The C library's constant.
  public let rawValue: Int32

  /// The value of one of the C library's constants.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Only reads; needs no option of its own (`O_RDONLY`).
  public static let readOnly = OpenOptions(rawValue: O_RDONLY)
  /// Only writes (`O_WRONLY`).
  public static let writeOnly = OpenOptions(rawValue: O_WRONLY)
  /// Reads and writes (`O_RDWR`).
  public static let readWrite = OpenOptions(rawValue: O_RDWR)
  /// Makes a missing file (`O_CREAT`).
  public static let create = OpenOptions(rawValue: O_CREAT)
  /// Fails when the file exists (`O_EXCL`).
  public static let exclusive = OpenOptions(rawValue: O_EXCL)
  /// Writes to the end of the file (`O_APPEND`).
  public static let append = OpenOptions(rawValue: O_APPEND)
  /// Empties an existing file (`O_TRUNC`).
  public static let truncate = OpenOptions(rawValue: O_TRUNC)
  /// Never waits, neither for the other end of a FIFO nor for a device (`O_NONBLOCK`).
  public static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
  /// Fails for a symbolic link (`O_NOFOLLOW`).
  public static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
  /// Fails for anything but a directory (`O_DIRECTORY`).
  public static let directory = OpenOptions(rawValue: O_DIRECTORY)
}

extension FileDescriptor {
  /// Opens a file, closed on exec (open(2)).
  ///
  /// - Parameter permissions: The mode of a new file.
  public init(opening path: String, _ options: OpenOptions, permissions: UInt32 = 0o600) throws(Errno) {
    self.init(try retryingInterrupts { open(path, options.rawValue | O_CLOEXEC, permissions) })
  }
}

/// What kind of file a path names (inode(7)).
public enum FileKind: Sendable {
  /// A regular file.
  case regular
  /// A directory.
  case directory
  /// A named pipe, whose open waits for the other end.
  case fifo
  /// A Unix socket.
  case socket
  /// A character or block device.
  case device
  /// A symbolic link.
  case symbolicLink

  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .regular
    case S_IFDIR: self = .directory
    case S_IFIFO: self = .fifo
    case S_IFSOCK: self = .socket
    case S_IFLNK: self = .symbolicLink
    default: self = .device
    }
  }
}

/// A file's properties (stat(2)).
public struct FileStatus: Sendable {
  /// The kind of file.
  public let kind: FileKind
  /// The size in bytes.
  public let size: Int64
  /// The permissions, and the bits for set-user-ID, set-group-ID and sticky.
  public let permissions: UInt32
  /// The id of the user who owns the file.
  public let owner: UInt32
  /// The id of the group that owns the file.
  public let group: UInt32
  /// How many names the file has; 0 for one that was removed.
  public let linkCount: Int
  /// The device of the file system.
  public let device: UInt64
  /// The number within the file system.
  public let inode: UInt64
  /// The device that the file itself is, if it is one.
  public let ownDevice: UInt64

  private init(_ status: stat) {
    kind = FileKind(mode: status.st_mode)
    size = Int64(status.st_size)
    permissions = UInt32(status.st_mode) & 0o7777
    owner = UInt32(status.st_uid)
    group = UInt32(status.st_gid)
    linkCount = Int(status.st_nlink)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    ownDevice = UInt64(status.st_rdev)
  }

  /// The properties of the file at a path, which may be a symbolic link to it.
  public init(_ path: String) throws(Errno) {
    var status = stat()
    try check(stat(path, &status))
    self.init(status)
  }

  /// The properties of what a path names, even if that is a symbolic link.
  public init(unresolved path: String) throws(Errno) {
    var status = stat()
    try check(lstat(path, &status))
    self.init(status)
  }

  /// The properties of an open file.
  public init(_ descriptor: BorrowedDescriptor) throws(Errno) {
    var status = stat()
    try check(fstat(descriptor.rawValue, &status))
    self.init(status)
  }
}

/// The space of a file system, in bytes.
public struct FileSystemSpace: Equatable, Sendable {
  /// The whole size.
  public var total: Int64
  /// What is free for processes without privileges.
  public var available: Int64

  /// A file system's space of this size.
  public init(total: Int64, available: Int64) {
    self.total = total
    self.available = available
  }
}

/// Calls on files by their names.
public enum Files {
  /// Gives a file another name, replacing the file that had it (rename(2)).
  public static func rename(_ path: String, to newPath: String) throws(Errno) {
    _ = try retryingInterrupts { Glibc.rename(path, newPath) }
  }

  /// Removes a file's name (unlink(2)).
  public static func remove(_ path: String) throws(Errno) {
    _ = try retryingInterrupts { unlink(path) }
  }

  /// Whether a path names anything that this process can reach (access(2)).
  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether this process may run a file (access(2)).
  public static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Changes a file's permissions (chmod(2)).
  public static func setPermissions(_ permissions: UInt32, of path: String) throws(Errno) {
    try check(chmod(path, permissions))
  }

  /// Changes a file's owner and group; of a symbolic link, its own (lchown(2)).
  public static func setOwner(_ user: UInt32, group: UInt32, of path: String) throws(Errno) {
    try check(lchown(path, user, group))
  }

  /// Returns a path from the root, without symbolic links (realpath(3)).
  public static func resolve(_ path: String) throws(Errno) -> String {
    guard let resolved = realpath(path, nil) else { throw .last }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the space of the file system that a path is on (statvfs(3)).
  public static func space(of path: String) throws(Errno) -> FileSystemSpace {
    var status = statvfs()
    _ = try retryingInterrupts { statvfs(path, &status) }
    func bytes(_ count: fsblkcnt_t) -> Int64 {
      let (bytes, overflow) = Int64(clamping: status.f_frsize).multipliedReportingOverflow(by: Int64(clamping: count))
      return overflow ? .max : bytes
    }
    return FileSystemSpace(total: bytes(status.f_blocks), available: bytes(status.f_bavail))
  }
}

/// Calls on directories.
public enum Directory {
  /// Makes a directory (mkdir(2)).
  ///
  /// - Returns: Whether it is new; `false` when the path exists already.
  @discardableResult
  public static func make(_ path: String, permissions: UInt32) throws(Errno) -> Bool {
    do {
      _ = try retryingInterrupts { mkdir(path, permissions) }
      return true
    } catch {
      if error == .fileExists { return false }
      throw error
    }
  }

  /// Makes a directory with a random name, only for its owner (mkdtemp(3)).
  ///
  /// - Returns: Its path, which begins with `prefix`.
  public static func makeTemporary(prefix: String) throws(Errno) -> String {
    var template = Array("\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .last }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes an empty directory (rmdir(2)).
  public static func remove(_ path: String) throws(Errno) { try check(rmdir(path)) }

  /// Removes a directory with everything in it, as far as possible.
  public static func removeTree(_ path: String) {
    for name in (try? names(in: path)) ?? [] {
      let entry = "\(path)/\(name)"
      if (try? FileStatus(unresolved: entry))?.kind == .directory {
        removeTree(entry)
      } else {
        try? Files.remove(entry)
      }
    }
    try? remove(path)
  }

  /// Returns the names in a directory without `.` and `..`, in no particular order (readdir(3)).
  public static func names(in path: String) throws(Errno) -> [String] {
    guard let directory = opendir(path) else { throw .last }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      // Only errno tells the end of the directory from an error.
      errno = 0
      guard let entry = readdir(directory) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw .last }
    return names
  }
}
