import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The mark at the end of a sealed segment, and logs whose newest files are gone.
@Suite struct SealTests {
  /// A log of some segments that are not packed, the last of which is being written.
  private static func scene(segments: Int, _ fileSystem: FaultyFileSystem = FaultyFileSystem()) throws -> SnapshotScene
  {
    var scene = try SnapshotScene(fileSystem, LogFixture.options())
    for index in 0..<segments {
      if index > 0 { try scene.roll() }
      try scene.write(4)
    }
    return scene
  }

  private static func path(_ first: Position) -> String { LogFixture.logPath + "/" + SegmentName.of(first) }

  private static func seal(of first: Position, in fileSystem: FaultyFileSystem) throws -> Position? {
    let file = try fileSystem.openForReading(path(first))
    return try SegmentSeal.find(in: file, SegmentReading.header(of: file, firstPosition: first))?.nextSegment
  }

  private static func seals(in fileSystem: FaultyFileSystem) throws -> [Position?] {
    let directory = LogDirectory(path: LogFixture.directory, fileSystem: fileSystem)
    return try directory.segments().map { try seal(of: $0, in: fileSystem) }
  }

  @Test func everySegmentButTheLastSaysWhatFollows() throws {
    let scene = try Self.scene(segments: 4)
    let firsts = scene.log.segments.firstPositions
    #expect(try Self.seals(in: scene.left) == Array(firsts.dropFirst()) + [nil])
    #expect(
      scene.log.segments.sealedBytes
        == firsts.dropLast().reduce(0) { $0 + Int64(scene.left[Self.path($1)]?.count ?? 0) })
    #expect(try LogFixture.records(scene.log) == scene.feed.expected)
    let again = try LogFixture.open(scene.left)
    #expect(try LogFixture.records(again) == scene.feed.expected)
    #expect(again.segments.sealedBytes == scene.log.segments.sealedBytes)
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: scene.left)
    #expect(found.allSatisfy { $0.problems.isEmpty && $0.unfinished == nil })
  }

  /// The format promises it of all blocks, also of marks and seals.
  @Test func timesNeverRunBackwardsInALog() throws {
    let fileSystem = FaultyFileSystem()
    var scene = try Self.scene(segments: 3, fileSystem)
    for _ in 0..<2 {
      try scene.write(2)
      try scene.stop()
      scene = try SnapshotScene(scene.left, feed: scene.feed)
      try scene.write(2)
      scene = try SnapshotScene(scene.left, feed: scene.feed)
    }
    try scene.roll()
    try scene.write(1)
    let last = try #require(scene.feed.expected.last).received
    var latest: Int64 = 0
    var kinds: Set<BlockKind> = []
    for first in scene.log.segments.firstPositions {
      let file = try scene.fileSystem.openForReading(Self.path(first))
      var scanner = SegmentScanner(
        file, identifier: try SegmentReading.header(of: file, firstPosition: first).identifier)
      while case .block(let header, _, _) = try scanner.next() {
        #expect(header.received >= latest, "\(header.kind) before position \(header.firstPosition)")
        latest = max(latest, header.received)
        kinds.insert(header.kind)
      }
    }
    #expect(latest == last && kinds.isSuperset(of: [.checkpoint, .records, .start, .cleanStop, .seal]))
  }

  /// Tens of thousands of answered positions were lost without a word, and given again in the same generation.
  @Test(arguments: [1, 2, 3])
  func aLogWhoseNewestFilesAreGoneBeginsAGenerationAndReportsIt(gone: Int) throws {
    let scene = try Self.scene(segments: 4)
    try scene.log.writer.stop()
    let firsts = scene.log.segments.firstPositions
    let kept = firsts[4 - gone] - 1
    let fileSystem = scene.left
    for first in firsts.suffix(gone) { fileSystem[Self.path(first)] = nil }
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(found.last?.damage == .records)
    #expect(
      found.last?.problems.map(\.reason) == [
        "the segment that begins at position \(kept + 1) is missing after this one"
      ])
    var options = LogFixture.options()
    options.now = { 1_700_000_000_000_007 }
    let log = try LogFixture.open(fileSystem, options)
    #expect(log.nextPosition == kept + 1)
    #expect(log.generations.current == 1_700_000_000_000_007)
    #expect(log.generations.lastPosition(sharedWith: 1) == kept)
    #expect(log.notes.contains(.newGeneration(log.generations.current, after: kept, .lostSegments)))
    #expect(try LogFixture.records(log) == Array(scene.feed.expected.prefix(Int(kept))))
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(again.generations == log.generations)
    #expect(again.nextPosition == kept + 1)
  }

  /// Without space or time for the mark, the next start writes it, so that only a loss in that moment goes unnoticed.
  @Test func aStartSealsWhatARollLeftUnsealed() throws {
    var index = 0
    while true {
      let scene = try Self.scene(segments: 2)
      let last = scene.log.writer.status.written
      scene.fileSystem.crash(at: index)
      let isDone = (try? scene.roll()) != nil
      let next = try LogFixture.open(scene.fileSystem.afterKill())
      #expect(next.nextPosition == last + 1)
      #expect(next.generations.current == 1)
      let left = next.segments
      let fileSystem = try #require(left.directory.fileSystem as? FaultyFileSystem)
      #expect(try Self.seals(in: fileSystem) == left.firstPositions.dropFirst().map(Optional.some) + [nil], "\(index)")
      #expect(try LogFixture.records(next) == scene.feed.expected)
      if isDone { break }
      index += 1
    }
    #expect(index > 5)
  }

  /// A seal says that nothing is missing. Only one that a roll left out is added.
  @Test func aStartSealsNoSegmentThatLacksRecords() throws {
    var scene = try SnapshotScene(FaultyFileSystem(), LogFixture.options())
    var ends: [Int] = []
    for _ in 0..<4 {
      try scene.write(1)
      ends.append(Int(scene.log.writer.status.segmentBytes))
    }
    try scene.roll()
    let second = scene.log.writer.status.segment
    try scene.write(2)
    try scene.stop()
    for (index, end) in ends.enumerated() {
      let fileSystem = scene.left
      fileSystem[LogFixture.firstSegment] = fileSystem[LogFixture.firstSegment].map { Array($0.prefix(end)) }
      _ = try LogFixture.open(fileSystem)
      let isWhole = index == ends.count - 1
      #expect(try Self.seal(of: 1, in: fileSystem) == (isWhole ? second : nil), "\(index)")
      let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
      #expect(found[0].damage == (isWhole ? SegmentVerification.Damage.none : .records), "\(index)")
    }
  }

  /// Data that survives without the names and the cuts that come after it, and the other way round.
  private static let losses = [
    PowerLoss(.all, names: PowerLoss.Names.none), PowerLoss(.earliest), PowerLoss(.some, piece: 4096, remains: .stale),
    PowerLoss(.none, names: .all),
  ]

  private static func requireGood(_ fileSystem: FaultyFileSystem, _ comment: Comment) throws {
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(found.flatMap(\.problems) == [], comment)
    #expect(found.allSatisfy { $0.unfinished == nil }, comment)
  }

  /// The start sealed a segment, lost power, and the next start found neither the next segment's name nor its records.
  @Test func aStartSealsNoSegmentBeforeTheNameOfTheNextOneIsSynced() throws {
    let scene = try Self.scene(segments: 2)
    let last = scene.log.writer.status.written
    scene.fileSystem.failNext(.syncDirectory, with: .inputOutput)
    #expect(throws: WriteError.self) { try scene.roll() }
    var random = SeededGenerator(seed: SeededGenerator.seed)
    var index = 0
    var isDone = false
    while !isDone {
      for loss in Self.losses {
        let fileSystem = scene.left
        fileSystem.crash(at: index)
        isDone = (try? LogFixture.open(fileSystem)) != nil
        let left = fileSystem.afterPowerLoss(loss, &random)
        let log = try LogFixture.open(left, LogFixture.options(boot: 2))
        #expect(log.nextPosition == last + 1)
        #expect(try LogFixture.records(log) == scene.feed.expected)
        try Self.requireGood(left, "crash at operation \(index), then \(loss)")
      }
      index += 1
    }
    #expect(index > 20)
  }

  /// The part of a seal that had found space came back after a power loss, in the middle of the log.
  @Test func noPartOfASealThatFoundNoSpaceComesBack() throws {
    var random = SeededGenerator(seed: SeededGenerator.seed)
    var index = 0
    while true {
      var scene = try Self.scene(segments: 2)
      scene.fileSystem.fail(index, with: .noSpace)
      let operations = scene.fileSystem.operations.count
      let isOver = (try? scene.roll()) != nil && scene.fileSystem.operations.count - operations <= index
      scene.fileSystem.clearFailures()
      // Some failures end the log.
      if (try? scene.write(2)) != nil { try scene.roll() }
      for loss in Self.losses {
        let left = scene.fileSystem.afterPowerLoss(loss, &random)
        let log = try LogFixture.open(left, LogFixture.options(boot: 2))
        #expect(log.nextPosition > scene.log.writer.status.synced)
        try Self.requireGood(left, "no space at operation \(index), then \(loss)")
      }
      if isOver { break }
      index += 1
    }
    #expect(index > 10)
  }

  /// Only the last roll was completed, so that an older segment stayed without its seal.
  @Test func aStartSealsEverySegmentThatNeedsIt() throws {
    let scene = try Self.scene(segments: 4)
    let firsts = scene.log.segments.firstPositions
    let fileSystem = scene.left
    for first in firsts.dropLast() {
      let bytes = try #require(fileSystem[Self.path(first)])
      fileSystem[Self.path(first)] = Array(bytes.dropLast(SegmentSeal.blockSize - 20))
    }
    let log = try LogFixture.open(fileSystem)
    #expect(try Self.seals(in: fileSystem) == Array(firsts.dropFirst()) + [nil])
    #expect(try LogFixture.records(log) == scene.feed.expected)
    try Self.requireGood(fileSystem, "")
  }

  /// A power loss can bring back the reserved space that a roll has freed.
  @Test func zerosAfterASealAreNoPartOfTheLog() throws {
    let scene = try Self.scene(segments: 3)
    let firsts = scene.log.segments.firstPositions
    let fileSystem = scene.left
    fileSystem[Self.path(firsts[2])] = nil
    fileSystem[Self.path(firsts[1])]? += [UInt8](repeating: 0, count: 4096)
    let log = try LogFixture.open(fileSystem)
    #expect(log.notes.contains(.newGeneration(log.generations.current, after: firsts[2] - 1, .lostSegments)))
    #expect(log.segments.firstPositions == firsts)
  }

  @Test func bytesAfterASealAreCutWithItWhenTheNextSegmentIsMissing() throws {
    let scene = try Self.scene(segments: 3)
    let firsts = scene.log.segments.firstPositions
    let fileSystem = scene.left
    fileSystem[Self.path(firsts[2])] = nil
    fileSystem[Self.path(firsts[1])]? += [UInt8](repeating: 0, count: 800) + [1, 2, 3]
    let log = try LogFixture.open(fileSystem)
    #expect(log.nextPosition == firsts[2])
    #expect(log.notes.contains(.newGeneration(log.generations.current, after: firsts[2] - 1, .lostSegments)))
    #expect(log.generations.current == 1_700_000_000_000_000)
    #expect(log.segments.firstPositions == Array(firsts.dropLast()))
    var builder = LogFixture.builder(log)
    builder.append(
      Opening(client: ClientID(user: 9, name: "new"), time: 1, policy: .safari), of: SessionID(high: 9, low: 9))
    let block = builder.finish(received: .max / 4)
    var further = SnapshotScene(log, fileSystem, scene.feed)
    try further.write(try #require(block))
    try further.roll()
    try Self.requireGood(fileSystem, "")
  }

  @Test func aBackupWhoseLastFileIsMissingBeginsAGeneration() throws {
    let scene = try Self.scene(segments: 3)
    let firsts = scene.log.segments.firstPositions
    let backup = LogBackup(
      of: LogFixture.directory, fileSystem: scene.fileSystem, firstPositions: firsts,
      through: scene.log.writer.status.synced)
    _ = try backup.write(to: "/backup", options: LogFixture.options())
    let fileSystem = scene.fileSystem.afterKill()
    fileSystem["/backup/log/" + SegmentName.of(firsts[2])] = nil
    let log = try EventLog.open(directory: "/backup", fileSystem: fileSystem, options: LogFixture.options())
    #expect(log.notes.contains(.newGeneration(log.generations.current, after: firsts[2] - 1, .lostSegments)))
  }

  /// The copy is whole, but what it is a copy of was not.
  @Test(arguments: [false, true])
  func aBackupOfALogWhoseNewestFileIsGoneHasNoSealAndReportsTheFile(isPacked: Bool) throws {
    let scene = try Self.scene(segments: 3)
    let firsts = scene.log.segments.firstPositions
    let fileSystem = scene.left
    if isPacked { try Self.pack(firsts[1], in: fileSystem) }
    fileSystem[Self.path(firsts[2])] = nil
    let backup = try LogBackup(ofStopped: LogFixture.directory, fileSystem: fileSystem)
    let report = try backup.write(to: "/backup", options: LogFixture.options())
    #expect(report.segments.allSatisfy { $0.problems.isEmpty })
    #expect(report.lastPosition == firsts[2] - 1)
    #expect(
      report.missing == [MissingSegments(file: Self.path(firsts[2]), firstPosition: firsts[2], lastPosition: nil)])
    #expect(report.isDamaged)
  }

  private static func pack(_ first: Position, in fileSystem: FaultyFileSystem) throws {
    let directory = LogDirectory(path: LogFixture.directory, fileSystem: fileSystem)
    _ = try SegmentPacking(directory: directory, options: LogFixture.options(), firstPosition: first).run()
  }

  /// A packed segment has no seal, and the loss of the segments after it passed for the end of the log.
  @Test(arguments: [false, true]) func whatIsMissingAfterASegmentIsNamed(isPacked: Bool) throws {
    let scene = try Self.scene(segments: 4)
    let firsts = scene.log.segments.firstPositions
    for gone in 1...3 {
      let fileSystem = scene.left
      if isPacked { for first in firsts.dropLast() { try Self.pack(first, in: fileSystem) } }
      fileSystem[Self.path(firsts[gone])] = nil
      let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
      let last = gone < 3 ? firsts[gone + 1] - 1 : nil
      #expect(
        found.map(\.missing)
          == firsts.filter { $0 != firsts[gone] }.map {
            $0 != firsts[gone - 1]
              ? nil : MissingSegments(file: Self.path(firsts[gone]), firstPosition: firsts[gone], lastPosition: last)
          })
      #expect(found[gone - 1].damage == .records && found[gone - 1].problems.count == 1)
    }
  }

  /// A daemon seals and packs segments while they are checked.
  @Test(arguments: [false, true]) func aSegmentThatWasBegunDuringTheCheckIsNotMissing(isPacked: Bool) throws {
    let scene = try Self.scene(segments: 2)
    let fileSystem = scene.left
    if isPacked { try Self.pack(1, in: fileSystem) }
    let directory = LogDirectory(path: LogFixture.directory, fileSystem: fileSystem)
    var check = SegmentCheck(directory, firstPosition: 1, nextSegment: nil)
    try check.run()
    #expect(check.found.problems.isEmpty && check.found.missing == nil)
  }

  /// The first file came from another log, and reading then blamed the good second one.
  @Test func aSegmentOfAnotherLogIsNamed() throws {
    let scene = try Self.scene(segments: 3)
    let second = scene.log.segments.firstPositions[1]
    var options = LogFixture.options()
    options.firstGeneration = 77
    var other = try SnapshotScene(FaultyFileSystem(), options)
    while other.log.writer.status.written < second - 1 {
      var builder = LogFixture.builder(other.log)
      builder.append(
        Opening(client: ClientID(user: 1, name: ClientName("c\(builder.nextPosition)")), time: 1, policy: .safari),
        of: SessionID(high: 5, low: UInt64(builder.nextPosition)))
      let block = builder.finish(received: 1)
      try other.write(try #require(block))
    }
    try other.roll()
    let fileSystem = scene.left
    fileSystem[LogFixture.firstSegment] = other.left[LogFixture.firstSegment]
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(
      found.map { $0.problems.map(\.reason) } == [
        [
          "the segment that begins at position \(second) does not continue this one: one of them belongs to another log"
        ], [], [],
      ])
    #expect(found[0].damage == .records)
  }

  /// Two logs with the same generations and as many records, whose sessions have the same ids, but began elsewhere.
  @Test func aSegmentOfALogWithTheSameSessionsIsNamed() throws {
    func log(opens ids: [UInt64]) throws -> FaultyFileSystem {
      let fileSystem = FaultyFileSystem()
      let log = try LogFixture.open(fileSystem)
      var builder = LogFixture.builder(log)
      var observer = NoObserver()
      for segment in 0..<3 {
        for id in ids {
          let session = SessionID(high: 5, low: id)
          if segment == 0 {
            let client = ClientID(user: 1, name: ClientName("c\(id)"))
            builder.append(Opening(client: client, time: 1, policy: .safari), of: session)
          } else {
            builder.beginRun(session, firstNumber: Int64(segment))
            builder.append(Event(.scrollEnd, time: 2))
            builder.endRun()
          }
        }
        let finished = builder.finish(received: 1)
        let block = try #require(finished)
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
        if segment < 2 { try log.writer.roll(log.projection.checkpoint()) }
      }
      try log.writer.stop()
      return fileSystem.afterKill()
    }
    let (own, other) = (try log(opens: [1, 2]), try log(opens: [2, 1]))
    for (index, first) in [1, 3, 5].enumerated() {
      let fileSystem = own.afterKill()
      fileSystem[Self.path(Position(first))] = other[Self.path(Position(first))]
      let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
      // The first segment begins without sessions, so that nothing in the next one can differ from its beginning.
      let named = [[], [false, true, false], [false, true, false]][index]
      #expect(found.map { $0.damage == .records } == (named.isEmpty ? [false, false, false] : named), "\(first)")
      if index > 0 { #expect(found[1].problems.first?.reason.contains("belongs to another log") == true, "\(first)") }
    }
  }

  @Test func packingAndForgettingKeepTheOrderOfSegments() throws {
    let scene = try Self.scene(segments: 3)
    let firsts = scene.log.segments.firstPositions
    let session = try #require(scene.feed.expected.first?.session)
    _ = try scene.log.upkeep.forget(.segment(firsts[0], .session(session)))
    #expect(try Self.seal(of: firsts[0], in: scene.fileSystem) == firsts[1])
    for first in firsts.dropLast() { _ = try scene.log.upkeep.pack(first) }
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: scene.fileSystem)
    #expect(found.allSatisfy { $0.problems.isEmpty })
  }
}
