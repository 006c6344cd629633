import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct SessionListingTests {
  /// Lists sessions, and returns the summaries.
  private func list(_ client: TestClient, _ parameters: JSONTree = [:]) -> [JSONTree] {
    client.stream("Sessions", parameters).values("summary").filter { $0 != .null }
  }

  /// Records a session of a client.
  @discardableResult
  private func record(_ client: TestClient, _ name: String, events: Int = 6, closes: Bool = true) throws -> JSONTree {
    let opening: JSONTree = ["client": .string(name), "title": .string("On \(name)"), "application": "App", "time": 7]
    let session = try client.call("Open", opening)["session"]
    if events > 0 {
      try client.call("Append", ["session": session, "number": 1, "events": .array(Gestures.flips(events))])
    }
    if closes { try client.call("Close", ["session": session, "time": .int(Gestures.time + 5)]) }
    return session
  }

  @Test func closedAndOpenSessionsAreListedWithWhatTheyComeTo() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    #expect(list(client) == [])
    let closed = try record(client, "a")
    let open = try record(client, "b", events: 0, closes: false)
    let found = list(client)
    #expect(found.map { $0["session"] } == [closed, open])
    #expect(found[0]["client"] == "a")
    #expect(found[0]["user"] == 1000)
    #expect(found[0]["title"] == "On a")
    #expect(found[0]["application"] == "App")
    #expect(found[0]["policy"] == "safari")
    #expect(found[0]["position"] == 1)
    #expect(found[0]["opened"] == 7)
    #expect(found[0]["closed"] == .int(Gestures.time + 5))
    #expect(found[0]["reason"] == "asked")
    #expect(found[0]["whole"] == .bool(true))
    #expect(found[0]["events"] == 6)
    #expect(found[0]["duration"] == 5)
    #expect(found[0]["reach"] == .number((400.0 + 844) / 5000))
    // 400 hides, 100 shows, and so on, all in the same moment.
    #expect(found[0]["flips"] == 4)
    #expect(found[0]["flickers"] == 3)
    #expect(found[1]["closed"] == .null)
    #expect(found[1]["reach"] == .null)
    #expect(found[1]["events"] == 0)
    #expect(found[1]["title"] == "On b")
  }

  /// A session that had lost all of its events in a repair was listed as a whole one without events.
  @Test func aSessionThatWasOpenWhereARepairLostRecordsIsNotWhole() throws {
    let daemon = try TestDaemon { $0.compress = false }
    let client = try daemon.connect()
    try record(client, "before")
    let session = try record(client, "across", events: 0, closes: false)
    for (index, event) in Gestures.flips(4).enumerated() {
      try client.call("Append", ["session": session, "number": .int(Int64(index) + 1), "events": [event]])
    }
    try daemon.connect(user: 0).call("Rotate")
    try client.call("Close", ["session": session])
    try record(client, "after")
    let left = daemon.fileSystem.afterKill()
    left.damageBlock(7, in: TestDaemon.directory + "/log/00000000000000000001.scrolllog")
    let options = LogOptions(syncMode: .commit, boot: BootID(high: 0, low: 3))
    let report = try LogRepair.run(directory: TestDaemon.directory, fileSystem: left, options: options)
    let repair = try #require(report.sealedRepairs.first)
    let gap = try #require(repair.gaps.first)
    // It packs what can be packed, and has nothing to say about what can't.
    let next = try TestDaemon(left.afterKill(), clock: daemon.clock, boot: 2)
    let reader = try next.connect()
    let refusal = try #require(reader.stream("Read").error)
    #expect(refusal.name == "LogDamaged")
    #expect(refusal.parameters["lost"] == .int(gap.lowerBound))
    #expect(refusal.parameters["next"] == .int(gap.upperBound + 1))
    let found = list(reader, ["after": .int(gap.upperBound)])
    #expect(found.map { $0["client"] } == ["across", "after"])
    #expect(found.map { $0["whole"] } == [.bool(false), .bool(true)])
    #expect(next.journal.messages.allSatisfy { !$0.contains("damaged") })
  }

  /// Sessions are measured across segments, snapshots and restarts, whatever the listing begins with.
  @Test func measuresSurviveRestartsAndNewSegments() throws {
    var daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try record(client, "a", events: 6, closes: false)
    try daemon.connect(user: 0).call("Rotate")
    daemon = try daemon.restarted()
    try daemon.connect(user: 0).call("Rotate")
    let next = try daemon.connect()
    try next.call("Append", ["session": session, "number": 7, "events": .array(Array(Gestures.flips(5).dropFirst()))])
    let whole = list(next)
    #expect(whole.first?["events"] == 10)
    #expect(whole.first?["title"] == "On a")
    // The offset was 100: 400 hides, 100 shows.
    #expect(whole.first?["flips"] == 7)
    let late = list(next, ["after": .int(daemon.service.lastPosition)])
    #expect(late == whole)
  }

  @Test func theIndexIsFilledAgainAfterARestart() throws {
    var daemon = try TestDaemon()
    let client = try daemon.connect()
    for index in 0..<40 { try record(client, "a/\(index)", closes: index % 4 != 0) }
    let before = list(client)
    #expect(before.count == 40)
    #expect(daemon.service.history.closedSessions.count == 30)
    daemon = try daemon.restarted()
    #expect(daemon.service.history.closedSessions.count == 0)
    let (next, root) = (try daemon.connect(), try daemon.connect(user: 0))
    // A part of the log does not fill it.
    #expect(list(next) == before)
    #expect(daemon.service.history.closedSessions.count == 0)
    #expect(list(root) == before)
    #expect(daemon.service.history.closedSessions.count == 30)
    #expect(list(root) == before && list(next) == before)
  }

  @Test func usersSeeTheirOwnSessionsAndObserversSeeAll() throws {
    let daemon = try TestDaemon()
    let (one, other, root) = (
      try daemon.connect(), try daemon.connect(user: 1001), try daemon.connect(user: 0)
    )
    try record(one, "a/1")
    try record(other, "a/2")
    try record(other, "b")
    #expect(list(one).map { $0["client"] } == ["a/1"])
    #expect(list(root).map { $0["client"] } == ["a/1", "a/2", "b"])
    #expect(list(root, ["clients": ["a/*"]]).map { $0["client"] } == ["a/1", "a/2"])
    #expect(list(root, ["user": 1001, "clients": ["a/*"]]).map { $0["client"] } == ["a/2"])
    #expect(one.stream("Sessions", ["user": 1001]).error == CallError("PermissionDenied"))
  }

  @Test func afterAPositionOnlyLaterClosingsAndOpenSessionsAreListed() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    try record(client, "a")
    let position = daemon.service.lastPosition
    try record(client, "b")
    try record(client, "c", closes: false)
    #expect(list(client, ["after": .int(position)]).map { $0["client"] } == ["b", "c"])
    let error = CallError("NoSuchPosition", ["last": .int(daemon.service.lastPosition)])
    #expect(client.stream("Sessions", ["after": 99]).error == error)
  }

  @Test func aForgottenSessionIsNotListed() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let root = try daemon.connect(user: 0)
    let session = try record(client, "secret")
    try record(client, "other")
    try root.call("Forget", ["session": session])
    #expect(list(client).map { $0["client"] } == ["other"])
  }

  // MARK: Sessions that are forgotten while they are listed

  /// A log of many closed sessions and one that is to be forgotten, which the next daemon has not listed yet.
  private func logOfClosedSessions() throws -> TestDaemon {
    let daemon = try TestDaemon()
    let client = try daemon.connect(user: 0)
    try record(client, "secret", events: 2)
    for index in 0..<300 { try record(client, "s/\(index)", events: 2) }
    return try daemon.restarted { $0.maximumOutput = 4096 }
  }

  /// The listing had found it before, and put it back.
  @Test func aSessionThatIsForgottenDuringAListingIsNotListedAgain() throws {
    let daemon = try logOfClosedSessions()
    let reader = try daemon.connect(user: 0)
    reader.window = 0
    let listing = reader.send("Sessions", [:], .more)
    daemon.settle()
    #expect(!listing.hasEnded)
    try daemon.connect(user: 0).call("Forget", ["client": "secret"])
    reader.read()
    #expect(listing.hasEnded && listing.error == nil && listing.values("summary").count >= 300)
    for _ in 0..<2 {
      let found = try list(daemon.connect(user: 0)).map { $0["client"] }
      #expect(found.count == 300 && !found.contains("secret"))
    }
  }

  /// Its segment was not rewritten yet when the listing read it.
  @Test func aSessionThatIsListedWhileItIsBeingForgottenIsNotListedAgain() throws {
    let daemon = try logOfClosedSessions()
    daemon.isHoldingUpkeep = true
    let forget = try daemon.connect(user: 0).send("Forget", ["client": "secret"])
    daemon.settle()
    var listings = 0
    while daemon.heldUpkeep != nil {
      #expect(try list(daemon.connect(user: 0)).count >= 300)
      listings += 1
      daemon.finishUpkeep()
      daemon.settle()
    }
    #expect(listings >= 3 && forget.hasEnded)
    let found = try list(daemon.connect(user: 0)).map { $0["client"] }
    #expect(found.count == 300 && !found.contains("secret"))
  }

  @Test func manySessionsAreListedInTurnsWhileTheReaderIsSlow() throws {
    let daemon = try TestDaemon()
    // Root may have any number of open sessions.
    let client = try daemon.connect(user: 0)
    var expected: [JSONTree] = []
    for index in 0..<700 { expected.append(try record(client, "s/\(index)", events: 2, closes: index % 2 == 0)) }
    let open = Set(expected.indices.filter { $0 % 2 == 1 })
    let order = expected.indices.filter { !open.contains($0) } + expected.indices.filter { open.contains($0) }
    #expect(list(client).map { $0["session"] } == order.map { expected[$0] })
  }
}
