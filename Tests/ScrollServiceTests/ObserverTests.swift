import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ExplainTests {
  @Test func theTurnIsTheTransitionThatLastChangedTheToolbar() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let before = try client.call("Explain", ["client": "reader"])
    #expect(before["open"] == true && before["turned"] == false && before.members["turn"] == nil)
    var last: (position: Int64, reason: JSONTree)?
    let watch = try daemon.connect().stream("Subscribe")
    _ = watch.take()
    for event in Gestures.flips(8) {
      try client.call("Append", ["session": session, "events": [event]])
      for reply in watch.take() {
        guard let transition = reply.members["transition"], "\(transition["changed"])".contains("\"toolbar\"") else {
          continue
        }
        last = (reply["position"].int ?? 0, transition["reason"])
      }
      let explained = try client.call("Explain", ["client": "reader"])
      #expect(try explained["state"] == client.call("Get", ["client": "reader"])["state"])
      #expect(explained["turned"] == .bool(last != nil))
      guard let last else { continue }
      #expect(explained["turn"]["position"] == .int(last.position))
      #expect(explained["turn"]["reason"] == last.reason)
    }
    #expect(last != nil, "the gestures turn the toolbar")
    try client.call("Close", ["session": session])
    let closed = try client.call("Explain", ["client": "reader"])
    #expect(closed["open"] == false && closed.members["turned"] == nil)
  }
}

@Suite struct GetTests {
  @Test func thePresentStateIsTheFoldOfAllEvents() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    for events in [Gestures.flips(3), Gestures.flips(8)] {
      try client.call("Append", ["session": session, "events": .array(events)])
      let state = try LogTruth(daemon).states[session.string ?? ""]
      #expect(try client.call("Get", ["client": "reader"])["state"] == state)
    }
  }

  @Test func theStateAtEveryPastPositionIsFoundAcrossSegments() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let root = try daemon.connect(user: 0)
    var states: [JSONTree] = []
    for round in 0..<3 {
      let session = try client.call("Open", ["client": "reader"])["session"]
      states.append(try client.call("Get", ["client": "reader"])["state"])
      // The next session's opening follows its predecessor's closing, which changes no state.
      if round > 0 { states.insert(states[states.count - 2], at: states.count - 1) }
      for event in Gestures.flips(6) {
        try client.call("Append", ["session": session, "events": [event]])
        states.append(try client.call("Get", ["client": "reader"])["state"])
        if round == 1 { try root.call("Rotate") }
      }
    }
    #expect(states.count == Int(daemon.service.lastPosition))
    for (index, state) in states.enumerated() {
      let found = try client.call("Get", ["client": "reader", "position": .int(Int64(index + 1))])
      #expect(found["state"] == state, "position \(index + 1)")
    }
  }

  @Test func aTimeIsByTheDaemonsClockAndInclusive() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let start = daemon.clock.wall
    let session = try client.call("Open", ["client": "reader"])["session"]
    var states: [JSONTree] = [try client.call("Get", ["client": "reader"])["state"]]
    for index in 0..<6 {
      daemon.clock.advance(seconds: 10)
      try client.call("Append", ["session": session, "events": [Gestures.scroll(Double(index))]])
      states.append(try client.call("Get", ["client": "reader"])["state"])
      if index == 2 { try daemon.connect(user: 0).call("Rotate") }
    }
    for (index, state) in states.enumerated() {
      for offset in [0, 5_000_000] as [Int64] {
        let time = start + Int64(index) * 10_000_000 + offset
        #expect(try client.call("Get", ["client": "reader", "time": .int(time)])["state"] == state)
      }
    }
    for time in [start - 1, 0, .min] {
      #expect(throws: CallError("NoSuchClient")) {
        try client.call("Get", ["client": "reader", "time": .int(time)])
      }
    }
    #expect(try client.call("Get", ["client": "reader", "time": .int(.max)])["state"] == states.last)
  }

  @Test func aClosedClientKeepsItsLastStateEvenManySegmentsBack() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    try client.call("Append", ["session": session, "events": .array(Gestures.flips(4))])
    let state = try client.call("Get", ["client": "reader"])["state"]
    try client.call("Close", ["session": session])
    #expect(try client.call("Get", ["client": "reader"])["state"] == state)
    for _ in 0..<3 {
      let other = try client.call("Open", ["client": "other"])["session"]
      try client.call("Append", ["session": other, "events": .array(Gestures.flips(4))])
      try daemon.connect(user: 0).call("Rotate")
    }
    #expect(try client.call("Get", ["client": "reader"])["state"] == state)
    #expect(try daemon.restarted().connect().call("Get", ["client": "reader"])["state"] == state)
  }

  @Test func anUnknownClientIsAnError() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    #expect(throws: CallError("NoSuchClient")) { try client.call("Get", ["client": "reader"]) }
    try client.call("Open", ["client": "other"])
    try client.call("Open", ["client": "reader"])
    #expect(throws: CallError("NoSuchClient")) { try client.call("Get", ["client": "reader", "position": 1]) }
  }

  @Test func aPositionOutsideTheLogIsAnError() throws {
    let client = try TestDaemon().connect()
    try client.call("Open", ["client": "reader"])
    #expect(throws: CallError("NoSuchPosition", ["last": 1])) {
      try client.call("Get", ["client": "reader", "position": 2])
    }
    for position in [0, -1] as [JSONTree] {
      #expect(throws: CallError("InvalidParameter", ["parameter": "position"])) {
        try client.call("Get", ["client": "reader", "position": position])
      }
    }
  }

  @Test func withoutAUserTheCallersClientIsUsedOrElseTheOnlyOne() throws {
    let daemon = try TestDaemon()
    for user in [1000, 1001] as [UInt32] {
      let feeder = try daemon.connect(user: user)
      try feeder.call("Open", ["client": "both"])
      try feeder.call("Open", ["client": "only/\(user)"])
    }
    let own = try daemon.connect(user: 1000)
    #expect(try own.call("Get", ["client": "both"])["state"]["user"] == 1000)
    #expect(throws: CallError("NoSuchClient")) { try own.call("Get", ["client": "only/1001"]) }
    let observer = try daemon.connect(user: 1002, groups: [77])
    #expect(try observer.call("Get", ["client": "only/1001"])["state"]["user"] == 1001)
    #expect(throws: CallError("AmbiguousClient", ["users": [1000, 1001]])) {
      try observer.call("Get", ["client": "both"])
    }
    #expect(try observer.call("Get", ["client": "both", "user": 1001])["state"]["user"] == 1001)
    let seeing = try daemon.connect(user: 1001, groups: [77])
    #expect(try seeing.call("Get", ["client": "both"])["state"]["user"] == 1001)
  }

  @Test func aQuerySeesWhatItsConnectionSentBefore() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    daemon.isHolding = true
    client.send("Append", ["session": session, "events": .array(Gestures.flips(4))])
    let get = client.send("Get", ["client": "reader"])
    let list = client.send("List", [:], .more)
    let read = client.send("Read", ["session": session], .more)
    daemon.settle()
    #expect(!get.hasEnded)
    daemon.release()
    #expect(try get.answer()["state"]["position"] == 5)
    #expect(list.values("state").map { $0["position"] } == [5])
    #expect(read.values("number") == [1, 2, 3, 4])
  }

  @Test func othersSeeOnlyCommittedRecords() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let other = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    daemon.isHolding = true
    client.send("Append", ["session": session, "events": .array(Gestures.flips(4))])
    daemon.settle()
    #expect(try other.call("Get", ["client": "reader"])["state"]["position"] == 1)
    #expect(other.stream("Read").values("position") == [1])
    #expect(other.stream("List").values("state").map { $0["position"] } == [1])
  }
}

@Suite struct ListTests {
  @Test func aListHasOneReplyForEachOpenSessionInOrderOfOpening() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    for name in ["b", "a", "c"] { try client.call("Open", ["client": .string(name)]) }
    let gone = try client.call("Open", ["client": "gone"])["session"]
    try client.call("Close", ["session": gone])
    let list = client.stream("List")
    #expect(list.hasEnded)
    #expect(list.values("state").map { $0["client"] } == ["b", "a", "c"])
    let states = try LogTruth(daemon).states
    for state in list.values("state") { #expect(state == states[state["session"].string ?? ""]) }
    #expect(client.stream("List", ["clients": ["a", "c*"]]).values("state").map { $0["client"] } == ["a", "c"])
  }

  @Test func anEmptyListIsOneReplyWithoutAState() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let list = client.stream("List")
    #expect(list.hasEnded && list.replies == [[:]])
    try daemon.connect(user: 1001).call("Open", ["client": "theirs"])
    #expect(client.stream("List").replies == [[:]])
    #expect(try daemon.connect(user: 0).stream("List").values("state").count == 1)
  }

  @Test func aLongListWaitsForASlowReader() throws {
    let daemon = try TestDaemon { $0.maximumOutput = 16 << 10 }
    let client = try daemon.connect()
    for index in 0..<300 { client.send("Open", ["client": .string("reader/\(index)")]) }
    daemon.settle()
    client.window = 10
    let list = client.stream("List")
    #expect((daemon.service.connections[client.id]?.outputCount ?? 0) < 17 << 10)
    client.read()
    #expect(list.hasEnded)
    #expect(list.values("state").map { $0["client"] } == (0..<300).map { .string("reader/\($0)") })
  }
}

@Suite struct ReadTests {
  /// Two users' clients, with records of every kind.
  private static func daemon() throws -> TestDaemon {
    let daemon = try TestDaemon()
    let first = try daemon.connect()
    let session = try first.call("Open", ["client": "reader", "title": "A page"])["session"]
    let requests = try daemon.connect()
    _ = requests.stream("Requests", ["session": session])
    try first.call("Append", ["session": session, "events": .array(Gestures.flips(3))])
    let request = try first.call("Scroll", ["client": "reader", "target": "page", "page": 2])["position"]
    try first.call("Respond", ["session": session, "request": request, "done": false, "reason": "busy"])
    let second = try daemon.connect(user: 1001)
    let other = try second.call("Open", ["client": "reader"])["session"]
    try second.call("Append", ["session": other, "events": .array(Gestures.flips(2))])
    try first.call("Append", ["session": session, "events": .array(Gestures.flips(1))])
    try first.call("Close", ["session": session])
    return daemon
  }

  /// A recent copy of the fold from before the damage must not be continued after it.
  @Test func afterADamagedSegmentReadingContinuesAtThePositionInTheError() throws {
    let daemon = try TestDaemon { $0.compress = false }
    daemon.service.log.recent.interval = 0
    let client = try daemon.connect()
    let root = try daemon.connect(user: 0)
    let session = try client.call("Open", ["client": "reader"])["session"]
    for _ in 0..<3 {
      try client.call("Append", ["session": session, "events": .array(Gestures.flips(5))])
      try root.call("Rotate")
    }
    let records = root.stream("Read").replies
    #expect(records.count == 16)
    let firsts = daemon.log.segments.firstPositions
    let damaged = TestDaemon.directory + "/log/" + SegmentName.of(firsts[1])
    daemon.fileSystem.damageBlock(1, in: damaged)
    // There is no copy of the fold after the damage.
    daemon.service.log.recent.interval = .max
    let broken = root.stream("Read", ["after": .int(firsts[1] - 1)])
    #expect(broken.error?.name == "LogDamaged")
    #expect(broken.error?.parameters["file"] == .string(damaged))
    #expect(broken.error?.parameters["next"] == .int(firsts[2]))
    let behind = root.stream("Read", ["after": .int(firsts[2] - 1)])
    #expect(behind.error == nil)
    #expect(behind.replies == Array(records[Int(firsts[2] - 1)...]))
    let before = root.stream("Read", ["limit": .int(firsts[1] - 1)])
    #expect(before.replies == Array(records[..<Int(firsts[1] - 1)]))
  }

  @Test func everyRecordIsReadInOrderWithAllItsFields() throws {
    let daemon = try Self.daemon()
    let read = try daemon.connect(user: 0).stream("Read")
    #expect(read.hasEnded)
    #expect(read.values("position") == (1...11).map { .int($0) })
    #expect(
      read.values("record").map { $0["kind"] } == [
        "open", "layout", "scroll", "scroll", "request", "response", "open", "layout", "scroll", "layout", "close",
      ])
    #expect(read.values("number") == [1, 2, 3, 1, 2, 4])
    #expect(read.values("user") == [1000, 1000, 1000, 1000, 1000, 1000, 1001, 1001, 1001, 1000, 1000])
    #expect(read.values("received").allSatisfy { $0 == .int(daemon.clock.wall) })
    let records = read.values("record")
    let time = JSONTree.int(daemon.clock.wall)
    let parameters = Policy.safari.parameters.map {
      ["name": .string($0.name), "value": .string($0.value)] as JSONTree
    }
    #expect(
      records[0] == [
        "kind": "open", "time": time, "client": "reader", "title": "A page", "policy": "safari", "rule": "safari",
        "parameters": .array(parameters),
      ])
    #expect(records[2] == Gestures.scroll(100))
    #expect(records[4] == ["kind": "request", "time": time, "target": "page", "page": 2])
    #expect(records[5] == ["kind": "response", "time": time, "request": 5, "done": false, "reason": "busy"])
    #expect(records[10] == ["kind": "close", "time": time, "reason": "asked"])
  }

  @Test func readingIsLimitedBySessionClientUserPositionAndLimit() throws {
    let daemon = try Self.daemon()
    let root = try daemon.connect(user: 0)
    let all = root.stream("Read").replies
    let session = all[0]["session"]
    let queries: [(JSONTree, (JSONTree) -> Bool)] = [
      (["session": session], { $0["session"] == session }),
      (["user": 1001], { $0["user"] == 1001 }),
      (["client": "reader", "user": 1000], { $0["user"] == 1000 }),
      (["after": 6], { ($0["position"].int ?? 0) > 6 }),
      (["after": 11], { _ in false }),
      (["session": session, "after": 6], { $0["session"] == session && ($0["position"].int ?? 0) > 6 }),
      (["client": "nobody"], { _ in false }),
    ]
    for (query, matches) in queries {
      let expected = all.filter(matches)
      let read = root.stream("Read", query)
      #expect(read.hasEnded)
      #expect(read.replies == (expected.isEmpty ? [[:]] : expected), "\(query)")
      for limit in 1...4 {
        var limited = query
        limited["limit"] = .int(Int64(limit))
        let cut = Array(expected.prefix(limit))
        #expect(root.stream("Read", limited).replies == (cut.isEmpty ? [[:]] : cut), "\(limited)")
      }
    }
  }

  @Test func othersRecordsAreNotSeen() throws {
    let daemon = try Self.daemon()
    let own = try daemon.connect(user: 1001)
    #expect(own.stream("Read").values("position") == [7, 8, 9])
    let theirs = try daemon.connect(user: 0).stream("Read").replies[0]["session"]
    #expect(own.stream("Read", ["session": theirs]).replies == [[:]])
    #expect(own.stream("Read", ["user": 1000]).error == CallError("PermissionDenied"))
  }

  @Test(
    arguments: [
      ("session", "xyz"), ("limit", 0), ("limit", -1), ("after", -1), ("user", -1), ("user", 4_294_967_296),
      ("client", 1), ("wrong", true),
    ] as [(String, JSONTree)])
  func aBadParameterIsNamed(name: String, value: JSONTree) throws {
    let client = try TestDaemon().connect()
    #expect(client.stream("Read", [name: value]).error == CallError("InvalidParameter", ["parameter": .string(name)]))
  }

  @Test func readingEndsAlthoughTheLogGrows() throws {
    let daemon = try TestDaemon()
    let feeder = try daemon.connect()
    let session = try feeder.call("Open", ["client": "reader"])["session"]
    let events = [JSONTree](repeating: Gestures.scroll(1), count: 2048)
    for _ in 0..<3 { try feeder.call("Append", ["session": session, "events": .array(events)]) }
    let read = try daemon.connect().send("Read", [:], .more)
    // Each turn appends more than a stream reads in a turn.
    var turns = 0
    while !read.hasEnded, turns < 50 {
      feeder.send("Append", ["session": session, "events": .array(events)])
      daemon.turn()
      turns += 1
    }
    #expect(read.hasEnded)
    #expect(read.replies.count >= 6145)
  }

  @Test func aLongReadWaitsForASlowReader() throws {
    let daemon = try TestDaemon { $0.maximumOutput = 16 << 10 }
    let feeder = try daemon.connect()
    let session = try feeder.call("Open", ["client": "reader"])["session"]
    for _ in 0..<8 {
      try feeder.call(
        "Append", ["session": session, "events": .array([JSONTree](repeating: Gestures.scroll(1), count: 1024))])
    }
    let slow = try daemon.connect()
    slow.window = 10
    let read = slow.stream("Read")
    #expect((daemon.service.connections[slow.id]?.outputCount ?? 0) < 512 << 10)
    slow.read()
    #expect(read.values("position") == (1...8193).map { .int($0) })
  }
}
