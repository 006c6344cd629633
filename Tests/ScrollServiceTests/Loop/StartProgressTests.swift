// A long start tells how it gets ahead, and only while it does.

import ScrollLog
import ScrollLogTesting
import Synchronization
import Testing

@testable import ScrollService

@Suite struct StartProgressTests {
  @Test func isToldEveryTenSecondsWhileBytesMove() {
    let progress = StartProgress(began: 5_000_000)
    #expect(progress.moved(100, at: 5_000_000) == nil)
    #expect(progress.moved(100, at: 14_999_999) == nil)
    #expect(progress.moved(100, at: 15_000_000) == 300)
    #expect(progress.moved(1, at: 24_999_999) == nil)
    // Nothing is told for the time in which nothing moved.
    #expect(progress.moved(1, at: 100_000_000) == 302)
    progress.end()
    #expect(progress.moved(1, at: 200_000_000) == nil)
  }

  @Test func aFileSystemCountsWhatIsReadAndWritten() throws {
    let counted = Mutex(0)
    let fileSystem = ProgressFileSystem(FaultyFileSystem()) { count in counted.withLock { $0 += count } }
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
}
