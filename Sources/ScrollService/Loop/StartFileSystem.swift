// The file system as a start sees it.

import Platform
import ScrollLog

/// The file system as a start sees it: it says how many bytes were read and written, and from the moment on at which the start
/// is given up it does nothing more. The work it leaves to another one.
///
/// To the log that is the same as a crash: what was done before stays done, and nothing follows it.
struct StartFileSystem: FileSystem {
  private let base: any FileSystem
  private let hooks: Hooks

  /// What a start has to do with each operation.
  fileprivate struct Hooks: Sendable {
    let isGivenUp: @Sendable () -> Bool
    let moved: @Sendable (Int) -> Void

    /// Fails an operation of a start that is given up.
    func check(_ operation: FileOperation, _ path: String) throws(FileError) {
      if isGivenUp() { throw FileError(operation, path: path, code: .canceled) }
    }
  }

  /// A file system on another one.
  ///
  /// - Parameters:
  ///   - isGivenUp: Asked before each operation, on whatever thread that is. Once it is true every operation fails with
  ///     `ECANCELED`.
  ///   - moved: Called after each read and write with its count of bytes, on whatever thread that was.
  init(
    _ base: any FileSystem, isGivenUp: @escaping @Sendable () -> Bool, moved: @escaping @Sendable (Int) -> Void
  ) {
    self.base = base
    hooks = Hooks(isGivenUp: isGivenUp, moved: moved)
  }

  func openForReading(_ path: String) throws(FileError) -> any File {
    try hooks.check(.open, path)
    return StartFile(try base.openForReading(path), hooks)
  }

  func openForWriting(_ path: String) throws(FileError) -> any File {
    try hooks.check(.open, path)
    return StartFile(try base.openForWriting(path), hooks)
  }

  func create(_ path: String) throws(FileError) -> any File {
    try hooks.check(.create, path)
    return StartFile(try base.create(path), hooks)
  }

  func rename(_ path: String, to newPath: String) throws(FileError) {
    try hooks.check(.rename, path)
    try base.rename(path, to: newPath)
  }

  func remove(_ path: String) throws(FileError) {
    try hooks.check(.remove, path)
    try base.remove(path)
  }

  func makeDirectory(_ path: String) throws(FileError) -> Bool {
    try hooks.check(.makeDirectory, path)
    return try base.makeDirectory(path)
  }

  func syncDirectory(_ path: String) throws(FileError) {
    try hooks.check(.syncDirectory, path)
    try base.syncDirectory(path)
  }

  func list(_ path: String) throws(FileError) -> [String] {
    try hooks.check(.list, path)
    return try base.list(path)
  }

  func space(_ path: String) throws(FileError) -> FileSystemSpace {
    try hooks.check(.space, path)
    return try base.space(path)
  }
}

/// A file of it.
private final class StartFile: File {
  private let base: any File
  private let hooks: StartFileSystem.Hooks

  init(_ base: any File, _ hooks: StartFileSystem.Hooks) {
    self.base = base
    self.hooks = hooks
  }

  var path: String { base.path }

  func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try hooks.check(.read, path)
    let count = try base.readSome(at: offset, into: buffer)
    hooks.moved(count)
    return count
  }

  func writeSome(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    try hooks.check(.write, path)
    let count = try base.writeSome(buffer, at: offset)
    hooks.moved(count)
    return count
  }

  func sync() throws(FileError) {
    try hooks.check(.sync, path)
    try base.sync()
  }

  func truncate(to size: Int64) throws(FileError) {
    try hooks.check(.truncate, path)
    try base.truncate(to: size)
  }

  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool {
    try hooks.check(.preallocate, path)
    return try base.preallocate(from: offset, count: count)
  }

  func size() throws(FileError) -> Int64 {
    try hooks.check(.size, path)
    return try base.size()
  }

  func lock() throws(FileError) -> Bool {
    try hooks.check(.lock, path)
    return try base.lock()
  }
}
