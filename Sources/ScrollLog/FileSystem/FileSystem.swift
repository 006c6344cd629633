import Platform

/// The file system operations that the log needs. ``POSIXFileSystem`` is the real file system; tests use one that fails.
public protocol FileSystem: Sendable {
  /// Opens a file for reading only (`open(2)`). Fails for anything but a regular file, and for symbolic links.
  func openForReading(_ path: String) throws(FileError) -> any File

  /// Opens a file for reading and writing (`open(2)`). Fails for anything but a regular file, and for symbolic links.
  func openForWriting(_ path: String) throws(FileError) -> any File

  /// Creates a file for reading and writing (`open(2)` with `O_EXCL`). Fails if the file exists.
  func create(_ path: String) throws(FileError) -> any File

  /// Renames a file, replacing any file with the new name (`rename(2)`).
  func rename(_ path: String, to newPath: String) throws(FileError)

  /// Removes a file (`unlink(2)`).
  func remove(_ path: String) throws(FileError)

  /// Creates a directory that only its owner can enter (`mkdir(2)`, mode 0700).
  ///
  /// - Returns: whether it was created; `false` if it existed.
  func makeDirectory(_ path: String) throws(FileError) -> Bool

  /// Waits until the names in a directory are on the disk (`fsync(2)`).
  func syncDirectory(_ path: String) throws(FileError)

  /// Lists the names in a directory, without `.` and `..`, in no particular order (`readdir(3)`).
  func list(_ path: String) throws(FileError) -> [String]

  /// Returns the properties of the file that a path names; a symbolic link is not followed (`lstat(2)`).
  func properties(of path: String) throws(FileError) -> FileProperties

  /// Returns the size and the free space of the file system of a directory (`statvfs(3)`).
  func space(_ path: String) throws(FileError) -> FileSystemSpace
}
