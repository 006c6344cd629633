import Platform
import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Starts and queries about the past, with and without usable snapshots.
@Suite struct SnapshotTests {
  private static let segment = LogFixture.firstSegment
  private static let snapshots = SnapshotScene.snapshotsPath

  private static func isFromSnapshot(_ log: OpenedLog) -> Bool {
    if case .snapshot = log.report.basis { true } else { false }
  }

  /// The log as it is when all of it is read.
  private struct Scanned {
    let log: OpenedLog
    let records: [StoredRecord]

    init(_ fileSystem: FaultyFileSystem) throws {
      log = try LogFixture.open(fileSystem.afterKill().with(snapshots, nil), SnapshotScene.options())
      #expect(!isFromSnapshot(log))
      records = try LogFixture.records(log)
    }

    /// Checks that another start has the same result.
    func check(_ other: OpenedLog, _ place: Comment? = nil) throws {
      #expect(other.projection.checkpoint() == log.projection.checkpoint(), place)
      #expect(other.closedSessions == log.closedSessions, place)
      #expect(other.generations == log.generations, place)
      #expect(other.nextPosition == log.nextPosition, place)
      #expect(other.segments.lastSegmentSince == log.segments.lastSegmentSince, place)
      #expect(try LogFixture.records(other) == records, place)
    }
  }

  @Test func aStartAfterACleanShutdownDoesNotReadTheSegment() throws {
    var scene = try SnapshotScene()
    for _ in 0..<4 {
      try scene.write(40, calls: 60)
      try scene.snapshot()
    }
    try scene.write(3)
    try scene.stop()
    let size = try #require(scene.left[Self.segment]).count
    let fileSystem = scene.left
    let log = try LogFixture.open(fileSystem, SnapshotScene.options())
    #expect(Self.isFromSnapshot(log))
    #expect(log.notes.isEmpty)
    #expect(size > 1 << 20)
    #expect(fileSystem.bytesRead(of: Self.segment) < size / 16)
    let read = fileSystem.bytesRead(of: Self.segment) + fileSystem.bytesRead(of: Self.snapshots)
    #expect(abs(log.report.bytesRead - Int64(read)) < 32 << 10)
    try Scanned(scene.left).check(log)
    #expect(try LogFixture.records(log) == scene.feed.expected)
  }

  /// A log was cut near its start, and the daemon began with position 1 of 591. The snapshots say that more was synced.
  @Test(arguments: [0, 1, 200, 1000])
  func whatASnapshotSaysWasSyncedIsNoTornTail(zeros: Int) throws {
    var scene = try SnapshotScene()
    try scene.write(5)
    let kept = scene.log.writer.status
    try scene.write(5)
    try scene.snapshot()
    let last = scene.log.writer.status.written
    try scene.write(5)
    for isStopped in [false, true] {
      if isStopped { try scene.stop() }
      var bytes = try #require(scene.left[Self.segment])
      bytes.removeSubrange(Int(kept.segmentBytes)...)
      bytes += [UInt8](repeating: 0, count: zeros)
      let cut = scene.left.with(Self.segment, bytes)
      let before = cut.names(in: LogFixture.logPath)
      let error = try thrown(OpenError.self) { _ = try LogFixture.open(cut, SnapshotScene.options()) }
      guard case .damaged(let damage) = error else {
        Issue.record(error)
        return
      }
      #expect(damage.file == Self.segment && damage.offset == kept.segmentBytes)
      #expect(isStopped || damage.reason.contains("positions up to \(last) were synced"))
      #expect(cut.names(in: LogFixture.logPath) == before)
      // A repair says what is lost and begins a generation.
      let report = try LogRepair.run(
        directory: LogFixture.directory, fileSystem: cut, options: SnapshotScene.options())
      let known = try #require(scene.log.segments.lastSnapshot).position
      #expect(known == (isStopped ? scene.log.writer.status.written : last))
      #expect(report.repair?.keptThrough == known)
      #expect(report.repair?.gaps == [(kept.written + 1)...known])
      let log = try LogFixture.open(cut.afterKill(), SnapshotScene.options())
      #expect(log.nextPosition == known + 1)
      #expect(log.generations.lastPosition(sharedWith: 1) == known)
    }
  }

  /// A file that was cut exactly at the end of a block has no bad bytes, and yet the lost positions must not be assigned again
  /// in the same generation.
  @Test func blocksMissingWithoutATraceBeginAGenerationIfASnapshotCoversThem() throws {
    var scene = try SnapshotScene(FaultyFileSystem(), SnapshotScene.options(.never))
    try scene.write(5)
    let kept = scene.log.writer.status
    try scene.write(5)
    let last = scene.log.writer.status.written
    try scene.stop()
    var bytes = try #require(scene.left[Self.segment])
    bytes.removeSubrange(Int(kept.segmentBytes)...)
    let cut = scene.left.with(Self.segment, bytes)
    let log = try LogFixture.open(cut, SnapshotScene.options())
    #expect(log.nextPosition == kept.written + 1)
    #expect(log.generations.current == 2)
    #expect(log.generations.lastPosition(sharedWith: 1) == kept.written)
    #expect(log.notes.contains(.newGeneration(2, after: kept.written, .lostBlocks(through: last))))
    // Only once: the next start finds the new generation, and no snapshot of the lost blocks.
    let again = try LogFixture.open(cut.afterKill(), SnapshotScene.options())
    #expect(again.generations.current == 2)
    // A start that ends at any operation leaves enough evidence for the next one.
    let whole = scene.left.with(Self.segment, bytes)
    let before = whole.operations.count
    _ = try LogFixture.open(whole, SnapshotScene.options())
    for operation in 0..<(whole.operations.count - before) {
      let stopped = scene.left.with(Self.segment, bytes)
      stopped.crash(at: operation)
      _ = try? LogFixture.open(stopped, SnapshotScene.options())
      let next = try LogFixture.open(stopped.afterKill(), SnapshotScene.options())
      #expect(next.generations.lastPosition(sharedWith: 1) == kept.written, "after operation \(operation)")
    }
  }

  /// The file ends shortly after the mark, whatever was reserved, and a full disk has room for starts and shutdowns.
  @Test func aCleanShutdownLeavesALittleReserve() throws {
    var options = SnapshotScene.options()
    options.preallocation = 1 << 20
    var scene = try SnapshotScene(FaultyFileSystem(), options)
    try scene.write(2)
    try scene.stop()
    let size = try #require(scene.left[Self.segment]).count
    #expect(Int64(size) == scene.log.writer.status.segmentBytes + SegmentHead.reserveForMarks)
    var fileSystem = scene.left
    fileSystem.capacity = 0
    for _ in 0..<10 {
      let log = try LogFixture.open(fileSystem, options)
      #expect(Self.isFromSnapshot(log))
      try log.writer.stop()
      fileSystem = fileSystem.afterKill()
    }
    #expect(fileSystem[Self.segment]?.count == size)
  }

  @Test func aShortSegmentIsCheckedAtTheStartDespiteTheSnapshot() throws {
    var scene = try SnapshotScene()
    try scene.write(8)
    try scene.stop()
    let size = Int64(try #require(scene.left[Self.segment]).count)
    let log = try LogFixture.open(scene.left, SnapshotScene.options(checkedAtStart: size))
    #expect(Self.isFromSnapshot(log))
    #expect(!log.writer.status.isUnchecked)
    let end = try #require(scene.log.segments.lastSnapshot).segmentOffset
    for offset in stride(from: 0, to: Int(end), by: 97) {
      let fileSystem = scene.left
      fileSystem[Self.segment]?[offset] ^= 4
      let damaged = fileSystem[Self.segment]
      #expect {
        try LogFixture.open(fileSystem, SnapshotScene.options(checkedAtStart: size))
      } throws: { error in
        if case .damaged = error as? OpenError { true } else { false }
      }
      #expect(fileSystem[Self.segment] == damaged)
    }
  }

  @Test func theWriterChecksInStepsWhatTheStartDidNotRead() throws {
    var scene = try SnapshotScene()
    try scene.write(150, calls: 60)
    try scene.write(3)
    try scene.stop()
    let size = try #require(scene.left[Self.segment]).count
    #expect(size > 1 << 20)
    let log = try LogFixture.open(scene.left, SnapshotScene.options())
    var pieces = 0
    while log.writer.status.isUnchecked {
      try log.writer.check()
      pieces += 1
    }
    #expect(pieces == (size + (1 << 20) - 1) >> 20)

    let fileSystem = scene.left
    fileSystem[Self.segment]?[size / 2] ^= 1
    let damaged = try LogFixture.open(fileSystem, SnapshotScene.options())
    let error = try thrown(WriteError.self) { while damaged.writer.status.isUnchecked { try damaged.writer.check() } }
    guard case .badSegment(.logDamaged(let damage)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(damage.file == Self.segment)
    #expect(damage.offset <= size / 2)
    #expect(damage.offset > size / 4)
  }

  @Test func aStartSurvivesEveryFlippedBitOfASnapshot() throws {
    var scene = try SnapshotScene()
    try scene.write(2)
    try scene.snapshot()
    try scene.write(2)
    try scene.stop()
    var random = SeededGenerator.ofThisRun(31)
    let scanned = try Scanned(scene.left)
    let whole = try #require(scene.left[Self.snapshots])
    var scans = 0
    for offset in whole.indices {
      let fileSystem = scene.left
      fileSystem[Self.snapshots]?[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let log = try LogFixture.open(fileSystem, SnapshotScene.options())
      if !Self.isFromSnapshot(log) { scans += 1 }
      try scanned.check(log, "byte \(offset)")
    }
    // Bad bytes in the checkpoint of an earlier snapshot do not matter, nor does anything after the last intact one.
    #expect(scans > 0 && scans < whole.count)
  }

  @Test func aStartSurvivesEveryCutOfTheSnapshotsAndOverwritesTheRest() throws {
    var scene = try SnapshotScene()
    try scene.write(2)
    try scene.snapshot()
    try scene.write(2)
    try scene.stop()
    let whole = try #require(scene.left[Self.snapshots])
    let scanned = try Scanned(scene.left)
    for count in whole.indices {
      let fileSystem = scene.left
      fileSystem[Self.snapshots] = Array(whole.prefix(count))
      let log = try LogFixture.open(fileSystem, SnapshotScene.options())
      try scanned.check(log, "\(count) bytes")
      // New snapshots are found after the intact ones.
      guard count % 61 == 0 else { continue }
      var next = SnapshotScene(log, fileSystem, scene.feed)
      try next.write(1)
      try next.stop()
      let again = try LogFixture.open(next.left, SnapshotScene.options())
      #expect(Self.isFromSnapshot(again), "\(count) bytes")
      try Scanned(next.left).check(again, "\(count) bytes, written on")
    }
  }

  @Test func snapshotsOfAnotherSegmentAreIgnored() throws {
    var scene = try SnapshotScene()
    try scene.write(3)
    try scene.stop()
    var other = try SnapshotScene(feed: RandomFeed(.ofThisRun(32)))
    try other.write(3)
    try other.stop()
    let fileSystem = scene.left
    fileSystem[Self.snapshots] = other.left[Self.snapshots]
    let log = try LogFixture.open(fileSystem, SnapshotScene.options())
    #expect(!Self.isFromSnapshot(log))
    try Scanned(scene.left).check(log)
  }

  @Test func eachSegmentHasItsOwnSnapshots() throws {
    var scene = try SnapshotScene()
    for segment in 0..<3 {
      if segment > 0 { try scene.roll() }
      for _ in 0..<2 {
        try scene.write(3)
        try scene.snapshot()
      }
    }
    let directory = LogDirectory(path: LogFixture.directory, fileSystem: scene.fileSystem)
    let firsts = scene.log.segments.firstPositions
    #expect(firsts.count == 3)
    for (first, next) in zip(firsts, firsts.dropFirst() + [scene.log.nextPosition]) {
      let file = try scene.fileSystem.openForReading(directory.path(ofSegment: first))
      let header = try SegmentReading.header(of: file, firstPosition: first)
      let found = try SnapshotFile(directory, firstPosition: first, identifier: header.identifier)
      let places = try #require(found, "segment \(first)").places
      #expect(places.count == 2 && places.allSatisfy { first <= $0.position && $0.position < next })
      #expect(places.last?.position == next - 1)
    }
    // The next start uses those of the last segment.
    try scene.stop()
    #expect(Self.isFromSnapshot(try LogFixture.open(scene.left, SnapshotScene.options())))
  }

  /// After an unclean shutdown the segment has a new identifier, and its snapshots are removed.
  @Test func recoveryRemovesTheSnapshotsAndStartsNewOnes() throws {
    var scene = try SnapshotScene()
    try scene.write(3)
    try scene.snapshot()
    try scene.write(3)
    let old = scene.left[Self.snapshots]
    var next = try SnapshotScene(scene.left, feed: scene.feed)
    #expect(!Self.isFromSnapshot(next.log))
    #expect(next.left[Self.snapshots] == nil)
    try next.snapshot()
    try next.write(2)
    try next.stop()
    let fileSystem = next.left
    let log = try LogFixture.open(fileSystem, SnapshotScene.options())
    #expect(Self.isFromSnapshot(log))
    try Scanned(next.left).check(log)
    fileSystem[Self.snapshots] = old
    #expect(!Self.isFromSnapshot(try LogFixture.open(next.left.with(Self.snapshots, old), SnapshotScene.options())))
  }

  @Test func everyCleanStartUsesTheSnapshot() throws {
    var scene = try SnapshotScene()
    try scene.write(10)
    try scene.stop()
    var bytes: [Int] = []
    for turn in 0..<6 {
      let next = try SnapshotScene(scene.left, feed: scene.feed)
      #expect(Self.isFromSnapshot(next.log), "turn \(turn)")
      try Scanned(scene.left).check(next.log, "turn \(turn)")
      scene = next
      // Some rounds write records, some do not.
      if turn % 3 == 2 { try scene.write(2) }
      try scene.stop()
      bytes.append(try #require(scene.left[Self.snapshots]).count)
    }
    // Without new records there is no new snapshot.
    #expect(bytes[0] == bytes[1] && bytes[1] < bytes[2] && bytes[2] == bytes[3] && bytes[3] == bytes[4])
  }

  @Test func aKillRightAfterAStartFromASnapshotIsRecovered() throws {
    var scene = try SnapshotScene()
    try scene.write(10)
    try scene.stop()
    let started = try SnapshotScene(scene.left, feed: scene.feed)
    let log = try LogFixture.open(started.left, SnapshotScene.options())
    #expect(log.notes == [.recovered(file: Self.segment, through: log.nextPosition - 1)])
    #expect(log.projection.checkpoint() == scene.log.projection.checkpoint())
    #expect(log.closedSessions == started.log.closedSessions)
    #expect(try LogFixture.records(log) == scene.feed.expected)
  }

  @Test func aSnapshotHoldsManySessions() throws {
    var scene = try SnapshotScene()
    var builder = LogFixture.builder(scene.log)
    for index in 0..<200 {
      let client = ClientID(user: 1, name: "client/\(index)")
      builder.append(Opening(client: client, time: 1, policy: .safari), of: SessionID(high: 7, low: UInt64(index)))
    }
    let block = builder.finish(received: 2)
    try scene.write(try #require(block))
    try scene.stop()
    let log = try LogFixture.open(scene.left, SnapshotScene.options())
    #expect(Self.isFromSnapshot(log))
    #expect(log.projection.sessions.count == 200)
    try Scanned(scene.left).check(log)
  }

  // MARK: Failing disks

  /// Every operation on the snapshots fails once, without any other effect.
  @Test(arguments: [Errno.noSpace, .inputOutput])
  func failedSnapshotsCostNothingElse(code: Errno) throws {
    func work(failing index: Int?) throws -> (FaultyFileSystem, RandomFeed, operations: Int) {
      let fileSystem = FaultyFileSystem()
      var scene = try SnapshotScene(fileSystem)
      var operations = 0
      for _ in 0..<3 {
        try scene.write(2)
        let before = fileSystem.operations.count
        if let index, index >= operations { fileSystem.fail(index - operations, with: code) }
        do {
          try scene.snapshot()
        } catch WriteError.noSnapshot(let error) {
          #expect(error.code == code)
        }
        operations += fileSystem.operations.count - before
        // A failure that did not happen yet must not hit the log.
        fileSystem.clearFailures()
      }
      try scene.write(2)
      try scene.stop()
      return (fileSystem.afterKill(), scene.feed, operations)
    }
    let (_, _, operations) = try work(failing: nil)
    #expect(operations > 4)
    for index in 0..<operations {
      let (fileSystem, feed, _) = try work(failing: index)
      let log = try LogFixture.open(fileSystem, SnapshotScene.options())
      #expect(try LogFixture.records(log) == feed.expected)
      #expect(Self.isFromSnapshot(log), "operation \(index)")
      try Scanned(fileSystem).check(log, "operation \(index)")
    }
  }

  // MARK: Looking back

  @Test func aQueryAboutThePastReadsLittle() throws {
    var scene = try SnapshotScene()
    var truth: [Checkpoint] = []
    for turn in 0..<12 {
      try scene.write(20, calls: 100)
      truth.append(scene.log.projection.checkpoint())
      if turn % 2 == 0 { try scene.snapshot() }
    }
    let segments = scene.log.segments
    let size = Int(scene.log.writer.status.segmentBytes)
    #expect(size > 3 << 20)
    for checkpoint in truth {
      let segmentBefore = scene.fileSystem.bytesRead(of: Self.segment)
      let snapshotsBefore = scene.fileSystem.bytesRead(of: Self.snapshots)
      let start = try segments.view.checkpoint(before: checkpoint.position + 1)
      let projection = Projection(start)
      var reader = LogReader(segments.view, after: start.position)
      var observer = NoObserver()
      while case .block(let block) = try reader.next(through: checkpoint.position) {
        try projection.apply(block, through: checkpoint.position, observer: &observer)
      }
      #expect(projection.checkpoint() == checkpoint)
      // At most the bytes between two snapshots, the spacing of the index, and what is read ahead.
      #expect(scene.fileSystem.bytesRead(of: Self.segment) - segmentBefore < size / 6 + (1 << 20))
      #expect(scene.fileSystem.bytesRead(of: Self.snapshots) - snapshotsBefore <= 256 << 10)
    }
  }

  @Test func aReaderSeeksToItsPosition() throws {
    var scene = try SnapshotScene()
    try scene.write(150, calls: 120)
    let last = scene.log.projection.position
    for after in stride(from: 0, to: last, by: Int(last / 9)) {
      let before = scene.fileSystem.bytesRead(of: Self.segment)
      var reader = LogReader(scene.log.segments.view, after: after)
      guard case .block(let block) = try reader.next(through: last) else {
        Issue.record("no block behind position \(after)")
        continue
      }
      #expect(block.firstPosition <= after + 1 && block.lastPosition > after)
      #expect(scene.fileSystem.bytesRead(of: Self.segment) - before < 1 << 20)
    }
    #expect(scene.log.writer.status.segmentBytes > 2 << 20)
  }

  /// When snapshots go bad while the daemon runs, readers start further back.
  @Test func unreadableSnapshotsAreCounted() throws {
    var scene = try SnapshotScene()
    try scene.write(4)
    let head = try scene.log.segments.view.checkpoint(before: 1)
    try scene.snapshot()
    let middle = scene.log.projection.checkpoint()
    try scene.write(4)
    try scene.snapshot()
    let last = scene.log.projection.position
    let count = try #require(scene.fileSystem[Self.snapshots]).count
    scene.fileSystem[Self.snapshots]?[count - 1] ^= 1
    #expect(try scene.log.segments.view.checkpoint(before: last + 1) == middle)
    #expect(scene.log.segments.unreadableSnapshots == 1)
    scene.fileSystem[Self.snapshots] = nil
    #expect(try scene.log.segments.view.checkpoint(before: last + 1) == head)
    #expect(scene.log.segments.unreadableSnapshots == 2)
    #expect(try scene.log.segments.view.checkpoint(before: last + 1) == head)
    #expect(scene.log.segments.unreadableSnapshots == 2)
  }

  // MARK: Another fold

  private static let nextFold = Policy.foldVersion + 1

  @Test func statesOfAPreviousFoldVersionAreKept() throws {
    var scene = try SnapshotScene()
    try scene.write(6)
    try scene.stop()
    let fileSystem = scene.left
    let log = try LogFixture.open(fileSystem, SnapshotScene.options(foldVersion: Self.nextFold))
    let position = scene.log.projection.position
    #expect(log.notes == [.otherFold(version: Policy.foldVersion)])
    #expect(log.segments.firstPositions == [1, position + 1])
    var expected = scene.log.projection.checkpoint()
    expected.foldVersion = Self.nextFold
    #expect(log.projection.checkpoint() == expected)
    #expect(try log.segments.view.checkpoint(before: position).foldVersion == Policy.foldVersion)
    #expect(try log.segments.view.checkpoint(before: position + 2) == expected)
    #expect(try LogFixture.records(log) == scene.feed.expected)
    // The next start finds one version again.
    try log.writer.stop()
    let again = try LogFixture.open(fileSystem.afterKill(), SnapshotScene.options(foldVersion: Self.nextFold))
    #expect(again.notes.isEmpty)
    #expect(again.projection.checkpoint() == expected)
  }

  @Test func recordsWithoutASnapshotOfThePreviousFoldVersionAreFoldedAgain() throws {
    var scene = try SnapshotScene()
    try scene.write(6)
    try scene.stop()
    let log = try LogFixture.open(
      scene.left.with(Self.snapshots, nil), SnapshotScene.options(foldVersion: Self.nextFold))
    #expect(log.notes == [.refolded(version: Policy.foldVersion, from: 1)])
    #expect(log.segments.firstPositions == [1, scene.log.projection.position + 1])
  }

  /// A segment without records is rewritten, so that it does not name the previous version.
  @Test func anEmptySegmentIsReplacedForANewFoldVersion() throws {
    var scene = try SnapshotScene()
    try scene.write(6)
    try scene.roll()
    try scene.stop()
    let second = scene.log.projection.position + 1
    let log = try LogFixture.open(scene.left, SnapshotScene.options(foldVersion: Self.nextFold))
    #expect(log.notes == [.otherFold(version: Policy.foldVersion)])
    #expect(log.segments.firstPositions == [1, second])
    #expect(try log.segments.view.checkpoint(before: second).foldVersion == Self.nextFold)
    #expect(try log.segments.view.checkpoint(before: second - 1).foldVersion == Policy.foldVersion)
  }
}
