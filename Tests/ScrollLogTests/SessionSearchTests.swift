import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Skipping the parts of the log that hold no records of some sessions.
@Suite struct SessionSearchTests {
  /// What a reader with a search found, and how much it read.
  private struct Found {
    var records: [StoredRecord] = []
    var blocks = 0
    var checkpoint: Checkpoint
  }

  /// Reads and folds the log for some sessions only.
  private static func read(
    _ log: OpenedLog, sessionsPerStep: Int = .max, _ isWanted: @escaping (SessionID) -> Bool
  ) throws -> Found {
    let last = log.nextPosition - 1
    var search = SessionSearch(log.segments.view, sessionsPerStep: sessionsPerStep) { id, _ in isWanted(id) }
    var reader = LogReader(log.segments.view, after: 0)
    var projection = Projection(.empty)
    var observer = NoObserver()
    var found = Found(checkpoint: .empty)
    while true {
      if let reading = try search.checkpointReading(after: projection.position, through: last) {
        let checkpoint = try reading.checkpoint()
        #expect(checkpoint.position > projection.position)
        projection = Projection(checkpoint)
        reader = LogReader(log.segments.view, after: checkpoint.position)
        continue
      }
      switch try reader.next(through: last) {
      case .block(let block):
        found.blocks += 1
        try projection.apply(block, observer: &observer)
        var records = block.records()
        while let stored = try records.next() {
          if isWanted(stored.session) { found.records.append(stored) }
        }
      case .skipped: break
      case .atHorizon:
        found.checkpoint = projection.checkpoint()
        return found
      }
    }
  }

  @Test(arguments: [1, 3]) func aSearchThatExaminesFewSessionsAtATimeFindsTheSameRecords(sessionsPerStep: Int) throws {
    let scene = try PackedScene()
    for session in Set(scene.feed.expected.map(\.session)).prefix(5) {
      var examined = 0
      let found = try Self.read(scene.log, sessionsPerStep: sessionsPerStep) {
        examined += 1
        return $0 == session
      }
      #expect(found.records == scene.feed.expected.filter { $0.session == session })
      #expect(found.checkpoint == scene.log.projection.checkpoint())
      #expect(examined > sessionsPerStep)
    }
  }

  @Test func aCallExaminesSoManySessionsAndTheBlocksNeedNotBeReadMeanwhile() throws {
    let scene = try PackedScene()
    let sessions = try scene.packed(1).index.sessions.count
    var examined = 0
    var search = SessionSearch(scene.log.segments.view, sessionsPerStep: 2) { _, _ in
      examined += 1
      return false
    }
    var calls = 1
    while try !search.examineSome(after: 0) { calls += 1 }
    #expect(calls == (sessions + 1) / 2 && examined <= sessions)
    #expect(try search.endOfNothing(after: 0) > 0)
    // The segment that is written has no index, and there is nothing to examine.
    let active = try #require(scene.log.segments.firstPositions.last)
    #expect(try search.examineSome(after: active - 1))
  }

  @Test func aSearchFindsTheSameRecordsAndReadsFewerBlocks() throws {
    let scene = try PackedScene()
    let whole = try Self.read(scene.log) { _ in true }
    #expect(whole.records == scene.feed.expected)
    let sessions = Set(scene.feed.expected.map(\.session))
    var blocks = 0
    for session in sessions {
      let found = try Self.read(scene.log) { $0 == session }
      #expect(found.records == scene.feed.expected.filter { $0.session == session })
      #expect(found.checkpoint == scene.log.projection.checkpoint())
      blocks += found.blocks
    }
    #expect(blocks < sessions.count * whole.blocks)
    // For an unknown session only the segment that is being written is read.
    let none = try Self.read(scene.log) { _ in false }
    let start = try #require(scene.log.segments.firstPositions.last) - 1
    var reader = LogReader(scene.log.segments.view, after: start)
    var active = 0
    while case .block = try reader.next(through: scene.log.nextPosition - 1) { active += 1 }
    #expect(none.records.isEmpty)
    #expect(none.blocks == active)
  }

  /// Blocks that are not needed may be bad.
  @Test func skippedBlocksAreNotUnpacked() throws {
    let scene = try PackedScene()
    for first in scene.sealed {
      for block in try scene.packed(first).index.blocks {
        scene.fileSystem[LogFixture.logPath + "/" + SegmentName.of(first)]?[
          Int(block.offset) + BlockHeader.Offset.payload] ^= 1
      }
    }
    #expect(try Self.read(scene.log) { _ in false }.records.isEmpty)
    let error = try thrown(ReadError.self) { _ = try Self.read(scene.log) { _ in true } }
    guard case .logDamaged = error else {
      Issue.record(error)
      return
    }
  }

  @Test func withoutAnIndexEverythingIsRead() throws {
    let scene = try PackedScene()
    for first in scene.sealed {
      let path = LogFixture.logPath + "/" + SegmentName.of(first)
      let size = try #require(scene.fileSystem[path]?.count)
      scene.fileSystem[path]?[size - IndexPlace.blockSize + BlockHeader.Offset.syncedOffset] ^= 1
    }
    let whole = try Self.read(scene.log) { _ in true }
    let session = try #require(scene.feed.expected.first).session
    let found = try Self.read(scene.log) { $0 == session }
    #expect(found.records == scene.feed.expected.filter { $0.session == session })
    #expect(found.blocks == whole.blocks)
  }

  /// Only parts without records of the sessions are skipped, and there are some.
  @Test func aPartWithRecordsIsNeverSkipped() throws {
    let scene = try PackedScene()
    var random = SeededGenerator.ofThisRun(91)
    let last = scene.log.nextPosition - 1
    var passed = 0
    for _ in 0..<500 {
      let session = try #require(scene.feed.expected.randomElement(using: &random)).session
      var search = SessionSearch(scene.log.segments.view) { id, _ in id == session }
      let start = Position.random(in: 0..<last, using: &random)
      let end = Position.random(in: start...last, using: &random)
      var reached = start
      while reached < end {
        let next = try search.endOfNothing(after: reached)
        if next == reached { break }
        reached = next
      }
      guard end > start, reached >= end else { continue }
      passed += 1
      #expect(!scene.feed.expected[Int(start)..<Int(end)].contains { $0.session == session })
    }
    #expect(passed > 0)
  }
}
