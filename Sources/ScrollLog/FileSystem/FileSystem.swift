// What the log asks of a file system, so that tests can break it.

/// What the log asks of a file system. ``POSIXFileSystem`` is the real one.
public protocol FileSystem: Sendable {
  /// Opens a file for reading only (`open(2)`). Anything but a regular file is an error, a symbolic link to one, too.
  func openForReading(_ path: String) throws(FileError) -> any File

  /// Opens a file for reading and writing (`open(2)`). Anything but a regular file is an error, a symbolic link to one, too.
  func openForWriting(_ path: String) throws(FileError) -> any File

  /// Makes a new file for reading and writing; a file that is there already is an error (`open(2)` with `O_EXCL`).
  func create(_ path: String) throws(FileError) -> any File

  /// Gives a file another name, replacing what had that name (`rename(2)`).
  func rename(_ path: String, to newPath: String) throws(FileError)

  /// Removes a file (`unlink(2)`).
  func remove(_ path: String) throws(FileError)

  /// Makes a directory that only its owner can enter (`mkdir(2)`, mode 0700).
  ///
  /// - Returns: whether it was made now; `false` when it was there already.
  func makeDirectory(_ path: String) throws(FileError) -> Bool

  /// Waits until the names in a directory are on the disk (`fsync(2)`).
  func syncDirectory(_ path: String) throws(FileError)

  /// The names in a directory, without `.` and `..`, in no particular order (`readdir(3)`).
  func list(_ path: String) throws(FileError) -> [String]

  /// How much room the file system of a directory has (`statvfs(3)`).
  func space(_ path: String) throws(FileError) -> FileSystemSpace
}
