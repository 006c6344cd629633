import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The fold over records, and its checkpoints.
@Suite struct ProjectionTests {
  /// Blocks of random calls.
  private func blocks(_ count: Int, calls: Int = 4) -> (blocks: [Block], expected: [StoredRecord]) {
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    var feed = RandomFeed(.ofThisRun(4))
    let blocks = (0..<count).map { _ in feed.block(&builder, calls: calls) }
    return (blocks, feed.expected)
  }

  private func stored(_ checkpoint: Checkpoint, blockLimit: Int) throws -> Checkpoint {
    let generations = GenerationHistory()
    var writer = ByteWriter(capacity: 64)
    CheckpointCoding.append(
      checkpoint, generations: generations, identifier: 77, to: &writer, origin: 0, blockLimit: blockLimit)
    let fileSystem = FaultyFileSystem()
    fileSystem["/checkpoint"] = writer.bytes.withBytes(0, writer.count) { Array($0) }
    var scanner = SegmentScanner(try fileSystem.openForReading("/checkpoint"), identifier: 77, offset: 0)
    let read = try SegmentReading.checkpoint(&scanner, firstPosition: checkpoint.position + 1)
    #expect(read.1 == generations)
    #expect(scanner.offset == Int64(writer.count))
    return read.0
  }

  @Test func aFoldContinuesFromACheckpointAsIfItHadNeverStopped() throws {
    let (blocks, _) = blocks(60)
    let whole = Projection(.empty)
    var observer = NoObserver()
    for block in blocks { try whole.apply(block.view, observer: &observer) }
    for split in 0..<blocks.count {
      let first = Projection(.empty)
      for block in blocks[..<split] { try first.apply(block.view, observer: &observer) }
      let checkpoint = first.checkpoint()
      let read = try stored(checkpoint, blockLimit: split % 2 == 0 ? 1 : CheckpointCoding.blockLimit)
      #expect(read == checkpoint)
      let second = Projection(read)
      for block in blocks[split...] { try second.apply(block.view, observer: &observer) }
      #expect(second.checkpoint() == whole.checkpoint())
    }
  }

  /// A forgetting that was interrupted has not reached the segment with the opening.
  @Test func aClientOpensAgainAfterItsSessionWasForgotten() throws {
    let client = ClientID(user: 1000, name: "reader")
    let opening = Opening(client: client, time: 0, policy: .safari)
    let (first, second) = (SessionID(high: 1, low: 1), SessionID(high: 1, low: 2))
    var payload = ByteWriter(capacity: 1024)
    payload.appendZeros(BlockHeader.size)
    EntryCoding.append(opening, of: first, to: &payload)
    EntryCoding.appendForgotten(first, to: &payload)
    EntryCoding.append(opening, of: second, to: &payload)
    let header = BlockHeader(
      payloadLength: payload.count - BlockHeader.size, kind: .records, recordCount: 3, firstPosition: 1, received: 1,
      syncedTo: 0, syncedOffset: 0)
    let projection = Projection(.empty)
    var observer = NoObserver()
    try projection.apply(header.view(payload.take(), at: 0), observer: &observer)
    #expect(projection.session(of: client)?.id == second)
    #expect(projection.sessions.count == 1)
  }

  @Test func everyRecordIsReportedInOrder() throws {
    let (blocks, expected) = blocks(60)
    let projection = Projection(.empty)
    var observer = Witness()
    for block in blocks { try projection.apply(block.view, observer: &observer) }
    #expect(observer.seen == expected)
  }

  /// A fold that stops anywhere within a block and continues is the same fold.
  @Test func aFoldCanStopWithinABlock() throws {
    let (blocks, expected) = blocks(12)
    let steps = Projection(.empty)
    var witness = Witness()
    for block in blocks {
      for position in block.firstPosition...block.lastPosition {
        try steps.apply(block.view, through: position, observer: &witness)
        #expect(steps.position == position)
      }
    }
    let whole = Projection(.empty)
    var observer = NoObserver()
    for block in blocks { try whole.apply(block.view, observer: &observer) }
    #expect(witness.seen == expected)
    #expect(steps.checkpoint() == whole.checkpoint())
  }

  @Test func statesAreThoseOfThePolicy() throws {
    let (blocks, expected) = blocks(60)
    let projection = Projection(.empty)
    var observer = NoObserver()
    for block in blocks { try projection.apply(block.view, observer: &observer) }
    var states: [SessionID: (policy: Policy, state: FoldState)] = [:]
    for stored in expected {
      switch stored.record {
      case .open(let opening): states[stored.session] = (opening.policy, FoldState())
      case .close: states[stored.session] = nil
      case .event(let event, _):
        guard let policy = states[stored.session]?.policy else { continue }
        var state = states[stored.session]?.state ?? FoldState()
        _ = policy.step(&state, event)
        states[stored.session]?.state = state
      case .request, .response: break
      }
    }
    #expect(projection.sessions.mapValues(\.state) == states.mapValues(\.state))
    for session in projection.sessions.values { #expect(projection.session(of: session.client) === session) }
  }

  /// What only lists records sees the same ones, from the same sessions, and refuses the same blocks.
  @Test func aFoldWithoutStatesPassesTheSameRecords() throws {
    let (blocks, expected) = blocks(60)
    let whole = Projection(.empty)
    let listing = Projection(.empty, computesStates: false) { _, _ in true }
    var observer = NoObserver()
    var witness = Witness()
    for block in blocks {
      try whole.apply(block.view, observer: &observer)
      try listing.apply(block.view, observer: &witness)
    }
    #expect(witness.seen == expected)
    #expect(listing.sessions.mapValues(\.nextNumber) == whole.sessions.mapValues(\.nextNumber))
    #expect(listing.sessions.mapValues(\.lastPosition) == whole.sessions.mapValues(\.lastPosition))
    #expect(listing.sessions.values.allSatisfy { $0.state == FoldState() && $0.measures == SessionMeasures() })
  }

  @Test func aCopyIsIndependent() throws {
    let (blocks, _) = blocks(20)
    let projection = Projection(.empty)
    var observer = NoObserver()
    for block in blocks[..<10] { try projection.apply(block.view, observer: &observer) }
    let before = projection.checkpoint()
    let copy = projection.copyForQuery { _, _ in true }
    for block in blocks[10...] { try copy.apply(block.view, observer: &observer) }
    #expect(projection.checkpoint() == before)
    for block in blocks[10...] { try projection.apply(block.view, observer: &observer) }
    #expect(copy.position == projection.position)
    #expect(copy.sessions.mapValues(\.state) == projection.sessions.mapValues(\.state))
    #expect(copy.sessions.mapValues(\.nextNumber) == projection.sessions.mapValues(\.nextNumber))
  }

  @Test func aFoldForAQueryKeptTheSessionsAndTextsOfEveryone() throws {
    let (blocks, _) = blocks(20)
    let all = Projection(.empty)
    var observer = NoObserver()
    for block in blocks[..<10] { try all.apply(block.view, observer: &observer) }
    for wanted in all.sessions.keys {
      let some = all.copyForQuery { id, _ in id == wanted }
      let read = Projection(all.checkpoint()) { id, _ in id == wanted }
      let rest = Projection(all.checkpoint())
      for block in blocks[10...] {
        for fold in [some, read, rest] { try fold.apply(block.view, observer: &observer) }
      }
      for fold in [some, read] {
        #expect(fold.position == rest.position && fold.received == rest.received)
        #expect(fold.sessions[wanted]?.state == rest.sessions[wanted]?.state)
        #expect(fold.sessions.keys.allSatisfy { $0 == wanted })
        #expect(fold.sessions.values.allSatisfy { $0.opening.title == nil && $0.opening.application == nil })
      }
    }
  }

  @Test func aFoldForAQueryStopsWithinARunThatItSkips() throws {
    let (blocks, _) = blocks(20)
    var observer = NoObserver()
    for block in blocks {
      for limit in block.view.firstPosition...block.view.lastPosition {
        let fold = Projection(.empty) { _, _ in false }
        for earlier in blocks where earlier.lastPosition < block.view.firstPosition {
          try fold.apply(earlier.view, observer: &observer)
        }
        try fold.apply(block.view, through: limit, observer: &observer)
        #expect(fold.position == limit)
      }
    }
  }

  @Test func positionsOfTheNewestEventsAreKnown() throws {
    let (blocks, expected) = blocks(60)
    let projection = Projection(.empty)
    var observer = NoObserver()
    var known = 0
    for block in blocks {
      try projection.apply(block.view, observer: &observer)
      for stored in expected.prefix(Int(block.lastPosition)) {
        guard case .event(_, let number) = stored.record, let session = projection.sessions[stored.session] else {
          continue
        }
        #expect(session.position(ofNumber: number) == stored.position)
        known += 1
      }
      for session in projection.sessions.values {
        #expect(session.position(ofNumber: 0) == nil)
        #expect(session.position(ofNumber: session.nextNumber) == nil)
      }
    }
    #expect(known > 100)
  }

  @Test func theNumberIndexDropsTheOldestRuns() {
    var index = NumberIndex()
    for run: Int64 in 0..<1000 {
      index.add(.init(firstNumber: run * 2 + 1, firstPosition: run * 10 + 1, count: 2))
    }
    #expect(index.position(of: 2000) == 9992)
    // Run 744 is the oldest of 256.
    #expect(index.position(of: 744 * 2 + 1) == Position(744 * 10 + 1))
    #expect(index.position(of: 744 * 2) == nil)
    #expect(index.newest(3).map(\.firstNumber) == [1995, 1997, 1999])
    // Consecutive numbers at consecutive positions are one run.
    index.add(.init(firstNumber: 2001, firstPosition: 9993, count: 5))
    #expect(index.newest(1) == [.init(firstNumber: 1999, firstPosition: 9991, count: 7)])
  }

  @Test func impossibleRecordsAreErrors() throws {
    let session = SessionID(high: 3, low: 4)
    let client = ClientID(user: 1, name: "a")
    let opening = Opening(client: client, time: 1, policy: .safari)
    func error(_ build: (inout BlockBuilder) -> Void) throws -> ContentError {
      var builder = BlockBuilder(nextPosition: 1, received: 0)
      build(&builder)
      let finished = builder.finish(received: 0)
      let block = try #require(finished)
      return try thrown(ContentError.self) {
        var observer = NoObserver()
        try Projection(.empty).apply(block.view, observer: &observer)
      }
    }
    #expect(try error { $0.append(Closing(time: 1, reason: .asked), of: session) } == .sessionNotOpen(session, 1))
    #expect(
      try error {
        $0.beginRun(session, firstNumber: 1)
        $0.append(Event(.zoomBegin, time: 1))
        $0.endRun()
      } == .sessionNotOpen(session, 1))
    #expect(
      try error {
        $0.append(opening, of: session)
        $0.append(opening, of: SessionID(high: 9, low: 9))
      } == .alreadyOpen(SessionID(high: 9, low: 9), 2))
    #expect(
      try error {
        $0.append(opening, of: session)
        $0.beginRun(session, firstNumber: 2)
        $0.append(Event(.zoomBegin, time: 1))
        $0.endRun()
      } == .numberGap(session, expected: 1, found: 2))
    var builder = BlockBuilder(nextPosition: 3, received: 0)
    builder.append(opening, of: session)
    let finished = builder.finish(received: 0)
    let block = try #require(finished)
    #expect(throws: ContentError.positionGap(expected: 1, found: 3)) {
      var observer = NoObserver()
      try Projection(.empty).apply(block.view, observer: &observer)
    }
  }
}

/// An observer that records what a fold reports.
private struct Witness: ProjectionObserver {
  var seen: [StoredRecord] = []

  mutating func opened(_ session: Session, at place: RecordPlace) { note(session, .open(session.opening), place) }
  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {
    #expect(session.lastPosition == place.position)
    #expect(session.nextNumber == number + 1)
    note(session, .event(event, number: number), place)
  }
  mutating func passed(_ session: Session, _ event: Event, number: Int64, at place: RecordPlace) {
    #expect(session.lastPosition == place.position)
    #expect(session.nextNumber == number + 1)
    note(session, .event(event, number: number), place)
  }
  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    note(session, .request(request), place)
  }
  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {
    note(session, .response(response), place)
  }
  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    note(session, .close(closing), place)
  }

  private mutating func note(_ session: Session, _ record: Record, _ place: RecordPlace) {
    seen.append(
      StoredRecord(position: place.position, received: place.received, session: session.id, record: record))
  }
}
