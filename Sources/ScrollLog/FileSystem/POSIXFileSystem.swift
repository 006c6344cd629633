import Glibc

/// The operating system's file system.
public struct POSIXFileSystem: FileSystem {
  /// Creates the file system, which has no state.
  public init() {}

  /// Opens a regular file for reading only (`open(2)`).
  public func openForReading(_ path: String) throws(FileError) -> any File {
    try openRegular(path, O_RDONLY)
  }

  /// Opens a regular file for reading and writing (`open(2)`).
  public func openForWriting(_ path: String) throws(FileError) -> any File {
    try openRegular(path, O_RDWR)
  }

  /// Creates a file with mode 0600 (`open(2)` with `O_CREAT` and `O_EXCL`).
  public func create(_ path: String) throws(FileError) -> any File {
    try open(path, O_RDWR | O_CREAT | O_EXCL, .create)
  }

  /// Renames a file (`rename(2)`).
  public func rename(_ path: String, to newPath: String) throws(FileError) {
    _ = try SystemCall.perform(.rename, path) { Glibc.rename(path, newPath) }
  }

  /// Removes a file (`unlink(2)`).
  public func remove(_ path: String) throws(FileError) {
    _ = try SystemCall.perform(.remove, path) { unlink(path) }
  }

  /// Creates a directory with mode 0700 (`mkdir(2)`).
  public func makeDirectory(_ path: String) throws(FileError) -> Bool {
    do {
      _ = try SystemCall.perform(.makeDirectory, path) { mkdir(path, 0o700) }
      return true
    } catch {
      if error.code == .exists { return false }
      throw error
    }
  }

  /// Syncs the names in a directory (`open(2)`, `fsync(2)`).
  public func syncDirectory(_ path: String) throws(FileError) {
    let descriptor = try SystemCall.perform(.syncDirectory, path) {
      Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { _ = close(descriptor) }
    _ = try SystemCall.perform(.syncDirectory, path) { fsync(descriptor) }
  }

  /// Lists the names in a directory (`opendir(3)`, `readdir(3)`).
  public func list(_ path: String) throws(FileError) -> [String] {
    guard let directory = opendir(path) else { throw FileError(.list, path: path, code: .last) }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      // Only errno distinguishes the end of the directory from an error.
      errno = 0
      guard let entry = readdir(directory) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw FileError(.list, path: path, code: .last) }
    return names
  }

  /// Returns the size and the free space of the file system of a directory (`statvfs(3)`).
  public func space(_ path: String) throws(FileError) -> FileSystemSpace {
    var status = statvfs()
    _ = try SystemCall.perform(.space, path) { statvfs(path, &status) }
    let unit = Int64(clamping: status.f_frsize)
    return FileSystemSpace(
      total: Self.product(unit, Int64(clamping: status.f_blocks)),
      available: Self.product(unit, Int64(clamping: status.f_bavail)))
  }

  private static func product(_ unit: Int64, _ count: Int64) -> Int64 {
    let (bytes, overflow) = unit.multipliedReportingOverflow(by: count)
    return overflow ? .max : bytes
  }

  /// Opens an existing regular file.
  private func openRegular(_ path: String, _ flags: Int32) throws(FileError) -> any File {
    var status = stat()
    let file: POSIXFile
    do throws(FileError) {
      // Non-blocking: opening a FIFO would wait for its other end, and opening a device for its hardware.
      file = try open(path, flags | O_NONBLOCK | O_NOFOLLOW, .open)
    } catch {
      // The error codes for a link, a socket or a directory say little, so find out what it is.
      let isKnown = lstat(path, &status) == 0
      throw FileError(.open, path: path, code: error.code, kind: isKnown ? FileKind(mode: status.st_mode) : nil)
    }
    try file.status(into: &status)
    if let kind = FileKind(mode: status.st_mode) { throw FileError(.open, path: path, code: .invalid, kind: kind) }
    return file
  }

  private func open(_ path: String, _ flags: Int32, _ operation: FileOperation) throws(FileError) -> POSIXFile {
    let descriptor = try SystemCall.perform(operation, path) { Glibc.open(path, flags | O_CLOEXEC, 0o600) }
    return POSIXFile(descriptor: descriptor, path: path)
  }
}
