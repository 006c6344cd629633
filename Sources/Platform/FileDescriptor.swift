import Glibc

/// An open file descriptor with an owner, which closes it at the end of its life.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number that system calls take.
  public let rawValue: Int32

  /// Takes ownership of an open descriptor.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The descriptor for the calls of ``BorrowedDescriptor``, valid while this owner lives.
  public var borrowed: BorrowedDescriptor { BorrowedDescriptor(rawValue) }

  // What matters was synced before, and a descriptor must not be closed twice: an error leaves nothing to do.
  deinit { _ = close(rawValue) }
}

/// An open file descriptor that something else owns.
public struct BorrowedDescriptor: Hashable, Sendable {
  /// The number that system calls take.
  public let rawValue: Int32

  /// Borrows an open descriptor by its number.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// Standard input.
  public static let standardInput = BorrowedDescriptor(STDIN_FILENO)
  /// Standard output.
  public static let standardOutput = BorrowedDescriptor(STDOUT_FILENO)
  /// Standard error.
  public static let standardError = BorrowedDescriptor(STDERR_FILENO)

  /// Makes calls on the descriptor fail with ``Errno/wouldBlock`` instead of waiting, and closes it in programs that this
  /// process starts (fcntl(2), `O_NONBLOCK` and `FD_CLOEXEC`).
  public func setNonBlocking() throws(Errno) {
    let flags = fcntl(rawValue, F_GETFL)
    try check(flags)
    try check(fcntl(rawValue, F_SETFL, flags | O_NONBLOCK))
    try check(fcntl(rawValue, F_SETFD, FD_CLOEXEC))
  }

  /// Reads up to a buffer's size of bytes (read(2)).
  ///
  /// - Returns: How many bytes were read; 0 only at the end, and for an empty buffer.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try retryingInterrupts { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
  }

  /// Writes all of a buffer (write(2)).
  public func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try retryingInterrupts { Glibc.write(rawValue, rest.baseAddress, rest.count) }
      // No device should do this, and another attempt might loop for ever.
      if count == 0 { throw .inputOutput }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes once, maybe only the buffer's beginning (write(2)).
  ///
  /// - Returns: How many bytes were written.
  public func writeOnce(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try retryingInterrupts { Glibc.write(rawValue, bytes.baseAddress, bytes.count) }
  }

  /// Writes a text (write(2)).
  public func write(_ text: String) throws(Errno) {
    var text = text
    try text.withUTF8 { bytes in
      Result { () throws(Errno) in try write(UnsafeRawBufferPointer(bytes)) }
    }.get()
  }

  /// Reads from an offset, maybe fewer bytes than there are (pread(2)).
  ///
  /// - Returns: How many bytes were read; 0 only at the end, and for an empty buffer.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try retryingInterrupts { pread(rawValue, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Writes at an offset, maybe only the buffer's beginning (pwrite(2)).
  ///
  /// - Returns: How many bytes were written.
  public func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    try retryingInterrupts { pwrite(rawValue, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Waits until the written content is on the disk (fdatasync(2)).
  public func syncContent() throws(Errno) { _ = try retryingInterrupts { fdatasync(rawValue) } }

  /// Waits until everything written, names in a directory included, is on the disk (fsync(2)).
  public func sync() throws(Errno) { _ = try retryingInterrupts { fsync(rawValue) } }

  /// Cuts or extends the file (ftruncate(2)).
  public func truncate(to size: Int64) throws(Errno) { _ = try retryingInterrupts { ftruncate(rawValue, off_t(size)) } }

  /// Reserves space in the file, extending it with zeros (posix_fallocate(3)).
  public func preallocate(from offset: Int64, count: Int64) throws(Errno) {
    _ = try retryingInterrupts { () -> Int32 in
      // Unlike the others, this call returns its error.
      errno = posix_fallocate(rawValue, off_t(offset), off_t(count))
      return errno == 0 ? 0 : -1
    }
  }

  /// Locks the file for this process alone, without waiting (flock(2)). The lock ends by ``unlock()``, or when all copies
  /// of the descriptor are closed.
  ///
  /// - Throws: ``Errno/wouldBlock`` when another process holds the lock.
  public func lock() throws(Errno) { _ = try retryingInterrupts { flock(rawValue, LOCK_EX | LOCK_NB) } }

  /// Releases the lock of ``lock()``, also for copies of the descriptor.
  public func unlock() {
    // It fails only for a descriptor that is closed.
    _ = flock(rawValue, LOCK_UN)
  }
}
