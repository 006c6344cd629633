// A file of the operating system.

import Glibc

/// A file of the operating system.
final class POSIXFile: File {
  let path: String
  private let descriptor: Int32

  /// Takes over an open descriptor, which it closes at its end.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // What matters was synced before, and a descriptor must not be closed twice: nothing is left to do on an error.
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
    // What is written to a file that somebody has removed is on the disk and yet in no directory, so it is lost.
    var status = stat()
    try self.status(into: &status)
    if status.st_nlink == 0 { throw FileError(.sync, path: path, code: .noSuchFile) }
  }

  func truncate(to size: Int64) throws(FileError) {
    _ = try SystemCall.perform(.truncate, path) { ftruncate(descriptor, off_t(size)) }
  }

  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool {
    // Unlike the others, this call returns its error and leaves errno alone.
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

  /// What the system knows of the file (`fstat(2)`).
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
