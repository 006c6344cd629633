// A file system that says how many bytes were read and written.

import ScrollLog

/// A file system that says how many bytes were read and written, and leaves the work to another one.
struct ProgressFileSystem: FileSystem {
  private let base: any FileSystem
  private let moved: @Sendable (Int) -> Void

  /// A file system on another one.
  ///
  /// - Parameter moved: Called after each read and write with its count of bytes, on whatever thread that was.
  init(_ base: any FileSystem, moved: @escaping @Sendable (Int) -> Void) {
    self.base = base
    self.moved = moved
  }

  func openForReading(_ path: String) throws(FileError) -> any File {
    ProgressFile(try base.openForReading(path), moved)
  }

  func openForWriting(_ path: String) throws(FileError) -> any File {
    ProgressFile(try base.openForWriting(path), moved)
  }

  func create(_ path: String) throws(FileError) -> any File { ProgressFile(try base.create(path), moved) }

  func rename(_ path: String, to newPath: String) throws(FileError) { try base.rename(path, to: newPath) }

  func remove(_ path: String) throws(FileError) { try base.remove(path) }

  func makeDirectory(_ path: String) throws(FileError) -> Bool { try base.makeDirectory(path) }

  func syncDirectory(_ path: String) throws(FileError) { try base.syncDirectory(path) }

  func list(_ path: String) throws(FileError) -> [String] { try base.list(path) }

  func space(_ path: String) throws(FileError) -> FileSystemSpace { try base.space(path) }
}

/// A file of it.
private final class ProgressFile: File {
  private let base: any File
  private let moved: @Sendable (Int) -> Void

  init(_ base: any File, _ moved: @escaping @Sendable (Int) -> Void) {
    self.base = base
    self.moved = moved
  }

  var path: String { base.path }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    let count = try base.read(at: offset, into: buffer)
    moved(count)
    return count
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
    try base.write(buffer, at: offset)
    moved(buffer.count)
  }

  func sync() throws(FileError) { try base.sync() }

  func truncate(to size: Int64) throws(FileError) { try base.truncate(to: size) }

  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool {
    try base.preallocate(from: offset, count: count)
  }

  func size() throws(FileError) -> Int64 { try base.size() }

  func lock() throws(FileError) -> Bool { try base.lock() }
}
