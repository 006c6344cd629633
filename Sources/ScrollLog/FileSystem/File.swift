// An open file, as the log uses it.

/// An open file. It is closed when its last reference goes.
public protocol File: AnyObject, Sendable {
  /// The path that it was opened by.
  var path: String { get }

  /// Reads from an offset into a buffer until it is full or the file ends (`pread(2)`).
  ///
  /// - Returns: how many bytes were read; fewer than asked for only at the file's end.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int

  /// Writes all of a buffer at an offset (`pwrite(2)`). After an error any part of it may have been written.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError)

  /// Waits until what was written is on the disk (`fdatasync(2)`). A file that was removed meanwhile is an error.
  func sync() throws(FileError)

  /// Cuts or extends the file (`ftruncate(2)`).
  func truncate(to size: Int64) throws(FileError)

  /// Reserves space from an offset on, extending the file with zeros (`posix_fallocate(3)`).
  ///
  /// - Returns: whether the file system can do that.
  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool

  /// The file's size in bytes (`fstat(2)`).
  func size() throws(FileError) -> Int64

  /// Locks the file for this process alone, without waiting (`flock(2)`). The lock ends with the file's last reference.
  ///
  /// - Returns: whether the lock was free.
  func lock() throws(FileError) -> Bool
}
