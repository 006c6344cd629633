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
      #expect(given.opened == nil, "cancelled after \(operations) of \(whole.operations) operations")
      #expect(given.operations == operations)
      let next = try #require(try Self.open(fileSystem.afterKill(), operations: .max).opened)
      #expect(next.projection.position == opened.projection.position)
      #expect(next.generations == opened.generations)
    }
  }

  /// Opens the log with a start that is cancelled after some operations.
  ///
  /// - Returns: The log, `nil` if the start was cancelled, and how many operations it did.
  private static func open(
    _ fileSystem: FaultyFileSystem, operations limit: Int
  ) throws -> (opened: OpenedLog?, operations: Int) {
    let done = Mutex(0)
    let limited = StartFileSystem(fileSystem) {
      done.withLock { done in
        if done == limit { return true }
        done += 1
        return false
      }
    } transferred: { _ in
    }
    let options = LogOptions(syncMode: .commit, boot: BootID(high: 0, low: 1))
    let result = Result { () throws(OpenError) in
      try EventLog.open(directory: TestDaemon.directory, fileSystem: limited, options: options)
    }
    let operations = done.withLock { $0 }
    switch result {
    case .success(let opened): return (opened, operations)
    case .failure(.file(let error)) where error.code == .canceled,
      .failure(.write(.failed(let error))) where error.code == .canceled:
      return (nil, operations)
    case .failure(let error): throw error
    }
  }
}
