import Platform
import ScrollLog
import Synchronization

/// The file system during a start: passes all operations to another one, counts the bytes that are read and written,
/// and fails every operation once the start is cancelled.
///
/// A start can be cancelled until it changes the log: until a file gets its name, or one that had its name is written to.
/// From then on the log counts as in use, and only a clean stop ends that. What is left to do then takes a moment.
struct StartFileSystem: FileSystem {
  private let base: any FileSystem
  private let hooks: Hooks

  /// The closures that are called for each operation.
  fileprivate final class Hooks: Sendable {
    let didTransfer: @Sendable (Int) -> Void
    private let isCancelled: @Sendable () -> Bool
    private let hasChangedLog = Atomic(false)

    init(isCancelled: @escaping @Sendable () -> Bool, didTransfer: @escaping @Sendable (Int) -> Void) {
      self.isCancelled = isCancelled
      self.didTransfer = didTransfer
    }

    /// Fails the operation if the start is cancelled.
    func check(_ operation: FileOperation, _ path: String) throws(FileError) {
      if !hasChangedLog.load(ordering: .relaxed), isCancelled() {
        throw FileError(operation, path: path, code: .canceled)
      }
    }

    /// Records that the log is changed, so that the start has to be completed.
    func didChangeLog() { hasChangedLog.store(true, ordering: .relaxed) }
  }

  /// Creates a file system on top of another one.
  ///
  /// - Parameters:
  ///   - isCancelled: Called before each operation, on its thread, until the log is changed. Once it returns `true`, every
  ///     operation fails with `ECANCELED`.
  ///   - transferred: Called after each read and write with its number of bytes, on its thread.
  init(
    _ base: any FileSystem, isCancelled: @escaping @Sendable () -> Bool, transferred: @escaping @Sendable (Int) -> Void
  ) {
    self.base = base
    hooks = Hooks(isCancelled: isCancelled, didTransfer: transferred)
  }

  func openForReading(_ path: String) throws(FileError) -> any File {
    try hooks.check(.open, path)
    return StartFile(try base.openForReading(path), hooks, isNew: false)
  }

  func openForWriting(_ path: String) throws(FileError) -> any File {
    try hooks.check(.open, path)
    return StartFile(try base.openForWriting(path), hooks, isNew: false)
  }

  func create(_ path: String) throws(FileError) -> any File {
    try hooks.check(.create, path)
    return StartFile(try base.create(path), hooks, isNew: true)
  }

  func rename(_ path: String, to newPath: String) throws(FileError) {
    try hooks.check(.rename, path)
    try base.rename(path, to: newPath)
    hooks.didChangeLog()
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

  func properties(of path: String) throws(FileError) -> FileProperties {
    try hooks.check(.look, path)
    return try base.properties(of: path)
  }

  func space(_ path: String) throws(FileError) -> FileSystemSpace {
    try hooks.check(.space, path)
    return try base.space(path)
  }
}

/// A file during a start.
private final class StartFile: File {
  private let base: any File
  private let hooks: StartFileSystem.Hooks
  /// Whether the start has created it. Until it is renamed, it is no part of the log.
  private let isNew: Bool

  init(_ base: any File, _ hooks: StartFileSystem.Hooks, isNew: Bool) {
    self.base = base
    self.hooks = hooks
    self.isNew = isNew
  }

  var path: String { base.path }

  func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try hooks.check(.read, path)
    let count = try base.readSome(at: offset, into: buffer)
    hooks.didTransfer(count)
    return count
  }

  func writeSome(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    try hooks.check(.write, path)
    if !isNew { hooks.didChangeLog() }
    let count = try base.writeSome(buffer, at: offset)
    hooks.didTransfer(count)
    return count
  }

  func sync() throws(FileError) {
    try hooks.check(.sync, path)
    try base.sync()
  }

  func truncate(to size: Int64) throws(FileError) {
    try hooks.check(.truncate, path)
    if !isNew { hooks.didChangeLog() }
    try base.truncate(to: size)
  }

  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool {
    try hooks.check(.preallocate, path)
    return try base.preallocate(from: offset, count: count)
  }

  func properties() throws(FileError) -> FileProperties {
    try hooks.check(.size, path)
    return try base.properties()
  }

  func lock() throws(FileError) -> Bool {
    try hooks.check(.lock, path)
    return try base.lock()
  }
}
