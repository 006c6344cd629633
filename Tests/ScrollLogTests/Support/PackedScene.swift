import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// A log of three sealed segments, packed or not, and one that is being written. It was restarted several times, so that there
/// are marks among the blocks.
struct PackedScene {
  let fileSystem: FaultyFileSystem
  let log: OpenedLog
  let feed: RandomFeed
  /// The first positions of the sealed segments.
  let sealed: [Position]

  init(isPacked: Bool = true, blocks: Int = 10, calls: Int = 3, seed: UInt64 = SeededGenerator.seed) throws {
    var fileSystem = FaultyFileSystem()
    var log = try LogFixture.open(fileSystem, Self.options)
    var feed = RandomFeed(SeededGenerator(seed: seed))
    var observer = NoObserver()
    for segment in 0..<4 {
      for index in 0..<blocks {
        var builder = LogFixture.builder(log)
        let block = feed.block(&builder, calls: calls)
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
        guard index == blocks / 2 else { continue }
        if segment != 1 { try log.writer.stop() }
        fileSystem = fileSystem.afterKill()
        log = try LogFixture.open(fileSystem, Self.options)
      }
      guard segment < 3 else { break }
      try log.writer.roll(log.projection.checkpoint())
      log.segments.add(log.writer.status.segment)
    }
    self.fileSystem = fileSystem
    self.log = log
    self.feed = feed
    sealed = Array(log.segments.firstPositions.dropLast())
    if isPacked { try pack() }
  }

  /// Options with small parts, so that there are several of each.
  static var options: LogOptions {
    var options = LogFixture.options()
    options.packing = PackingSizes(block: 500, blockRecords: 30, checkpointDistance: 500)
    return options
  }

  func packing(_ first: Position, in other: FaultyFileSystem? = nil) -> SegmentPacking {
    let directory = LogDirectory(path: LogFixture.directory, fileSystem: other ?? fileSystem)
    return SegmentPacking(directory: directory, options: Self.options, firstPosition: first)
  }

  func pack(_ first: Position) throws { _ = try packing(first).run() }

  func pack() throws {
    for first in sealed { try pack(first) }
  }

  func packed(_ first: Position) throws -> PackedSegment {
    let file = try fileSystem.openForReading(LogFixture.logPath + "/" + SegmentName.of(first))
    return try PackedSegment(file, try SegmentReading.header(of: file, firstPosition: first))
  }

  func verify() throws -> [SegmentVerification] {
    try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
  }

  /// The sessions that are closed in all segments.
  var closedSessions: Set<SessionID> {
    Set(feed.expected.lazy.filter { if case .close = $0.record { true } else { false } }.map(\.session))
  }

  /// Checks that the log opens and holds all records.
  func check(_ fileSystem: FaultyFileSystem, _ place: Comment) throws {
    let log = try LogFixture.open(fileSystem)
    let records = try LogFixture.records(log)
    #expect(records == feed.expected, place)
    #expect(Set(log.closedSessions.keys) == closedSessions, place)
    #expect(log.projection.checkpoint() == self.log.projection.checkpoint(), place)
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(found.allSatisfy { $0.problems.isEmpty && $0.unfinished == nil }, place)
    #expect(fileSystem.names(in: LogFixture.logPath).allSatisfy { !$0.hasSuffix(".tmp") }, place)
  }
}
