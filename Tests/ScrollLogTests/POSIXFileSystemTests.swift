import Glibc
import Platform
import ScrollModel
import Testing

@testable import ScrollLog

/// The real file system, with the behaviour that the log expects.
@Suite struct POSIXFileSystemTests {
  private let directory: TemporaryDirectory
  private let fileSystem = POSIXFileSystem()

  init() throws { directory = try TemporaryDirectory() }

  @Test func filesCanBeWrittenReadTruncatedAndRenamed() throws {
    let path = directory.path + "/a"
    let file = try fileSystem.create(path)
    try [UInt8]("hello world".utf8).withUnsafeBytes { try file.write($0, at: 3) }
    #expect(try file.size() == 14)
    #expect(try file.preallocate(from: 14, count: 100))
    #expect(try file.size() == 114)
    try file.sync()
    try file.truncate(to: 8)
    try fileSystem.rename(path, to: path + "b")
    try fileSystem.syncDirectory(directory.path)
    #expect(try fileSystem.list(directory.path) == ["ab"])
    let again = try fileSystem.openForReading(path + "b")
    var bytes = [UInt8](repeating: 9, count: 20)
    let count = try bytes.withUnsafeMutableBytes { try again.read(at: 0, into: $0) }
    #expect(count == 8)
    #expect(String(decoding: bytes.prefix(8), as: UTF8.self) == "\0\0\0hello")
    try fileSystem.remove(path + "b")
    #expect(try fileSystem.list(directory.path) == [])
  }

  @Test func syncingARemovedFileFails() throws {
    let log = try EventLog.open(
      directory: directory.path, fileSystem: fileSystem,
      options: LogOptions(syncMode: .commit, boot: BootID(high: 1, low: 1)))
    let opening = Opening(client: ClientID(user: 0, name: "c"), time: 1, policy: .safari)
    var builder = BlockBuilder(nextPosition: log.nextPosition, received: 0)
    builder.append(opening, of: SessionID(high: 0, low: 1))
    let finished = builder.finish(received: 1)
    let block = try #require(finished)
    let segment = directory.path + "/log/" + SegmentName.of(1)
    try fileSystem.remove(segment)
    let error = try thrown(WriteError.self) { try log.writer.write(block) }
    #expect(error == .failed(FileError(.removed, path: segment)))
    let file = try fileSystem.create(segment)
    try fileSystem.remove(segment)
    #expect(throws: FileError(.removed, path: segment)) { try file.sync() }
  }

  /// A start and a repair failed because of them.
  @Test func linksAndDirectoriesWithNamesOfSetAsideOrIncompleteFilesAreNoPartOfTheLog() throws {
    let options = LogOptions(syncMode: .commit, boot: BootID(high: 1, low: 1))
    var log: OpenedLog? = try EventLog.open(directory: directory.path, fileSystem: fileSystem, options: options)
    try log?.writer.stop()
    log = nil
    let link = directory.path + "/log/" + SegmentName.kept(after: 1, time: 2, attempt: 0, SegmentName.tornSuffix)
    #expect(symlink("/etc/hostname", link) == 0)
    let unfinished = directory.path + "/log/" + SegmentName.of(9) + SegmentName.temporarySuffix
    #expect(try fileSystem.makeDirectory(unfinished))
    let report = try LogRepair.run(directory: directory.path, fileSystem: fileSystem, options: options)
    #expect(report.repair == nil)
    let again = try EventLog.open(directory: directory.path, fileSystem: fileSystem, options: options)
    #expect(again.nextPosition == 1)
    #expect(again.notes.isEmpty)
    rmdir(unfinished)
  }

  @Test func aFileThatAnotherProgramChangesIsNoticed() throws {
    let path = directory.path + "/a"
    let whole = [UInt8](repeating: 7, count: 100)
    func write(_ change: () throws -> Void) throws -> FileError? {
      _ = try whole.withUnsafeBytes { try fileSystem.create(path).write($0, at: 0) }
      let opened = try fileSystem.openForWriting(path)
      var file = SegmentFile(opened, of: fileSystem, end: 100, allocatedEnd: 100, preallocation: 4096)
      let bytes = Bytes(capacity: 8)
      bytes.base.initializeMemory(as: UInt8.self, repeating: 7, count: 8)
      try file.append(bytes, 8)
      try change()
      defer { for name in ["a", "b"] { try? fileSystem.remove(directory.path + "/" + name) } }
      do {
        try file.append(bytes, 8)
        try file.sync()
        return nil
      } catch {
        // A pattern in the catch clause crashes the compiler of Swift 6.0.
        guard case .failed(let failure) = error else { throw error }
        return failure
      }
    }
    #expect(try write {} == nil)
    #expect(
      try write { try fileSystem.openForWriting(path).truncate(to: 0) }?.interference == .cut(from: 4196, to: 116))
    #expect(try write { try fileSystem.remove(path) }?.interference == .removed)
    #expect(try write { try fileSystem.rename(path, to: directory.path + "/b") }?.interference == .removed)
    let replace = {
      _ = try whole.withUnsafeBytes { try fileSystem.create(directory.path + "/b").write($0, at: 0) }
      try fileSystem.rename(directory.path + "/b", to: path)
    }
    #expect(try write(replace)?.interference == .removed)
    let exchange = {
      try fileSystem.rename(path, to: directory.path + "/b")
      _ = try fileSystem.create(path)
    }
    #expect(try write(exchange)?.interference == .replaced)
  }

  @Test func errorsNameTheOperationThePathAndTheReason() throws {
    let missing = directory.path + "/missing"
    let error = try thrown(FileError.self) { _ = try fileSystem.openForReading(missing) }
    #expect(error == FileError(.open, path: missing, code: .noSuchFile))
    #expect(error.description == "cannot open \(missing): No such file or directory")
    #expect(throws: FileError(.list, path: missing, code: .noSuchFile)) { try fileSystem.list(missing) }
    #expect(throws: FileError(.remove, path: missing, code: .noSuchFile)) { try fileSystem.remove(missing) }
    _ = try fileSystem.create(missing)
    #expect(throws: FileError(.create, path: missing, code: .fileExists)) { try fileSystem.create(missing) }
    let readOnly = try fileSystem.openForReading(missing)
    #expect(throws: FileError.self) { try [1].withUnsafeBytes { try readOnly.write($0, at: 0) } }
  }

  /// Creates something other than a regular file.
  private static func put(_ kind: FileKind, at path: String) throws {
    switch kind {
    case .regular: Issue.record("a regular file is none of these")
    case .directory: try #require(mkdir(path, 0o700) == 0)
    case .fifo: try #require(mkfifo(path, 0o600) == 0)
    case .symbolicLink:
      _ = try POSIXFileSystem().create(path + "-elsewhere")
      try #require(symlink(path + "-elsewhere", path) == 0)
    case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    case .device:
      // Only root can create one; tests use /dev/null instead.
      Issue.record("no device is made")
    }
  }

  /// A FIFO used to make the start wait forever for another process to open its other end.
  @Test(.timeLimit(.minutes(1)), arguments: [FileKind.directory, .fifo, .socket, .symbolicLink])
  func onlyRegularFilesAreOpened(kind: FileKind) throws {
    let path = directory.path + "/x"
    try Self.put(kind, at: path)
    let error = try thrown(FileError.self) { _ = try fileSystem.openForReading(path) }
    #expect(error.kind == kind)
    #expect(error.description.hasPrefix("cannot open \(path): it is a "))
    #expect(error.description.hasSuffix(", not a regular file"))
    #expect(try thrown(FileError.self) { _ = try fileSystem.openForWriting(path) }.kind == kind)
  }

  @Test func aDeviceIsNotOpened() throws {
    let error = try thrown(FileError.self) { _ = try fileSystem.openForReading("/dev/null") }
    #expect(error.description == "cannot open /dev/null: it is a device, not a regular file")
  }

  /// In the place of a segment it fails the start with a message; in the place of snapshots, which are derived, it does not.
  @Test(.timeLimit(.minutes(1)), arguments: [FileKind.fifo, .socket, .symbolicLink])
  func aLogWithSomethingElseThanASegmentFileIsNotOpened(kind: FileKind) throws {
    let options = LogOptions(syncMode: .commit, boot: try BootID.current())
    func open() throws(OpenError) -> OpenedLog {
      try EventLog.open(directory: directory.path, fileSystem: fileSystem, options: options)
    }
    try open().writer.stop()
    let snapshots = directory.path + "/log/" + SegmentName.snapshots(1)
    try Self.put(kind, at: snapshots)
    var log: OpenedLog? = try open()
    #expect(log?.report.basis == .scan(reason: "cannot open \(snapshots): it is \(kind.noun), not a regular file"))
    try log?.writer.stop()
    // The log holds the lock.
    log = nil
    let segment = directory.path + "/log/" + SegmentName.of(1)
    try fileSystem.rename(segment, to: segment + ".away")
    try Self.put(kind, at: segment)
    let error = try thrown(OpenError.self) { _ = try open() }
    #expect(
      error.description.hasPrefix("cannot open \(segment): it is \(kind.noun), not a regular file; move it away, "))
  }

  /// Somebody else's entries in `log/` keep no start from being done.
  @Test(.timeLimit(.minutes(1)), arguments: [FileKind.directory, .fifo, .socket, .symbolicLink])
  func entriesThatAreNoFilesOfTheLogDoNotMatter(kind: FileKind) throws {
    let options = LogOptions(syncMode: .commit, boot: try BootID.current())
    func open() throws(OpenError) -> OpenedLog {
      try EventLog.open(directory: directory.path, fileSystem: fileSystem, options: options)
    }
    try open().writer.stop()
    let torn = SegmentName.kept(after: 3, time: 5, attempt: 0, SegmentName.tornSuffix)
    let damaged = SegmentName.kept(after: 4, time: 5, attempt: 0, SegmentName.damagedSuffix)
    let unfinished = SegmentName.of(7) + SegmentName.temporarySuffix
    for name in [torn, damaged, unfinished, "notes"] { try Self.put(kind, at: directory.path + "/log/" + name) }
    for _ in 0..<2 {
      let log = try open()
      #expect(log.segments.firstPositions == [1])
      #expect(log.notes.allSatisfy { if case .removedUnfinished = $0 { kind != .directory } else { false } })
      try log.writer.stop()
    }
    let names = try fileSystem.list(directory.path + "/log")
    #expect(Set([torn, damaged, "notes"]).isSubset(of: names))
    #expect(names.contains(unfinished) == (kind == .directory))
  }

  @Test func aDirectoryIsMadeOnce() throws {
    #expect(try fileSystem.makeDirectory(directory.path + "/d"))
    #expect(try !fileSystem.makeDirectory(directory.path + "/d"))
  }

  @Test func aLockHasOneHolder() throws {
    let path = directory.path + "/lock"
    var first: (any File)? = try fileSystem.create(path)
    #expect(try first?.lock() == true)
    let second = try fileSystem.openForWriting(path)
    #expect(try !second.lock())
    first = nil
    #expect(try second.lock())
  }

  @Test func theKernelReportsItsBootID() throws {
    #expect(try BootID.current() == BootID.current())
  }

  @Test func aLogWorksOnRealFiles() throws {
    let path = directory.path + "/state/"
    let options = LogOptions(syncMode: .commit, boot: try BootID.current())
    var feed = RandomFeed(.ofThisRun(12))
    for round in 0..<3 {
      let log = try EventLog.open(directory: path, fileSystem: fileSystem, options: options)
      #expect(try LogFixture.records(log) == feed.expected)
      #expect(throws: OpenError.locked(path: path + "/lock")) {
        try EventLog.open(directory: path, fileSystem: fileSystem, options: options)
      }
      var builder = LogFixture.builder(log)
      for _ in 0..<10 { try log.writer.write(feed.block(&builder)) }
      if round == 1 { try log.writer.stop() }
    }
  }
}
