import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Reading from any position while the log grows.
@Suite struct LogReaderTests {
  /// A log of several segments that is still being written.
  private func grown(blocks: Int = 24, calls: Int = 3) throws -> (
    log: OpenedLog, fileSystem: FaultyFileSystem, expected: [StoredRecord]
  ) {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(.ofThisRun(5))
    var observer = NoObserver()
    for index in 0..<blocks {
      let block = feed.block(&builder, calls: calls)
      try log.writer.write(block)
      try log.projection.apply(block.view, observer: &observer)
      if index % 6 == 5 {
        try log.writer.roll(log.projection.checkpoint())
        log.segments.add(log.writer.status.segment)
      }
    }
    return (log, fileSystem, feed.expected)
  }

  @Test func everyPositionCanBeReadFrom() throws {
    let (log, _, expected) = try grown()
    let last = log.nextPosition - 1
    for after in 0...last {
      var reader = LogReader(log.segments.view, after: after)
      var found: [StoredRecord] = []
      loop: while true {
        switch try reader.next(through: last) {
        case .block(let block):
          var records = block.records(after: after)
          while let stored = try records.next() { found.append(stored) }
        case .skipped: break
        case .atHorizon: break loop
        }
      }
      #expect(found == Array(expected.dropFirst(Int(after))))
      #expect(reader.position == last)
    }
  }

  @Test func everyPastStateCanBeComputed() throws {
    let (log, _, expected) = try grown()
    for position in 1...Int64(expected.count) {
      let checkpoint = try log.segments.view.checkpoint(before: position)
      #expect(checkpoint.position < position)
      let projection = Projection(checkpoint)
      var observer = NoObserver()
      var reader = LogReader(log.segments.view, after: checkpoint.position)
      while projection.position < position {
        guard case .block(let block) = try reader.next(through: log.nextPosition - 1) else { break }
        try projection.apply(block, through: position, observer: &observer)
      }
      #expect(projection.position == position)
      let whole = Projection(.empty)
      var fromStart = LogReader(log.segments.view, after: 0)
      while whole.position < position {
        guard case .block(let block) = try fromStart.next(through: log.nextPosition - 1) else { break }
        try whole.apply(block, through: position, observer: &observer)
      }
      #expect(projection.checkpoint() == whole.checkpoint())
    }
  }

  /// A reader sees each block as soon as the horizon allows, and not before.
  @Test func aReaderFollowsTheWriter() throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(.ofThisRun(6))
    var observer = NoObserver()
    var reader = LogReader(log.segments.view, after: 0)
    for index in 0..<30 {
      let before = log.writer.status.written
      guard case .atHorizon = try reader.next(through: before) else {
        Issue.record("a block beyond the horizon")
        return
      }
      let block = feed.block(&builder)
      try log.writer.write(block)
      guard case .atHorizon = try reader.next(through: before) else {
        Issue.record("a block beyond the horizon")
        return
      }
      guard case .block(let read) = try reader.next(through: block.lastPosition) else {
        Issue.record("no block")
        return
      }
      #expect(read.firstPosition == block.firstPosition)
      #expect(read.received == block.received)
      try log.projection.apply(read, observer: &observer)
      if index % 7 == 6 {
        try log.writer.roll(log.projection.checkpoint())
        log.segments.add(log.writer.status.segment)
      }
    }
  }

  @Test func readingATrimmedPositionReportsTheFirstOne() throws {
    let (log, _, _) = try grown()
    let kept = SegmentList(log.segments.directory, Array(log.segments.firstPositions.dropFirst(2)))
    let first = log.segments.firstPositions[2]
    var reader = LogReader(kept.view, after: first - 2)
    #expect(throws: ReadError.positionTrimmed(first: first)) { try reader.next(through: log.nextPosition - 1) }
    var fine = LogReader(kept.view, after: first - 1)
    guard case .block(let block) = try fine.next(through: log.nextPosition - 1) else {
      Issue.record("no block")
      return
    }
    #expect(block.firstPosition == first)
  }

  @Test func aMissingBlockIsDamage() throws {
    let (log, fileSystem, _) = try grown()
    let bytes = try #require(fileSystem[LogFixture.firstSegment])
    // The seal, which holds a position, and a part of the last block of records.
    let seal = BlockHeader.length(payload: MemoryLayout<Position>.size)
    fileSystem[LogFixture.firstSegment] = Array(bytes.dropLast(seal + 16))
    #expect(throws: ReadError.self) { try LogFixture.records(log) }
    fileSystem[LogFixture.firstSegment] = nil
    let missing = FileError(.open, path: LogFixture.firstSegment, code: .noSuchFile)
    #expect(throws: ReadError.file(missing)) { try LogFixture.records(log) }
  }

  @Test func manyBlocksBeforeThePositionAreSkippedInSteps() throws {
    let fileSystem = FaultyFileSystem()
    var options = LogFixture.options(.never)
    options.preallocation = 1 << 20
    let log = try LogFixture.open(fileSystem, options)
    var builder = LogFixture.builder(log)
    let session = SessionID(high: 1, low: 1)
    let title = String(repeating: "t", count: 700_000)
    let policy = Policy.safari
    for index in 0..<10 {
      builder.append(
        Opening(client: ClientID(user: UInt32(index), name: "a"), time: 1, title: title, policy: policy), of: session)
      let block = builder.finish(received: 1)
      try log.writer.write(try #require(block))
    }
    var reader = LogReader(log.segments.view, after: 9)
    guard case .skipped = try reader.next(through: 10), case .block(let block) = try reader.next(through: 10) else {
      Issue.record("not passed over in two steps")
      return
    }
    #expect(block.firstPosition == 10)
  }
}
