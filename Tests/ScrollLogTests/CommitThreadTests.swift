import Glibc
import Platform
import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The writer on its thread, with real files.
@Suite struct CommitThreadTests {
  /// A bell that the thread rings, as it writes to the eventfd of the loop.
  private final class Bell: Sendable {
    private let monitor = Monitor()
    private nonisolated(unsafe) var rings = 0

    func ring() {
      monitor.locked {
        rings += 1
        monitor.signal()
      }
    }

    func wait() {
      monitor.locked {
        while rings == 0 { monitor.wait() }
        rings = 0
      }
    }
  }

  private func results(_ thread: CommitThread, _ bell: Bell, count: Int) -> [CommitResult] {
    var all: [CommitResult] = []
    while all.count < count {
      bell.wait()
      all += thread.takeResults()
    }
    return all
  }

  @Test func resultsComeInTheOrderOfTheJobs() throws {
    let directory = try TemporaryDirectory()
    let options = LogOptions(syncMode: .commit, boot: try BootID.current())
    let path = directory.path + "/state"
    let opened = try EventLog.open(directory: path, fileSystem: POSIXFileSystem(), options: options)
    let bell = Bell()
    let thread = try CommitThread(opened.writer) { bell.ring() }
    var builder = LogFixture.builder(opened)
    var feed = RandomFeed(.ofThisRun(9))
    var observer = NoObserver()
    var blocks: [Block] = []
    for _ in 0..<20 {
      let block = feed.block(&builder)
      blocks.append(block)
      try opened.projection.apply(block.view, observer: &observer)
      thread.submit(.write(block))
    }
    thread.submit(.roll(opened.projection.checkpoint()))
    thread.submit(.noop)
    let last = feed.block(&builder)
    thread.submit(.write(last))
    thread.submit(.stop)
    let all = results(thread, bell, count: 24)
    thread.join()
    for (result, block) in zip(all, blocks) {
      guard case .write(let written) = result.job else {
        Issue.record("\(result.job)")
        return
      }
      #expect(written.firstPosition == block.firstPosition)
      #expect(try result.outcome.get().synced == block.lastPosition)
    }
    #expect(try all[20].outcome.get().segment == blocks[19].lastPosition + 1)
    #expect(try all[23].outcome.get().synced == last.lastPosition)
    opened.segments.add(try all[20].outcome.get().segment)
    #expect(try LogFixture.records(opened.segments, through: last.lastPosition) == feed.expected)
  }

  @Test func afterAFailureAllLaterJobsFail() throws {
    let fileSystem = FaultyFileSystem()
    let opened = try LogFixture.open(fileSystem)
    let bell = Bell()
    let thread = try CommitThread(opened.writer) { bell.ring() }
    var builder = LogFixture.builder(opened)
    var feed = RandomFeed(.ofThisRun(11))
    fileSystem.failNext(.sync, with: .inputOutput)
    thread.submit(.write(feed.block(&builder)))
    thread.submit(.write(feed.block(&builder)))
    thread.submit(.sync)
    thread.submit(.stop)
    let all = results(thread, bell, count: 4)
    thread.join()
    let failure = WriteError.failed(FileError(.sync, path: LogFixture.firstSegment, code: .inputOutput))
    for result in all { #expect(throws: failure) { try result.outcome.get() } }
  }
}
