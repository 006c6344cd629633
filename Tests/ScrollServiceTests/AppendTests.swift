import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct AppendTests {
  /// A daemon, and a client with one session.
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let session: JSONTree

    init(_ daemon: TestDaemon) throws {
      self.daemon = daemon
      client = try daemon.connect()
      session = try client.call("Open", ["client": "reader"])["session"]
    }

    init() throws { try self.init(TestDaemon()) }

    func append(_ events: [JSONTree], number: JSONTree = .null) throws -> JSONTree {
      try client.call("Append", ["session": session, "number": number, "events": .array(events)])
    }

    /// The kinds and numbers of all events in the log.
    func numbers() -> [JSONTree] { client.stream("Read", ["session": session]).values("number") }
  }

  @Test func theAnswerNamesTheLastPositionAndTheNextNumber() throws {
    let scene = try Scene()
    #expect(
      try scene.append(Gestures.flips(3), number: 1)
        == ["position": 4, "nextNumber": 4, "durable": true, "generation": 1])
    #expect(
      try scene.append(Gestures.flips(1)) == ["position": 5, "nextNumber": 5, "durable": true, "generation": 1])
  }

  @Test func aCompleteResendGetsTheFirstAnswerAgain() throws {
    let scene = try Scene()
    let first = try scene.append(Gestures.flips(3), number: 1)
    _ = try scene.append(Gestures.flips(2), number: 4)
    #expect(try scene.append(Gestures.flips(3), number: 1) == first)
    #expect(scene.numbers() == [1, 2, 3, 4, 5])
  }

  @Test func onlyTheUnknownEventsOfACallAreStored() throws {
    let scene = try Scene()
    _ = try scene.append(Gestures.flips(3), number: 1)
    let answer = try scene.append(Gestures.flips(4), number: 2)
    #expect(answer["position"] == 6)
    #expect(answer["nextNumber"] == 6)
    #expect(scene.numbers() == [1, 2, 3, 4, 5])
  }

  @Test func knownEventsAreRecognisedByTheirNumbersAlone() throws {
    let scene = try Scene()
    let first = try scene.append(Gestures.flips(2), number: 1)
    #expect(try scene.append([["kind": "nonsense"], [:]], number: 1) == first)
  }

  @Test func aResendOfPendingEventsIsAnsweredOnceTheyAreOnDisk() throws {
    let scene = try Scene()
    scene.daemon.isHolding = true
    let parameters: JSONTree = ["session": scene.session, "number": 1, "events": .array(Gestures.flips(3))]
    let calls = [scene.client.send("Append", parameters)]
    scene.daemon.settle()
    // One while the block is being written, another while the next block is built.
    let more = scene.client.send("Append", parameters)
    scene.daemon.settle()
    let next = scene.client.send(
      "Append", ["session": scene.session, "number": 4, "events": .array(Gestures.flips(1))])
    let last = scene.client.send("Append", parameters)
    scene.daemon.settle()
    for call in calls + [more, next, last] { #expect(!call.hasEnded) }
    scene.daemon.release()
    for call in calls + [more, last] { #expect(try call.answer()["position"] == 4) }
    #expect(try next.answer()["position"] == 5)
    #expect(scene.numbers() == [1, 2, 3, 4])
  }

  @Test func aResendOfOldEventsIsAnsweredFromTheLog() throws {
    let scene = try Scene()
    var answers: [JSONTree] = []
    // More calls than a session remembers positions of.
    for number in 1...600 { answers.append(try scene.append([Gestures.scroll(1)], number: .int(Int64(number)))) }
    for number in [1, 2, 300] {
      #expect(try scene.append([Gestures.scroll(1)], number: .int(Int64(number))) == answers[number - 1])
    }
  }

  @Test func aResendIsRecognisedAfterARestart() throws {
    let scene = try Scene()
    var answers: [JSONTree] = []
    for number in 1...40 { answers.append(try scene.append([Gestures.scroll(1)], number: .int(Int64(number)))) }
    let client = try scene.daemon.restarted().connect()
    for number in [1, 20, 40] {
      let answer = try client.call(
        "Append", ["session": scene.session, "number": .int(Int64(number)), "events": [Gestures.scroll(1)]])
      #expect(answer == answers[number - 1])
    }
    let more = try client.call(
      "Append", ["session": scene.session, "number": 41, "events": [Gestures.scroll(1)]])
    #expect(more["position"] == 42)
  }

  @Test func aNumberBeyondTheNextIsAGapAndNothingIsStored() throws {
    let scene = try Scene()
    _ = try scene.append(Gestures.flips(2), number: 1)
    #expect(throws: CallError("NumberGap", ["expected": 3])) { try scene.append(Gestures.flips(1), number: 4) }
    #expect(scene.numbers() == [1, 2])
    for number in [0, -1, Int64.min] {
      #expect(throws: CallError("InvalidParameter", ["parameter": "number"])) {
        try scene.append(Gestures.flips(1), number: .int(number))
      }
    }
    #expect(throws: CallError("NumberGap", ["expected": 3])) {
      try scene.append(Gestures.flips(1), number: .int(.max))
    }
  }

  @Test func aRefusedOnewayCallLeavesAGapUntilTheSessionIsOpenedAgain() throws {
    let scene = try Scene()
    _ = try scene.append(Gestures.flips(1))
    scene.client.oneway("Append", ["session": scene.session, "events": [["kind": "zoom", "time": 1]]])
    scene.client.oneway("Append", ["session": scene.session, "events": .array(Gestures.flips(1))])
    #expect(throws: CallError("NumberGap", ["expected": 2])) { try scene.append(Gestures.flips(1)) }
    #expect(scene.numbers() == [1])
    let again = try scene.client.call("Open", ["client": "reader", "session": scene.session])
    #expect(again["nextNumber"] == 2)
    _ = try scene.append(Gestures.flips(1))
    #expect(scene.numbers() == [1, 2])
    // Both refusals were counted, and the first one was logged.
    #expect(scene.daemon.service.connections.counters.onewayCallsRefused == 2)
    #expect(scene.daemon.journal.messages.filter { $0.contains("oneway") }.count == 1)
  }

  @Test func anAppendThatNamesTheRightNumberEndsTheGap() throws {
    let scene = try Scene()
    scene.client.oneway("Append", ["session": scene.session, "events": [["kind": "zoom", "time": 1]]])
    _ = try scene.append(Gestures.flips(1), number: 1)
    _ = try scene.append(Gestures.flips(1))
    #expect(scene.numbers() == [1, 2])
  }

  @Test func aCallHoldsOneTo4096Events() throws {
    let scene = try Scene()
    #expect(throws: CallError("InvalidParameter", ["parameter": "events"])) { try scene.append([]) }
    let most = [JSONTree](repeating: Gestures.scroll(1), count: 4096)
    #expect(throws: CallError("TooManyEvents", ["limit": 4096])) { try scene.append(most + [Gestures.scroll(1)]) }
    #expect(try scene.append(most)["position"] == 4097)
  }

  /// The values that the interface's section on events forbids: a member for a scroll or a layout, and the reason.
  private static let faults: [(kind: String, member: String, value: JSONTree, reason: String)] = [
    ("scroll", "kind", "swipe", "is “swipe”: it must be one of"),
    ("scroll", "kind", "open", "is “open”: it must be one of"),
    ("scroll", "kind", "close", "is “close”: it must be one of"),
    ("scroll", "kind", "request", "is “request”: it must be one of"),
    ("scroll", "kind", "response", "is “response”: it must be one of"),
    ("scroll", "kind", .null, "is missing"),
    ("scroll", "time", .null, "is missing"),
    ("scroll", "time", -1, "it must lie between 0 and 2^53"),
    ("scroll", "time", 9_007_199_254_740_993, "it must lie between 0 and 2^53"),
    ("scroll", "time", 1.5, "it must be a whole number"),
    ("scroll", "x", .null, "is missing"),
    ("scroll", "y", .null, "is missing"),
    ("scroll", "y", "10", "is a string: it must be a finite number"),
    ("scroll", "y", true, "it must be a finite number"),
    ("scroll", "y", [1], "is an array: it must be a finite number"),
    ("scroll", "source", "wind", "it must be user, program or layout"),
    ("scroll", "source", 1, "it must be user, program or layout"),
    ("scroll", "zoomScale", 1, "does not belong to a scroll"),
    ("scroll", "wobble", 1, "is not a field of an event"),
    ("layout", "contentHeight", -0.5, "a size must be 0 or more"),
    ("layout", "contentWidth", -1, "a size must be 0 or more"),
    ("layout", "frameHeight", -1, "a size must be 0 or more"),
    ("layout", "frameWidth", -1, "a size must be 0 or more"),
    ("layout", "minimumZoomScale", 0, "a zoom scale must be more than 0"),
    ("layout", "maximumZoomScale", -2, "a zoom scale must be more than 0"),
    ("layout", "rightToLeft", 1, "it must be true or false"),
    ("zoom", "zoomScale", .null, "is missing"),
    ("zoom", "zoomScale", 0, "a zoom scale must be more than 0"),
    ("dragEnd", "willDecelerate", "yes", "it must be true or false"),
  ]

  @Test(arguments: faults.indices)
  func aBadFieldIsReportedWithItsIndexAndReasonAndNothingIsStored(index: Int) throws {
    let fault = Self.faults[index]
    let scene = try Scene()
    var event = Gestures.scroll(1)
    if fault.kind == "layout" { event = Gestures.layout }
    if fault.kind == "zoom" { event = ["kind": "zoom", "time": .int(Gestures.time), "zoomScale": 2] }
    if fault.kind == "dragEnd" { event["kind"] = "dragEnd" }
    _ = try scene.append([event])
    event[fault.member] = fault.value
    let call = scene.client.send(
      "Append", ["session": scene.session, "events": [Gestures.layout, Gestures.scroll(1), event, Gestures.scroll(2)]])
    scene.daemon.settle()
    let error = try #require(call.error)
    #expect(error.name == "InvalidEvent")
    #expect(error.parameters["index"] == 2)
    #expect(error.parameters["field"] == .string(fault.member))
    #expect(error.parameters["reason"].string?.contains(fault.reason) == true, "\(error)")
    #expect(scene.numbers() == [1])
    #expect(try scene.append([Gestures.scroll(3)])["position"] == 3)
  }

  @Test func aNumberOutsideTheRangeOfDoublesIsRefused() throws {
    let scene = try Scene()
    let text =
      #"{"method":"org.scrolld.Recorder.Append","parameters":{"session":"\#(scene.session.string ?? "")","#
      + #""events":[{"kind":"scroll","time":1,"x":0,"y":1e400}]}}"#
    scene.client.send(raw: Array(text.utf8) + [0])
    scene.daemon.settle()
    #expect(scene.client.rawReplies.map { $0.contains("InvalidEvent") && $0.contains(#""field":"y""#) } == [true])
    #expect(scene.daemon.service.lastPosition == 1)
  }

  @Test func aTimeThatRunsBackwardsIsKeptAsItIs() throws {
    let scene = try Scene()
    var late = Gestures.scroll(1)
    late["time"] = 9_007_199_254_740_992
    var early = Gestures.scroll(2)
    early["time"] = 0
    _ = try scene.append([late, early])
    let times = scene.client.stream("Read", ["session": scene.session]).values("record").map { $0["time"] }
    #expect(Array(times.suffix(2)) == [9_007_199_254_740_992, 0])
  }

  @Test func appendedEventsReadBackUnchanged() throws {
    let scene = try Scene()
    let seed = SeededRandom.seedOfRun
    let events = (0..<20).flatMap { RandomSession.senseless(seed: seed &+ $0, isAbsurd: true) }
    let sent = try Gestures.json(events)
    _ = try scene.append(sent)
    let read = scene.client.stream("Read", ["session": scene.session, "after": 1]).values("record")
    #expect(read == sent, "seed \(seed)")
  }

  @Test(arguments: Configuration.Sync.allCases)
  func theAnswerComesAfterTheCommitAndSaysWhetherItIsDurable(sync: Configuration.Sync) throws {
    let scene = try Scene(TestDaemon { $0.sync = sync })
    scene.daemon.isHolding = true
    let syncs = scene.daemon.fileSystem.operations.filter { $0.operation == .sync }.count
    let call = scene.client.send("Append", ["session": scene.session, "events": .array(Gestures.flips(2))])
    scene.daemon.settle()
    #expect(!call.hasEnded)
    scene.daemon.release()
    let synced = scene.daemon.fileSystem.operations.filter { $0.operation == .sync }.count - syncs
    #expect(try call.answer()["durable"] == .bool(sync == .commit))
    #expect(synced == (sync == .commit ? 1 : 0))
  }

  @Test func callsThatArriveDuringAWriteShareTheNextBlock() throws {
    let scene = try Scene()
    let before = scene.daemon.service.commit.counters.blocksWritten
    scene.daemon.isHolding = true
    var calls: [TestCall] = []
    for _ in 0..<50 {
      calls.append(scene.client.send("Append", ["session": scene.session, "events": .array(Gestures.flips(1))]))
      scene.daemon.settle()
    }
    scene.daemon.release()
    #expect(try calls.map { try $0.answer()["position"] } == (2...51).map { .int($0) })
    #expect(scene.daemon.service.commit.counters.blocksWritten - before == 2)
  }
}
