/// An open file. It is closed with its last reference.
public protocol File: AnyObject, Sendable {
  /// The path with which it was opened.
  var path: String { get }

  /// Reads from an offset into a buffer (`pread(2)`), possibly fewer bytes than the file has.
  ///
  /// - Returns: how many bytes were read; 0 only at the end of the file, or for an empty buffer.
  func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int

  /// Writes a buffer at an offset (`pwrite(2)`), possibly only its beginning. After an error any part of it may have been
  /// written.
  ///
  /// - Returns: how many bytes were written.
  func writeSome(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int

  /// Waits until everything written is on the disk (`fdatasync(2)`). Fails if the file has been removed.
  func sync() throws(FileError)

  /// Truncates or extends the file (`ftruncate(2)`).
  func truncate(to size: Int64) throws(FileError)

  /// Reserves space from an offset on, extending the file with zeros (`posix_fallocate(3)`).
  ///
  /// - Returns: whether the file system supports that.
  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool

  /// The file's properties (`fstat(2)`).
  func properties() throws(FileError) -> FileProperties

  /// Locks the file exclusively, without waiting (`flock(2)`). The lock ends with the last reference to the file.
  ///
  /// - Returns: whether the lock was free.
  func lock() throws(FileError) -> Bool
}

/// What tells one file from another, and its size.
public struct FileProperties: Equatable, Sendable {
  /// The device of the file system.
  public var device: UInt64
  /// The number within the file system.
  public var inode: UInt64
  /// The size in bytes.
  public var size: Int64
  /// How many names the file has; 0 for one that was removed.
  public var linkCount: Int

  /// Creates properties.
  public init(device: UInt64, inode: UInt64, size: Int64, linkCount: Int) {
    self.device = device
    self.inode = inode
    self.size = size
    self.linkCount = linkCount
  }
}

extension File {
  /// The file's size in bytes.
  public func size() throws(FileError) -> Int64 { try properties().size }

  /// Reads from an offset into a buffer until it is full or the file ends.
  ///
  /// - Returns: how many bytes were read; fewer than asked for only at the file's end.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try readSome(at: offset + Int64(done), into: rest)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of a buffer at an offset. After an error any part of it may have been written.
  public func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
    var done = 0
    while done < buffer.count {
      let count = try writeSome(UnsafeRawBufferPointer(rebasing: buffer[done...]), at: offset + Int64(done))
      // No file system should return this, and repeating the call might never end.
      if count == 0 { throw FileError(.write, path: path, code: .inputOutput) }
      done += count
    }
  }
}
