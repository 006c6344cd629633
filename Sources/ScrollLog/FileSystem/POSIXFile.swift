import Platform

/// A file of the operating system.
final class POSIXFile: File {
  let path: String
  private let descriptor: FileDescriptor

  /// Takes ownership of an open descriptor.
  init(_ descriptor: consuming FileDescriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  // A program that is being started holds copies of all descriptors for a moment, which would keep the lock.
  deinit { descriptor.borrowed.unlock() }

  func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    do { return try descriptor.borrowed.read(at: offset, into: buffer) } catch { throw failure(.read, error) }
  }

  func writeSome(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    do { return try descriptor.borrowed.write(buffer, at: offset) } catch { throw failure(.write, error) }
  }

  func sync() throws(FileError) {
    do { try descriptor.borrowed.syncContent() } catch { throw failure(.sync, error) }
    // Data in a removed file is on the disk, but in no directory, and so it is lost.
    if try status().linkCount == 0 { throw FileError(.removed, path: path) }
  }

  func truncate(to size: Int64) throws(FileError) {
    do { try descriptor.borrowed.truncate(to: size) } catch { throw failure(.truncate, error) }
  }

  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool {
    do throws(Errno) {
      try descriptor.borrowed.preallocate(from: offset, count: count)
      return true
    } catch {
      if error == .notSupported || error == .invalidArgument { return false }
      throw failure(.preallocate, error)
    }
  }

  func properties() throws(FileError) -> FileProperties { FileProperties(try status()) }

  /// Reads the status of the file (`fstat(2)`).
  func status() throws(FileError) -> FileStatus {
    do { return try FileStatus(descriptor.borrowed) } catch { throw failure(.size, error) }
  }

  func lock() throws(FileError) -> Bool {
    do throws(Errno) {
      try descriptor.borrowed.lock()
      return true
    } catch {
      if error == .wouldBlock { return false }
      throw failure(.lock, error)
    }
  }

  private func failure(_ operation: FileOperation, _ error: Errno) -> FileError {
    FileError(operation, path: path, code: error)
  }
}

extension FileProperties {
  init(_ status: FileStatus) {
    self.init(device: status.device, inode: status.inode, size: status.size, linkCount: status.linkCount)
  }
}
