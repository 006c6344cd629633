import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Removing old segments, and what remains of the log.
@Suite struct RetentionTests {
  static let seed = SeededGenerator.seed

  /// A log of several segments with some blocks each, the last of which is still being written.
  private struct Scene {
    let fileSystem: FaultyFileSystem
    let log: OpenedLog
    let feed: RandomFeed

    init(segments: Int = 5, seed: UInt64 = RetentionTests.seed) throws {
      fileSystem = FaultyFileSystem()
      log = try LogFixture.open(fileSystem)
      var builder = LogFixture.builder(log)
      var feed = RandomFeed(SeededGenerator(seed: seed))
      var observer = NoObserver()
      for index in 0..<segments {
        if index > 0 {
          try log.writer.roll(log.projection.checkpoint())
          let sealed = SealedSegment(
            bytes: log.writer.status.sealedBytes, lastReceived: log.projection.received)
          log.segments.add(log.writer.status.segment, sealing: sealed)
        }
        for _ in 0..<4 {
          let block = feed.block(&builder)
          try log.writer.write(block)
          try log.projection.apply(block.view, observer: &observer)
        }
      }
      self.feed = feed
    }

    func size(_ first: Position) -> Int64 {
      Int64(fileSystem[LogFixture.logPath + "/" + SegmentName.of(first)]?.count ?? 0)
    }

    /// When the last record of a segment was received.
    func lastReceived(_ index: Int) -> Int64 {
      feed.expected[Int(log.segments.firstPositions[index + 1]) - 2].received
    }
  }

  private func trim(
    _ segments: SegmentList, active: Int64 = 0, available: Int64? = nil, now: Int64 = 0,
    _ change: (inout RetentionLimits) -> Void
  ) -> [TrimmedSegment] {
    var limits = RetentionLimits.none
    change(&limits)
    return segments.trim(to: limits, activeBytes: active, available: available, now: now)
  }

  @Test func withoutLimitsEverythingStays() throws {
    let scene = try Scene()
    #expect(trim(scene.log.segments, active: 1 << 40, available: 0, now: .max) { _ in }.isEmpty)
    #expect(scene.log.segments.firstPosition == 1)
  }

  @Test func theOldestSegmentsGoUntilTheRestIsSmallEnough() throws {
    let scene = try Scene()
    let segments = scene.log.segments
    let firsts = segments.firstPositions
    let sizes = firsts.dropLast().map(scene.size)
    #expect(segments.sealedBytes == sizes.reduce(0, +))
    // One byte less than the last three sealed segments and the active one take.
    let limit = sizes[1] + sizes[2] + sizes[3] + 1000
    #expect(trim(segments, active: 1000) { $0.maximumUse = limit + sizes[0] }.isEmpty)
    let trimmed = trim(segments, active: 1000) { $0.maximumUse = limit - 1 }
    #expect(trimmed.map(\.firstPosition) == Array(firsts[..<2]))
    #expect(trimmed.map(\.lastPosition) == [firsts[1] - 1, firsts[2] - 1])
    #expect(trimmed.map(\.bytes) == Array(sizes[..<2]))
    #expect(trimmed.map(\.reason) == [.use, .use])
    #expect(segments.firstPositions == Array(firsts[2...]))
    // The last segment stays, whatever its size.
    #expect(trim(segments, active: 1 << 40) { $0.maximumUse = 0 }.count == 2)
    #expect(segments.firstPositions == [firsts[4]])
  }

  @Test func spaceIsFreedButNotBelowTheFloor() throws {
    let scene = try Scene()
    let segments = scene.log.segments
    let sizes = segments.firstPositions.dropLast().map(scene.size)
    #expect(trim(segments, available: 500) { $0.keepFree = 500 }.isEmpty)
    let trimmed = trim(segments, available: 499) { $0.keepFree = 500 }
    #expect(trimmed.map(\.reason) == [.free])
    // The floor holds even if nothing is free.
    let floor = sizes[2] + sizes[3]
    #expect(
      trim(segments, available: 0) { limits in
        limits.keepFree = 1 << 40
        limits.floor = floor
      }.count == 1)
    #expect(segments.sealedBytes == floor)
    // An unknown amount of free space does not count.
    #expect(trim(segments, available: nil) { $0.keepFree = 1 << 40 }.isEmpty)
  }

  @Test func segmentsGoWhenAllTheirRecordsAreTooOld() throws {
    let scene = try Scene()
    let segments = scene.log.segments
    let times = (0..<4).map(scene.lastReceived)
    #expect(trim(segments, now: times[0] + 100) { $0.maximumAge = 100 }.isEmpty)
    let trimmed = trim(segments, now: times[1] + 101) { $0.maximumAge = 100 }
    #expect(trimmed.map(\.reason) == [.age, .age])
    #expect(trim(segments, now: .min) { $0.maximumAge = 100 }.isEmpty)
    #expect(trim(segments, now: .max) { $0.maximumAge = 0 }.count == 2)
  }

  /// A start finds out the sizes and ages of the segments. If damage hides the age of one, that of a later one counts.
  @Test func aStartKnowsTheSegmentsSizesAndAges() throws {
    let scene = try Scene()
    let times = (0..<4).map(scene.lastReceived)
    let again = try LogFixture.open(scene.fileSystem.afterKill())
    #expect(again.segments.sealedBytes == scene.log.segments.sealedBytes)
    let firstOfLast = scene.feed.expected[Int(scene.log.segments.firstPositions[4]) - 1]
    #expect(again.segments.lastSegmentSince == firstOfLast.received)
    #expect(trim(again.segments, now: times[0] + 1) { $0.maximumAge = 0 }.count == 1)

    let damaged = scene.fileSystem.afterKill()
    damaged.damageBlock(0, in: LogFixture.firstSegment)
    let segments = try LogFixture.open(damaged).segments
    #expect(trim(segments, now: times[0] + 1) { $0.maximumAge = 0 }.isEmpty)
    #expect(trim(segments, now: times[1] + 1) { $0.maximumAge = 0 }.count == 2)
  }

  @Test func filesThatWereSetAsideGoWithTheirSegments() throws {
    let scene = try Scene(segments: 3)
    let fileSystem = scene.fileSystem.afterKill()
    let second = scene.log.segments.firstPositions[1]
    let names = [
      SegmentName.kept(after: second - 3, time: 1, attempt: 0, SegmentName.tornSuffix),
      SegmentName.kept(after: second - 1, time: 1, attempt: 2, SegmentName.damagedSuffix),
      SegmentName.kept(after: second, time: 1, attempt: 0, SegmentName.damagedSuffix),
    ]
    for name in names { fileSystem[LogFixture.logPath + "/" + name] = [UInt8](repeating: 7, count: 1000) }
    let log = try LogFixture.open(fileSystem)
    #expect(log.segments.sealedBytes == scene.log.segments.sealedBytes + 3000)
    let trimmed = trim(log.segments) { $0.maximumUse = log.segments.sealedBytes - 1 }
    #expect(trimmed.first?.bytes == scene.size(1) + 2000)
    try log.upkeep.remove(#require(trimmed.first))
    let left = fileSystem.names(in: LogFixture.logPath)
    #expect(!left.contains(names[0]) && !left.contains(names[1]) && left.contains(names[2]))
    #expect(!left.contains(SegmentName.of(1)))
  }

  @Test func readersOfRemovedSegmentsGetAnError() throws {
    let scene = try Scene()
    let segments = scene.log.segments
    let last = scene.log.nextPosition - 1
    let third = segments.firstPositions[2]
    var middle = LogReader(segments.view, after: 0)
    guard case .block = try middle.next(through: last) else {
      Issue.record("no block")
      return
    }
    // This reader has read everything that goes, and is about to open the next segment.
    var atEnd = LogReader(segments.view, after: third - 2)
    guard case .block(let block) = try atEnd.next(through: last) else {
      Issue.record("no block")
      return
    }
    #expect(block.lastPosition == third - 1)
    let trimmed = trim(segments) { $0.maximumUse = segments.sealedBytes - scene.size(1) - 1 }
    #expect(trimmed.count == 2)
    for segment in trimmed { try scene.log.upkeep.remove(segment) }
    #expect(throws: ReadError.positionTrimmed(first: third)) { _ = try middle.next(through: last) }
    #expect(throws: ReadError.positionTrimmed(first: third)) {
      _ = try segments.view.checkpoint(before: third - 1)
    }
    guard case .block(let next) = try atEnd.next(through: last) else {
      Issue.record("no block")
      return
    }
    #expect(next.firstPosition == third)
    #expect(try LogFixture.records(segments, through: last) == Array(scene.feed.expected[(Int(third) - 1)...]))
  }

  /// Open sessions continue from the first remaining checkpoint as if nothing had been removed.
  @Test func theRestFoldsToTheSameStates() throws {
    let scene = try Scene()
    let checkpoint = scene.log.projection.checkpoint()
    let segments = scene.log.segments
    for segment in trim(segments, { $0.maximumUse = 0 }) { try scene.log.upkeep.remove(segment) }
    let again = try LogFixture.open(scene.fileSystem.afterKill())
    #expect(again.segments.firstPositions == segments.firstPositions)
    #expect(again.projection.checkpoint() == checkpoint)
    #expect(again.notes.allSatisfy { if case .sealedDamage = $0 { false } else { true } })
  }

  @Test func aFailedRemovalCanBeRepeated() throws {
    let scene = try Scene()
    let segments = scene.log.segments
    let trimmed = trim(segments) { $0.maximumUse = segments.sealedBytes - 1 }
    let first = try #require(trimmed.first)
    for operation in [FileOperation.remove, .syncDirectory] {
      scene.fileSystem.failNext(operation, with: .inputOutput)
      let error = try thrown(FileError.self) { try scene.log.upkeep.remove(first) }
      #expect(error.operation == operation)
    }
    try scene.log.upkeep.remove(first)
    #expect(scene.fileSystem[LogFixture.firstSegment] == nil)
    // Writing still works.
    try scene.log.writer.sync()
  }

  /// After a crash at each operation, with and without a power loss, the end of the log remains, without a hole.
  @Test func aCrashDuringARemovalLeavesTheEndOfTheLog() throws {
    var random = SeededGenerator.ofThisRun(41)
    let expected = try Scene().feed.expected
    for index in 0..<8 {
      let scene = try Scene()
      let segments = scene.log.segments
      let firsts = segments.firstPositions
      let checkpoint = scene.log.projection.checkpoint()
      scene.fileSystem.crash(at: index)
      let place: Comment = "operation \(index)"
      #expect(throws: FileError.self, place) {
        for segment in trim(segments, { $0.maximumUse = 0 }) { try scene.log.upkeep.remove(segment) }
      }
      var found = [scene.fileSystem.afterKill()]
      for _ in 0..<8 { found.append(scene.fileSystem.afterPowerLoss(&random)) }
      for fileSystem in found {
        let log = try LogFixture.open(fileSystem)
        #expect(log.segments.firstPositions == Array(firsts.suffix(log.segments.firstPositions.count)), place)
        #expect(try LogFixture.records(log) == Array(expected[(Int(log.segments.firstPosition) - 1)...]), place)
        #expect(log.projection.checkpoint() == checkpoint, place)
        let verified = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
        #expect(verified.allSatisfy { $0.problems.isEmpty }, place)
      }
    }
  }

  @Test func theSpaceOfARealFileSystemIsReported() throws {
    let space = try POSIXFileSystem().space("/")
    #expect(space.total > 0)
    #expect((0...space.total).contains(space.available))
    #expect(throws: FileError(.space, path: "/no such directory", code: .noSuchFile)) {
      try POSIXFileSystem().space("/no such directory")
    }
  }
}
