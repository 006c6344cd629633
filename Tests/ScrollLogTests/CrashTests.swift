import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// A crash at every operation of a small workload, with and without power loss.
@Suite struct CrashTests {
  /// What a workload did before the crash.
  private struct Trace {
    var written: [StoredRecord] = []
    var acknowledged: Position = 0
    var seen: Position = 0
    var generation: Generation = 1
  }

  /// Opens, writes, rolls, stops, opens again and continues to write.
  private func work(_ fileSystem: FaultyFileSystem, _ mode: SyncMode, seed: UInt64, into trace: inout Trace) throws {
    var feed = RandomFeed(SeededGenerator(seed: seed))
    var observer = NoObserver()
    for round in 0..<2 {
      let log = try LogFixture.open(fileSystem, LogFixture.options(mode))
      trace.generation = log.generations.current
      var builder = LogFixture.builder(log)
      for index in 0..<8 {
        let block = feed.block(&builder, calls: 2)
        trace.written = feed.expected
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
        trace.acknowledged = log.writer.status.synced
        trace.seen = mode == .commit ? log.writer.status.synced : log.writer.status.written
        log.segments.addBlock(block, log.writer.status, closed: [])
        if index % 2 == 0, let snapshot = log.segments.snapshot(of: log.projection.checkpoint()) {
          log.segments.addSnapshot(try log.writer.write(snapshot))
        }
        if index == 3 {
          let bytes = log.writer.status.segmentBytes
          try log.writer.roll(log.projection.checkpoint())
          log.segments.add(
            log.writer.status, sealing: SealedSegment(bytes: bytes, lastReceived: log.projection.received))
          trace.acknowledged = log.writer.status.synced
        }
      }
      // The first round ends with a clean shutdown, the second does not.
      if round == 0 { try log.writer.stop() }
      trace.acknowledged = log.writer.status.synced
    }
  }

  private func check(
    _ fileSystem: FaultyFileSystem, _ mode: SyncMode, _ trace: Trace, boot: UInt64, _ place: Comment
  ) throws {
    let log = try LogFixture.open(fileSystem, LogFixture.options(mode, boot: boot))
    let records = try LogFixture.records(log)
    #expect(records == Array(trace.written.prefix(records.count)), place)
    #expect(records.count >= Int(trace.acknowledged), place)
    #expect(log.projection.position == Int64(records.count), place)
    if records.count < Int(trace.seen) {
      #expect(log.generations.current > trace.generation, place)
      let kept = try #require(log.generations.lastPosition(sharedWith: trace.generation))
      #expect(kept <= Int64(records.count), place)
    }
    // A fold from the start equals one from the last checkpoint.
    let whole = Projection(.empty)
    var observer = NoObserver()
    var reader = LogReader(log.segments.view, after: 0)
    while case .block(let block) = try reader.next(through: log.nextPosition - 1) {
      try whole.apply(block, observer: &observer)
    }
    #expect(whole.checkpoint() == log.projection.checkpoint(), place)
    #expect(fileSystem.names(in: LogFixture.logPath).allSatisfy { !$0.hasSuffix(".tmp") }, place)
  }

  @Test(arguments: [SyncMode.commit, .interval(microseconds: 1_000_000), .never])
  func acknowledgedRecordsSurviveEveryCrash(mode: SyncMode) throws {
    let seed = SeededGenerator.seed
    let complete = FaultyFileSystem()
    var whole = Trace()
    try work(complete, mode, seed: seed, into: &whole)
    let operations = complete.operations.count
    var random = SeededGenerator.ofThisRun(2)
    for index in random.some(of: operations, each: 12) {
      let fileSystem = FaultyFileSystem()
      fileSystem.crash(at: index)
      var trace = Trace()
      #expect(throws: (any Error).self) { try work(fileSystem, mode, seed: seed, into: &trace) }
      let place: Comment = "\(mode), operation \(index) of \(operations)"
      try check(fileSystem.afterKill(), mode, trace, boot: 1, place)
      for _ in 0..<3 {
        try check(fileSystem.afterPowerLoss(&random), mode, trace, boot: 2, place)
      }
    }
    #expect(operations > 60)
  }

  /// Recovery itself is interrupted at each of its operations, several times in a row.
  @Test func interruptedRecoveriesLoseNothing() throws {
    let seed = SeededGenerator.seed
    var random = SeededGenerator.ofThisRun(3)
    for round in 0..<6 {
      let fileSystem = FaultyFileSystem()
      fileSystem.crash(at: 40 + round * 7)
      var trace = Trace()
      #expect(throws: (any Error).self) { try work(fileSystem, .commit, seed: seed, into: &trace) }
      var crashed = fileSystem.afterPowerLoss(&random)
      var index = 0
      while (try? openUnlessCrashing(crashed, at: index)) == nil, index < 100 {
        crashed = crashed.afterPowerLoss(&random)
        index += 1
      }
      #expect(index < 100)
      #expect(index > 5)
      try check(crashed.afterPowerLoss(&random), .commit, trace, boot: 2, "round \(round)")
    }
  }

  private func openUnlessCrashing(_ fileSystem: FaultyFileSystem, at index: Int) throws -> Position {
    fileSystem.crash(at: index)
    return try LogFixture.open(fileSystem).nextPosition
  }
}
