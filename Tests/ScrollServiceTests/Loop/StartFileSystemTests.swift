import ScrollLog
import ScrollLogTesting
import ScrollModel
import Synchronization
import Testing

@testable import ScrollService

@Suite struct StartFileSystemTests {
  @Test func readsAndWritesAreCounted() throws {
    let counted = Mutex(0)
    let fileSystem = StartFileSystem(FaultyFileSystem()) {
      false
    } transferred: { count in
      counted.withLock { $0 += count }
    }
    #expect(try fileSystem.makeDirectory("/d"))
    let file = try fileSystem.create("/d/f")
    try [UInt8](repeating: 1, count: 30).withUnsafeBytes { try file.write($0, at: 0) }
    #expect(counted.withLock { $0 } == 30)
    try file.sync()
    var buffer = [UInt8](repeating: 0, count: 50)
    let read = try buffer.withUnsafeMutableBytes { try fileSystem.openForReading("/d/f").read(at: 10, into: $0) }
    #expect(read == 20 && buffer[19] == 1)
    #expect(counted.withLock { $0 } == 50)
    #expect(try file.size() == 30)
    #expect(try fileSystem.list("/d") == ["f"])
  }

  @Test func aStartCancelledAtAnyPointLosesNothing() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect(user: 1000)
    let session = try client.call("Open", ["client": "given/up"])["session"]
    for _ in 0..<3 { try client.call("Append", ["session": session, "events": .array([Gestures.scroll(1)])]) }
    let killed = daemon.fileSystem.afterKill()
    let whole = try Self.open(killed.afterKill(), operations: .max)
    let opened = try #require(whole.opened)
    #expect(opened.projection.position == daemon.service.lastPosition)

    // The start may do this many operations, and is cancelled at the next one.
    for operations in 0..<whole.operations {
      let fileSystem = killed.afterKill()
      let given = try Self.open(fileSystem, operations: operations)
      #expect(given.opened != nil || given.operations == operations)
      let next = try #require(try Self.open(fileSystem.afterKill(), operations: .max).opened)
      #expect(next.projection.position == opened.projection.position)
      #expect(next.generations == opened.generations)
    }
  }

  /// What a start finds.
  enum Found: CaseIterable { case nothing, stoppedLog, killedLog }

  private static func fileSystem(_ found: Found) throws -> FaultyFileSystem {
    let fileSystem = FaultyFileSystem()
    if found == .nothing { return fileSystem }
    let opened = try #require(try open(fileSystem, operations: .max).opened)
    if found != .killedLog { try opened.writer.stop() }
    return fileSystem.afterKill()
  }

  /// A stop just after a new log had got its name, or just after the mark of a start had been written, left a log that
  /// looked as after a crash.
  @Test(arguments: Found.allCases) func aStartThatIsCancelledLeavesNothingToRecoverOrIsCompleted(found: Found) throws {
    let before = try Self.fileSystem(found)
    let whole = try Self.open(before.afterKill(), operations: .max)
    var completed = 0
    for operations in 0..<whole.operations {
      let fileSystem = before.afterKill()
      let given = try Self.open(fileSystem, operations: operations)
      // The loop receives the signal.
      try given.opened?.writer.stop()
      if given.opened != nil { completed += 1 }
      let next = try #require(try Self.open(fileSystem.afterKill(), operations: .max).opened)
      let isRecovered = next.notes.contains { if case .recovered = $0 { true } else { false } }
      let place: Comment = "cancelled after \(operations) of \(whole.operations) operations"
      #expect(isRecovered == (found == .killedLog && given.opened == nil), place)
    }
    // It can be cancelled for most of the time.
    #expect(completed > 0 && completed * 2 < whole.operations, "\(completed) of \(whole.operations)")
  }

  /// Opens the log with a start that is cancelled after some operations.
  ///
  /// - Returns: The log, `nil` if the start was cancelled, and how many operations it did in all.
  private static func open(
    _ fileSystem: FaultyFileSystem, operations limit: Int
  ) throws -> (opened: OpenedLog?, operations: Int) {
    let before = fileSystem.operations.count
    let limited = StartFileSystem(fileSystem) {
      fileSystem.operations.count - before >= limit
    } transferred: { _ in
    }
    let options = LogOptions(syncMode: .commit, boot: BootID(high: 0, low: 1))
    let result = Result { () throws(OpenError) in
      try EventLog.open(directory: TestDaemon.directory, fileSystem: limited, options: options)
    }
    let operations = fileSystem.operations.count - before
    switch result {
    case .success(let opened): return (opened, operations)
    case .failure(.file(let error)) where error.code == .canceled,
      .failure(.write(.failed(let error))) where error.code == .canceled:
      return (nil, operations)
    case .failure(let error): throw error
    }
  }
}
