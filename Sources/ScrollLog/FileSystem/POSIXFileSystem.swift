import Platform

/// The operating system's file system.
public struct POSIXFileSystem: FileSystem {
  /// Creates the file system, which has no state.
  public init() {}

  /// Opens a regular file for reading only (`open(2)`).
  public func openForReading(_ path: String) throws(FileError) -> any File {
    try openRegular(path, .readOnly)
  }

  /// Opens a regular file for reading and writing (`open(2)`).
  public func openForWriting(_ path: String) throws(FileError) -> any File {
    try openRegular(path, .readWrite)
  }

  /// Creates a file with mode 0600 (`open(2)` with `O_CREAT` and `O_EXCL`).
  public func create(_ path: String) throws(FileError) -> any File {
    try open(path, [.readWrite, .create, .exclusive], .create)
  }

  /// Renames a file (`rename(2)`).
  public func rename(_ path: String, to newPath: String) throws(FileError) {
    do { try Files.rename(path, to: newPath) } catch { throw FileError(.rename, path: path, code: error) }
  }

  /// Removes a file (`unlink(2)`).
  public func remove(_ path: String) throws(FileError) {
    do { try Files.remove(path) } catch { throw FileError(.remove, path: path, code: error) }
  }

  /// Creates a directory with mode 0700 (`mkdir(2)`).
  public func makeDirectory(_ path: String) throws(FileError) -> Bool {
    do { return try Directory.make(path, permissions: 0o700) } catch {
      throw FileError(.makeDirectory, path: path, code: error)
    }
  }

  /// Syncs the names in a directory (`open(2)`, `fsync(2)`).
  public func syncDirectory(_ path: String) throws(FileError) {
    do throws(Errno) {
      let directory = try FileDescriptor(opening: path, [.readOnly, .directory])
      try directory.borrowed.sync()
    } catch {
      throw FileError(.syncDirectory, path: path, code: error)
    }
  }

  /// Lists the names in a directory (`opendir(3)`, `readdir(3)`).
  public func list(_ path: String) throws(FileError) -> [String] {
    do { return try Directory.names(in: path) } catch { throw FileError(.list, path: path, code: error) }
  }

  /// Returns the properties of the file that a path names (`lstat(2)`).
  public func properties(of path: String) throws(FileError) -> FileProperties {
    do { return FileProperties(try FileStatus(unresolved: path)) } catch {
      throw FileError(.look, path: path, code: error)
    }
  }

  /// Returns the size and the free space of the file system of a directory (`statvfs(3)`).
  public func space(_ path: String) throws(FileError) -> FileSystemSpace {
    do { return try Files.space(of: path) } catch { throw FileError(.space, path: path, code: error) }
  }

  /// Opens an existing regular file.
  private func openRegular(_ path: String, _ options: OpenOptions) throws(FileError) -> any File {
    let file: POSIXFile
    do throws(FileError) {
      // Non-blocking: opening a FIFO would wait for its other end, and opening a device for its hardware.
      file = try open(path, options.union([.nonBlocking, .noFollow]), .open)
    } catch {
      // The error codes for a link, a socket or a directory say little, so find out what it is.
      throw FileError(.open, path: path, code: error.code, kind: (try? FileStatus(unresolved: path))?.kind)
    }
    let kind = try file.status().kind
    if kind != .regular { throw FileError(.open, path: path, code: .invalidArgument, kind: kind) }
    return file
  }

  private func open(
    _ path: String, _ options: OpenOptions, _ operation: FileOperation
  ) throws(FileError) -> POSIXFile {
    do { return POSIXFile(try FileDescriptor(opening: path, options), path: path) } catch {
      throw FileError(operation, path: path, code: error)
    }
  }
}
