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
      let opened = try #require(opening)
      try projection.apply(opened.view, observer: &observer)
      var state = FoldState()
      var expected: (number: Int64, reason: Reason, state: FoldState)?
      for (index, event) in RandomSession.realistic(seed: seed).enumerated() {
        let number = Int64(index + 1)
        builder.beginRun(id, firstNumber: number)
        builder.append(event)
        builder.endRun()
        let finished = builder.finish(received: 1)
        let block = try #require(finished)
        try projection.apply(block.view, observer: &observer)
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

  /// A checkpoint as programs wrote it before they remembered turns: one session, whose toolbar has turned.
  private static let earlierCheckpoint = """
    53424c4b8dfff3b606030000060300000200000000000000040000000000000002000000000000000300000000000000000000000000000010030000
    00000000000200000000000000020000000100000001000000000000000000000000000000010000000000000011d002000000000000000000000000
    000000000007e80300000600000072656164657200000000000000000006000000736166617269060000007361666172690b000c0000006869646544
    697374616e63650200000031300c00000073686f7744697374616e63650200000031300d00000065646765546f6c6572616e636501000000320d0000
    007a6f6f6d546f6c6572616e636505000000302e3030350e0000007a6f6f6d496e44697374616e636504000000302e30350c0000006d696e696d756d
    52616e6765030000003135300a000000686964654f6666736574010000003011000000746f70427574746f6e44697374616e63650300000034353013
    000000746f70427574746f6e48797374657265736973030000003130300e000000706167654879737465726573697304000000302e30350e00000072
    657665616c4174426f74746f6d0a0000007365636f6e6450756c6c010000000000000001000000000000000300000000000000020000000000000003
    00000000000000020140bf0f0000000000010000000000000000010000000000407f4001000000000060784001000000000088d34001000000000060
    7840010000000000608a400000000000000000000000000000000000000000000000000000000000000000000000000000f03f000000000000f03f00
    000000010200000101000000000000000001010000000000000001000000000000000001000000000060784000010000000000407f40000000000040
    7fc00000000000407f40000000000000000000000000000000000000000000000000000000000000000000000000010000000000407f400100000000
    0088d34000000000000000f03f010000000000000000010000000000607840010001000000000000000200000000000000020000000000000001007d
    0000000000000140bf0f0000000000000100000000000000000000000000000001007d00000000000001158c4aea0434b13f000059f8cfe99ade05e8
    """

  /// The checkpoint of a session whose toolbar has turned, without the turn.
  private static func checkpointWithoutTurn() -> Checkpoint {
    var checkpoint = Checkpoint.empty
    var measures = SessionMeasures()
    var state = FoldState()
    let events: [Event] = [
      .sized(time: 1_000_000), .moved(.dragBegin, to: 0, by: nil, time: 1_016_000),
      .moved(.scroll, to: 500, by: -500, time: 1_032_000),
    ]
    for event in events {
      let step = Policy.safari.step(&state, event)
      measures.add(event, step, state)
    }
    checkpoint.sessions = [
      Checkpoint.Session(
        id: SessionID(high: 0, low: 7),
        opening: Opening(client: ClientID(user: 1000, name: ClientName("reader")), time: 0, policy: .safari),
        openedPosition: 1, openedReceived: 1, lastPosition: 3, lastReceived: 2, nextNumber: 3, state: state,
        measures: measures, turn: nil, newestRuns: [.init(firstNumber: 1, firstPosition: 2, count: 2)])
    ]
    checkpoint.position = 3
    checkpoint.received = 2
    return checkpoint
  }

  @Test func aCheckpointOfAnEarlierProgramIsReadAndLeavesTheTurnUnknown() throws {
    let digits = Array(Self.earlierCheckpoint.filter(\.isHexDigit))
    let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    let expected = Self.checkpointWithoutTurn()
    #expect(Self.written(expected) == bytes, "what has no turn is written as before")
    let checkpoint = try Self.read(bytes, at: 3)
    #expect(checkpoint == expected)
    let session = try #require(Projection(checkpoint).sessions.values.first)
    #expect(session.measures?.flips == 1)
    #expect(session.turn == nil && !session.hasNeverTurned)
  }

  private static func coded(_ checkpoint: Checkpoint) throws -> Checkpoint {
    try read(written(checkpoint), at: checkpoint.position)
  }

  private static func written(_ checkpoint: Checkpoint) -> [UInt8] {
    var writer = ByteWriter(capacity: 1024)
    CheckpointCoding.append(checkpoint, generations: GenerationHistory(), identifier: 77, to: &writer)
    return writer.bytes.withBytes(0, writer.count) { Array($0) }
  }

  private static func read(_ bytes: [UInt8], at position: Position) throws -> Checkpoint {
    let fileSystem = FaultyFileSystem()
    fileSystem["/checkpoint"] = bytes
    var scanner = SegmentScanner(try fileSystem.openForReading("/checkpoint"), identifier: 77, offset: 0)
    return try SegmentReading.checkpoint(&scanner, firstPosition: position + 1).0
  }
}

extension Event {
  /// The layout of a long page.
  fileprivate static func sized(time: Int64) -> Event {
    var event = Event(.layout, time: time)
    (event.contentWidth, event.contentHeight, event.frameWidth, event.frameHeight) = (390, 20_000, 390, 844)
    return event
  }

  /// A change of the offset, with the finger's way since the drag began.
  fileprivate static func moved(_ kind: Kind, to y: Double, by translation: Double?, time: Int64) -> Event {
    var event = Event(kind, time: time)
    (event.x, event.y, event.translationY) = (0, y, translation)
    return event
  }
}
