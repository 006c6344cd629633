import ScrollLogTesting
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollLog

/// What checkpoints remember of the event that last turned a session's toolbar.
@Suite struct TurnTests {
  private static let reasons: [Reason] = [
    .travelledDown(travelDown: 12.5, hideDistance: 10), .travelledUp(travelUp: 11, showDistance: 10),
    .secondPull(distance: 0.1), .arrivedAtBottom(offset: 5, bottom: 4), .pulledAtTop(offset: -3, top: 0),
    .atTop(offset: 0, top: -44), .nothingScrolls(range: 1, edgeTolerance: 2), .zoomedIn(zoomScale: 2, threshold: 1.05),
    .zoomedOut(zoomScale: 1, threshold: 1.005), .pinned, .translatedDown(translationY: 4),
    .notTranslatedDown(translationY: -4), .latchedAtBottom(translationY: -0.5), .scaleIsMinimum(zoomScale: 1),
    .scaleIsNotMinimum(zoomScale: 2, minimumZoomScale: 1),
  ]

  private static func turn(_ reason: Reason) -> Turn {
    var state = FoldState()
    for event in RandomSession.realistic(seed: 3) { _ = Policy.safari.step(&state, event) }
    return Turn(
      position: 70, number: 65, time: 1_700_000_000_000_000, kind: .dragEnd, reason: reason,
      clock: SessionClock(elapsed: 5_000_000, reading: 1_700_000_000_000_001, wasSetBack: true), state: state)
  }

  @Test(arguments: reasons) func everyReasonIsReadBack(reason: Reason) throws {
    let turn = Self.turn(reason)
    #expect(try Turn(encoded: turn.encoded) == turn)
  }

  @Test func bytesThatAreNoTurnAreRefused() throws {
    let bytes = Self.turn(.pinned).encoded
    for count in 0..<bytes.count {
      #expect(throws: ContentError.self) { try Turn(encoded: Array(bytes[..<count])) }
    }
    #expect(throws: ContentError.self) { try Turn(encoded: bytes + [0]) }
    #expect(throws: ContentError.self) { try Turn(encoded: [2] + bytes.dropFirst()) }
  }

  @Test func theTurnIsTheLastStepThatChangedTheToolbarAndSurvivesACheckpoint() throws {
    let id = SessionID(high: 0, low: 7)
    let client = ClientID(user: 1000, name: ClientName("reader"))
    var hasTurned = false
    for seed in 0..<40 as Range<UInt64> {
      let projection = Projection(.empty)
      var observer = NoObserver()
      var builder = BlockBuilder(nextPosition: 1, received: 0, capacity: 1024)
      builder.append(Opening(client: client, time: 0, policy: .safari), of: id)
      let opening = builder.finish(received: 1)
      try projection.apply(#require(opening).view, observer: &observer)
      var state = FoldState()
      var expected: (number: Int64, reason: Reason, state: FoldState)?
      for (index, event) in RandomSession.realistic(seed: seed).enumerated() {
        let number = Int64(index + 1)
        builder.beginRun(id, firstNumber: number)
        builder.append(event)
        builder.endRun()
        let block = builder.finish(received: 1)
        try projection.apply(#require(block).view, observer: &observer)
        let step = Policy.safari.step(&state, event)
        if step.changed.contains(.toolbar), let reason = step.reason { expected = (number, reason, state) }
        let session = try #require(projection.sessions[id])
        #expect(session.turn?.number == expected?.number && session.turn?.position == expected.map { $0.number + 1 })
        #expect(session.turn?.reason == expected?.reason && session.turn?.state == expected?.state)
        #expect(session.hasNeverTurned == (expected == nil))
      }
      hasTurned = hasTurned || expected != nil
      let checkpoint = projection.checkpoint()
      let copy = Projection(try Self.coded(checkpoint))
      #expect(copy.sessions[id]?.turn == projection.sessions[id]?.turn)
    }
    #expect(hasTurned, "some session turns its toolbar")
  }

  @Test func aCheckpointOfAnEarlierProgramLeavesTheTurnUnknown() throws {
    var checkpoint = Checkpoint.empty
    var measures = SessionMeasures()
    var state = FoldState()
    for event in RandomSession.realistic(seed: 3) {
      let step = Policy.safari.step(&state, event)
      measures.add(event, step, state)
    }
    let client = ClientID(user: 1000, name: ClientName("reader"))
    checkpoint.sessions = [
      Checkpoint.Session(
        id: SessionID(high: 0, low: 7), opening: Opening(client: client, time: 0, policy: .safari), openedPosition: 1,
        openedReceived: 1,
        lastPosition: 1, lastReceived: 1, nextNumber: 1, state: state,
        measures: SessionMeasures(
          clock: measures.clock, flips: 3, flickers: 0, reach: measures.reach, lastFlip: measures.lastFlip),
        turn: nil, newestRuns: [])
    ]
    let session = try #require(Projection(try Self.coded(checkpoint)).sessions.values.first)
    #expect(session.turn == nil && !session.hasNeverTurned)
  }

  /// Writes a checkpoint, and reads it back.
  private static func coded(_ checkpoint: Checkpoint) throws -> Checkpoint {
    var writer = ByteWriter(capacity: 1024)
    CheckpointCoding.append(checkpoint, generations: GenerationHistory(), identifier: 77, to: &writer)
    let fileSystem = FaultyFileSystem()
    fileSystem["/checkpoint"] = writer.bytes.withBytes(0, writer.count) { Array($0) }
    var scanner = SegmentScanner(try fileSystem.openForReading("/checkpoint"), identifier: 77, offset: 0)
    return try SegmentReading.checkpoint(&scanner, firstPosition: checkpoint.position + 1).0
  }
}
