import Glibc

/// A file of the operating system.
final class POSIXFile: File {
  let path: String
  private let descriptor: Int32

  /// Takes ownership of an open descriptor.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // Errors do not matter: all data was synced before, and a descriptor must not be closed twice.
    _ = close(descriptor)
  }

  func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try SystemCall.perform(.read, path) { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  func writeSome(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    try SystemCall.perform(.write, path) { pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  func sync() throws(FileError) {
    _ = try SystemCall.perform(.sync, path) { fdatasync(descriptor) }
    // Data in a removed file is on the disk, but in no directory, and so it is lost.
    var status = stat()
    try self.status(into: &status)
    if status.st_nlink == 0 { throw FileError(.sync, path: path, code: .noSuchFile) }
  }

  func truncate(to size: Int64) throws(FileError) {
    _ = try SystemCall.perform(.truncate, path) { ftruncate(descriptor, off_t(size)) }
  }

  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool {
    // Unlike the other calls, this one returns its error and does not set errno.
    while true {
      let code = ErrorCode(rawValue: posix_fallocate(descriptor, off_t(offset), off_t(count)))
      switch code {
      case .success: return true
      case .interrupted: continue
      case .notSupported, .invalid: return false
      default: throw FileError(.preallocate, path: path, code: code)
      }
    }
  }

  func size() throws(FileError) -> Int64 {
    var status = stat()
    try self.status(into: &status)
    return Int64(status.st_size)
  }

  /// Reads the status of the file (`fstat(2)`).
  func status(into status: inout stat) throws(FileError) {
    _ = try SystemCall.perform(.size, path) { fstat(descriptor, &status) }
  }

  func lock() throws(FileError) -> Bool {
    do {
      _ = try SystemCall.perform(.lock, path) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == .wouldBlock { return false }
      throw error
    }
  }
}
