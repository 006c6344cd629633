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

  @Test func aBackupOfALogWhoseNewestFileIsGoneHasNoSeal() throws {
    let scene = try Self.scene(segments: 3)
    let firsts = scene.log.segments.firstPositions
    let fileSystem = scene.left
    fileSystem[Self.path(firsts[2])] = nil
    let backup = try LogBackup(ofStopped: LogFixture.directory, fileSystem: fileSystem)
    let report = try backup.write(to: "/backup", options: LogFixture.options())
    #expect(report.segments.allSatisfy { $0.problems.isEmpty })
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
