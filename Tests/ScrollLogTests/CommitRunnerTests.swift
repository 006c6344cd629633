import Platform
import ScrollLogTesting
import ScrollModel
import Synchronization
import Testing

@testable import ScrollLog

/// Which jobs the loop does itself, and which it leaves to the commit thread.
@Suite struct CommitRunnerTests {
  /// A monotonic clock that advances whenever it is read, so that each job takes as long as a test says.
  private final class Pace: Sendable {
    private let state = Mutex<(now: Int64, step: Int64)>((0, 1))

    var step: Int64 {
      get { state.withLock { $0.step } }
      set { state.withLock { $0.step = newValue } }
    }

    var now: Int64 {
      state.withLock {
        $0.now += $0.step
        return $0.now
      }
    }
  }

  private final class Scene {
    let pace = Pace()
    let fileSystem = FaultyFileSystem()
    let log: OpenedLog
    let runner: CommitRunner
    private var builder: BlockBuilder
    private var feed = RandomFeed(.ofThisRun(12))

    init(_ mode: SyncMode) throws {
      var options = LogFixture.options(mode)
      options.preallocation = 1 << 20
      options.monotonic = { [pace] in pace.now }
      log = try LogFixture.open(fileSystem, options)
      runner = try CommitRunner(log.writer) {}
      builder = LogFixture.builder(log)
      // The first block reserves space, which is the thread's job.
      #expect(run(mayWait: true) == nil)
      _ = takeResults(1)
    }

    deinit {
      runner.submit(.stop)
      runner.join()
    }

    func block() -> Block { feed.block(&builder) }

    func run(mayWait: Bool) -> CommitResult? { runner.run(.write(block()), mayWait: mayWait) }

    /// Waits for results of the thread.
    func takeResults(_ count: Int) -> [CommitResult] {
      var results: [CommitResult] = []
      while results.count < count { results += runner.takeResults() }
      return results
    }

    /// Lets the thread write some blocks, as long as each takes what it takes.
    func runOnThread(_ count: Int) {
      for _ in 0..<count {
        #expect(run(mayWait: false) == nil)
        _ = takeResults(1)
      }
    }
  }

  @Test func aBlockThatIsNotSyncedIsWrittenAtOnce() throws {
    let scene = try Scene(.never)
    for _ in 0..<10 {
      let result = try #require(scene.run(mayWait: false))
      #expect(try result.outcome.get().synced == 0)
    }
  }

  @Test func aSyncedBlockIsWrittenAtOnceOnlyForASingleCallerOnceTheDiskHasShownToBeFast() throws {
    let scene = try Scene(.commit)
    scene.runOnThread(DiskPace.trial - 2)
    #expect(scene.run(mayWait: true) == nil, "not enough syncs yet")
    _ = scene.takeResults(1)
    let result = try #require(scene.run(mayWait: true))
    let status = try result.outcome.get()
    #expect(status.synced == status.written)
    #expect(scene.run(mayWait: false) == nil, "others would wait")
    _ = scene.takeResults(1)
  }

  @Test func afterOneSlowSyncTheThreadDoesTheNextOnes() throws {
    let scene = try Scene(.commit)
    scene.runOnThread(DiskPace.trial)
    scene.pace.step = DiskPace.limit + 1
    #expect(scene.run(mayWait: true) != nil, "nobody could know that it would be slow")
    #expect(scene.run(mayWait: true) == nil)
    _ = scene.takeResults(1)
    scene.pace.step = 1
    scene.runOnThread(DiskPace.trial - 1)
    #expect(scene.run(mayWait: true) == nil)
    _ = scene.takeResults(1)
    #expect(scene.run(mayWait: true) != nil)
  }

  @Test func afterASlowWriteTheThreadDoesTheNextOnes() throws {
    let scene = try Scene(.never)
    scene.pace.step = DiskPace.limit + 1
    #expect(scene.run(mayWait: false) != nil)
    #expect(scene.run(mayWait: false) == nil)
    _ = scene.takeResults(1)
  }

  @Test func whileTheThreadHasAJobEveryBlockGoesThereSoThatTheOrderIsKept() throws {
    let scene = try Scene(.never)
    scene.runner.submit(.noop)
    let first = scene.block()
    let second = scene.block()
    #expect(scene.runner.run(.write(first), mayWait: true) == nil)
    #expect(scene.runner.run(.write(second), mayWait: true) == nil)
    let results = scene.takeResults(3)
    #expect(try results[2].outcome.get().written == second.lastPosition)
    #expect(scene.run(mayWait: true) != nil)
  }

  @Test func aLargeBlockAndOneWithoutReservedSpaceGoToTheThread() throws {
    let scene = try Scene(.never)
    var left = 1 << 20
    while left > 0 {
      let block = scene.block()
      left -= block.byteCount
      if scene.runner.run(.write(block), mayWait: false) == nil {
        _ = scene.takeResults(1)
        return
      }
    }
    Issue.record("no block needed new space; \(scene.log.writer.status)")
  }

  @Test func aDueSyncGoesToTheThreadAndOnlyOnce() throws {
    let scene = try Scene(.interval(microseconds: 100))
    _ = try #require(scene.run(mayWait: false))
    #expect(scene.runner.syncDue != nil)
    scene.pace.step = 0
    scene.runner.syncIfDue()
    #expect(scene.runner.syncDue != nil, "not due yet")
    scene.pace.step = 200
    scene.runner.syncIfDue()
    #expect(scene.runner.syncDue == nil, "the thread's result will tell")
    scene.runner.syncIfDue()
    let results = scene.takeResults(1)
    let status = try results[0].outcome.get()
    #expect(results.count == 1 && status.synced == status.written)
    #expect(scene.runner.syncDue == nil)
  }

  @Test func aFailureOfABlockThatWasWrittenAtOnceIsReportedAndFinal() throws {
    let scene = try Scene(.commit)
    scene.runOnThread(DiskPace.trial)
    scene.fileSystem.failNext(.sync, with: .inputOutput)
    let failure = WriteError.failed(FileError(.sync, path: LogFixture.firstSegment, code: .inputOutput))
    let result = try #require(scene.run(mayWait: true))
    #expect(throws: failure) { try result.outcome.get() }
    let next = scene.run(mayWait: true) ?? scene.takeResults(1)[0]
    #expect(throws: failure) { try next.outcome.get() }
  }
}
