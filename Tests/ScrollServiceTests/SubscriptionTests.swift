import ScrollLog
import ScrollLogTesting
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct SubscriptionTests {
  /// A daemon, and a feeder with one session.
  private struct Scene {
    let daemon: TestDaemon
    let feeder: TestClient
    let session: JSONTree

    init(_ configure: (inout Configuration) -> Void = { _ in }) throws {
      daemon = try TestDaemon(FaultyFileSystem(), configure)
      feeder = try daemon.connect()
      session = try feeder.call("Open", ["client": "reader", "application": "Reader", "title": "A page"])["session"]
    }

    func append(_ events: [JSONTree]) throws {
      try feeder.call("Append", ["session": session, "events": .array(events)])
    }

    func truth() throws -> LogTruth { try LogTruth(daemon) }
  }

  @Test func presentStatesComeFirstThenCaughtUpThenNews() throws {
    let scene = try Scene()
    try scene.append(Gestures.flips(4))
    try scene.feeder.call("Open", ["client": "second"])
    let watch = try scene.daemon.connect().stream("Subscribe")
    let states = try scene.truth().states
    let present = watch.take()
    #expect(present.count == 3)
    #expect(present.prefix(2).map { $0["state"]["client"] } == ["reader", "second"])
    for message in present.prefix(2) { #expect(message["state"] == states[message["state"]["session"].string ?? ""]) }
    #expect(present.last == ["position": 6, "caughtUp": true, "generation": 1])
    try scene.append([Gestures.scroll(2000), Gestures.scroll(1000)])
    #expect(try watch.take() == scene.truth().messages(after: 6))
  }

  @Test func anEmptyDaemonIsCaughtUpAtOnce() throws {
    let watch = try TestDaemon().connect().stream("Subscribe")
    #expect(watch.replies == [["position": 0, "caughtUp": true, "generation": 1]])
  }

  @Test func openingsAndClosingsHaveAllTheirFields() throws {
    let scene = try Scene()
    let watch = try scene.daemon.connect().stream("Subscribe", ["after": 0])
    try scene.feeder.call("Close", ["session": scene.session])
    let time = JSONTree.int(scene.daemon.clock.wall)
    #expect(
      watch.replies == [
        [
          "position": 1,
          "opened": [
            "client": "reader", "user": 1000, "session": scene.session, "time": time, "application": "Reader",
            "title": "A page", "policy": "safari",
          ],
        ], ["position": 1, "caughtUp": true, "generation": 1],
        [
          "position": 2,
          "closed": ["client": "reader", "user": 1000, "session": scene.session, "time": time, "reason": "asked"],
        ],
      ])
  }

  @Test func aSubscriptionCanBeginAfterAnyPosition() throws {
    let scene = try Scene()
    for index in 0..<6 {
      try scene.append(Gestures.flips(5))
      let other = try scene.feeder.call("Open", ["client": .string("other/\(index)")])["session"]
      if index % 2 == 0 { try scene.feeder.call("Close", ["session": other]) }
      if index == 3 { try scene.daemon.connect(user: 0).call("Rotate") }
    }
    let truth = try scene.truth()
    let client = try scene.daemon.connect()
    for after in 0...scene.daemon.service.lastPosition {
      let watch = try scene.daemon.connect().stream("Subscribe", ["after": .int(after), "generation": 1])
      #expect(watch.replies.filter(\.reportsAChange) == truth.messages(after: after), "after \(after)")
      #expect(watch.replies.last?["caughtUp"] == true)
      #expect(watch.replies.last?["position"] == .int(scene.daemon.service.lastPosition))
    }
    client.hangUp()
  }

  @Test func aReplayContinuesIntoLiveNewsWithoutGapsOrRepetitions() throws {
    let scene = try Scene()
    try scene.append(Gestures.flips(3000))
    let client = try scene.daemon.connect()
    let watch = client.send("Subscribe", ["after": 0], .more)
    // The replay takes several turns; in each of them more happens.
    for _ in 0..<12 {
      scene.feeder.send("Append", ["session": scene.session, "events": .array(Gestures.flips(7))])
      scene.daemon.turn()
    }
    scene.daemon.settle()
    #expect(try watch.replies.filter(\.reportsAChange) == scene.truth().messages(after: 0))
    #expect(watch.values("caughtUp") == [true])
  }

  @Test func onlyMatchingClientsAreReported() throws {
    let daemon = try TestDaemon()
    let feeder = try daemon.connect()
    let watch = try daemon.connect().stream("Subscribe", ["clients": ["feed/*", "pager"]])
    let replay = try daemon.connect()
    for name in ["feed/a", "feeder", "pager", "pager/1"] {
      let session = try feeder.call("Open", ["client": .string(name)])["session"]
      try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(4))])
    }
    let expected = try LogTruth(daemon).messages(after: 0) { name, _ in name.hasPrefix("feed/") || name == "pager" }
    #expect(watch.replies.filter(\.reportsAChange) == expected)
    let again = replay.stream("Subscribe", ["clients": ["feed/*", "pager"], "after": 0])
    #expect(again.replies.filter(\.reportsAChange) == expected)
  }

  @Test func subscribersSeeTheirOwnClientsAndRootAndObserversSeeAll() throws {
    let daemon = try TestDaemon()
    let watches = try [
      daemon.connect(user: 1000), daemon.connect(user: 1001), daemon.connect(user: 0),
      daemon.connect(user: 1002, groups: [5, 77]), daemon.connect(user: 900),
    ].map { $0.stream("Subscribe") }
    for user in [1000, 1001] as [UInt32] {
      let feeder = try daemon.connect(user: user)
      let session = try feeder.call("Open", ["client": "reader"])["session"]
      try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(3))])
    }
    let truth = try LogTruth(daemon)
    let expected: [(Int64) -> Bool] = [{ $0 == 1000 }, { $0 == 1001 }, { _ in true }, { _ in true }, { _ in false }]
    for (watch, sees) in zip(watches, expected) {
      #expect(watch.replies.filter(\.reportsAChange) == truth.messages(after: 0) { _, user in sees(user) })
    }
  }

  // MARK: Positions that there aren't

  @Test func aPositionBeyondTheEndIsAnError() throws {
    let scene = try Scene()
    #expect(scene.feeder.stream("Subscribe", ["after": 2]).error == CallError("NoSuchPosition", ["last": 1]))
    #expect(scene.feeder.stream("Subscribe", ["after": .int(.max)]).error == CallError("NoSuchPosition", ["last": 1]))
    #expect(
      scene.feeder.stream("Subscribe", ["after": -1]).error == CallError("InvalidParameter", ["parameter": "after"]))
  }

  @Test func anUncommittedPositionIsAnErrorForEveryone() throws {
    let scene = try Scene()
    scene.daemon.isHolding = true
    scene.feeder.send("Append", ["session": scene.session, "events": .array(Gestures.flips(3))])
    scene.daemon.settle()
    let early = try scene.daemon.connect().stream("Subscribe", ["after": 3])
    #expect(early.error == CallError("NoSuchPosition", ["last": 1]))
    scene.daemon.release()
    #expect(try scene.daemon.connect().stream("Subscribe", ["after": 3]).error == nil)
  }

  @Test func aPositionLostInACrashIsReported() throws {
    let scene = try Scene { $0.sync = .never }
    try scene.append(Gestures.flips(50))
    let seen = scene.daemon.service.lastPosition
    var random = SeededRandom(seed: 4)
    // Every power loss loses something different; the loop ends when one loses what was seen.
    for _ in 0..<100 {
      let next = try TestDaemon(scene.daemon.fileSystem.afterPowerLoss(&random), boot: 2) { $0.sync = .never }
      let left = next.service.lastPosition
      if left == seen { continue }
      #expect(next.service.log.generations.current == 2)
      let client = try next.connect()
      let refused = client.stream("Subscribe", ["after": .int(seen), "generation": 1]).error
      #expect(refused == CallError("PositionTakenBack", ["last": .int(left)]))
      // Positions that both histories share can be used again, and so can new ones.
      let back = try next.connect().stream("Subscribe", ["after": .int(left), "generation": 1])
      #expect(back.replies.last?["caughtUp"] == true)
      #expect(back.replies.last?["generation"] == 2)
      let unknown = try next.connect().stream("Subscribe", ["after": .int(left), "generation": 3])
      #expect(unknown.error?.name == (left == 0 ? nil : "PositionTakenBack"))
      return
    }
    Issue.record("no power loss lost anything")
  }

  @Test func removedPositionsAreReportedAndTheRestCanBeRead() throws {
    let scene = try Scene()
    try scene.append(Gestures.flips(20))
    try scene.daemon.connect(user: 0).call("Rotate")
    try scene.append([Gestures.scroll(100), Gestures.scroll(400)])
    let messages = try scene.truth().messages(after: 21)
    let fileSystem = scene.daemon.fileSystem.afterKill()
    fileSystem["/state/log/00000000000000000001.scrolllog"] = nil
    let next = try TestDaemon(fileSystem)
    let client = try next.connect()
    for after in [0, 20] as [JSONTree] {
      #expect(client.stream("Subscribe", ["after": after]).error == CallError("PositionTrimmed", ["first": 22]))
      #expect(client.stream("Read", ["after": after]).error == CallError("PositionTrimmed", ["first": 22]))
    }
    #expect(throws: CallError("PositionTrimmed", ["first": 22])) {
      try client.call("Get", ["client": "reader", "position": 21])
    }
    #expect(client.stream("Read").values("position") == [22, 23])
    #expect(client.stream("Subscribe", ["after": 21]).replies.filter(\.reportsAChange) == messages)
  }

  // MARK: Readers of all sorts

  @Test func aSlowReaderFallsBehindLosesNothingAndDisturbsNobody() throws {
    let scene = try Scene { $0.maximumOutput = 16 << 10 }
    let slow = try scene.daemon.connect()
    let slowWatch = slow.stream("Subscribe")
    let quickWatch = try scene.daemon.connect().stream("Subscribe")
    slow.window = 0
    for _ in 0..<20 {
      try scene.append(Gestures.flips(50))
      #expect(quickWatch.replies.last?["position"] == .int(scene.daemon.service.lastPosition))
      let waiting = scene.daemon.service.connections[slow.id]?.outputCount ?? 0
      #expect(waiting < 65 << 10, "no more than the limit for one block and a message wait for a slow reader")
    }
    #expect(scene.daemon.service.subscriptions.counters.fallenBehind == 1)
    // The subscriber reads in small pieces while more happens.
    for _ in 0..<40 {
      slow.window = 3000
      slow.drain()
      try scene.append(Gestures.flips(3))
    }
    slow.read()
    let expected = try scene.truth().messages(after: 1)
    #expect(slowWatch.replies.filter(\.reportsAChange) == expected)
    #expect(quickWatch.replies.filter(\.reportsAChange) == expected)
    // Now it is live again.
    try scene.append(Gestures.flips(3))
    #expect(slowWatch.replies.last?["position"] == quickWatch.replies.last?["position"])
    #expect(slowWatch.values("caughtUp").count == 1)
  }

  @Test func aSubscriberThatKeepsFallingBehindGetsEverythingOnce() throws {
    let scene = try Scene { $0.maximumOutput = 16 << 10 }
    let slow = try scene.daemon.connect()
    let watch = slow.stream("Subscribe")
    for _ in 0..<8 {
      slow.window = 0
      for _ in 0..<8 { try scene.append(Gestures.flips(30)) }
      slow.read()
      #expect(scene.daemon.service.subscriptions.liveCount == 1)
    }
    #expect(scene.daemon.service.subscriptions.counters.fallenBehind == 8)
    // Entries of earlier terms no longer count, and are swept.
    scene.daemon.wait(seconds: 5)
    try scene.append(Gestures.flips(5))
    #expect(scene.daemon.service.subscriptions.watcherCounts == [1])
    #expect(try watch.replies.filter(\.reportsAChange) == scene.truth().messages(after: 1))
  }

  @Test func aSubscriberThatFallsBehindFoldsOnlyRecentRecords() throws {
    let scene = try Scene { $0.maximumOutput = 16 << 10 }
    scene.daemon.service.log.recent.interval = 8 << 10
    for _ in 0..<20 { try scene.append(Gestures.flips(50)) }
    let history = scene.daemon.service.history
    let walk = try history.walk(from: scene.daemon.service.lastPosition) { _, _ in true }.started()
    #expect(try #require(walk.start) > 500)
    // Positions before the copies are folded from the checkpoint.
    #expect(try history.walk(from: 10) { _, _ in true }.started().start == 0)
  }

  @Test func aLargeBlockDoesNotMakeAReaderSlow() throws {
    let scene = try Scene { $0.maximumOutput = 16 << 10 }
    let watch = try scene.daemon.connect().stream("Subscribe")
    // About 35 KiB of transitions.
    try scene.append(Gestures.flips(80))
    #expect(scene.daemon.service.subscriptions.counters.fallenBehind == 0)
    #expect(try watch.replies.filter(\.reportsAChange) == scene.truth().messages(after: 1))
  }

  @Test func presentStatesWaitForASlowReaderAndKeepTheirOrder() throws {
    let daemon = try TestDaemon { $0.maximumOutput = 16 << 10 }
    let feeder = try daemon.connect()
    for index in 0..<200 { feeder.send("Open", ["client": .string("reader/\(index)")]) }
    daemon.settle()
    let slow = try daemon.connect()
    slow.window = 100
    let watch = slow.stream("Subscribe")
    let session = try feeder.call("Open", ["client": "late"])["session"]
    try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(5))])
    slow.read()
    #expect(watch.values("state").map { $0["client"] } == (0..<200).map { .string("reader/\($0)") })
    // What happens in the meantime is reported at once, except for sessions whose states are still to be sent.
    let last = try #require(watch.replies.lastIndex { $0["state"] != .null })
    #expect(watch.replies[last + 1]["caughtUp"] == true)
    #expect(try watch.replies.filter(\.reportsAChange) == LogTruth(daemon).messages(after: 200))
  }

  @Test func aFastReaderGetsAFrameForEveryEvent() throws {
    let scene = try Scene()
    let watch = try scene.daemon.connect().stream("Subscribe", ["detail": "frames"])
    _ = watch.take()
    try scene.append([Gestures.layout, Gestures.scroll(1), Gestures.scroll(2), Gestures.scroll(400)])
    let replies = watch.take()
    #expect(replies.filter { $0["state"] != .null }.map { $0["state"]["position"] } == [2, 3, 4, 5])
    #expect(try replies.filter(\.reportsAChange) == scene.truth().messages(after: 1))
    // An event's transition comes before its frame.
    #expect(replies.suffix(2).map { $0["transition"] != .null } == [true, false])
  }

  @Test func aReplayHasAFrameForEveryEvent() throws {
    let scene = try Scene()
    try scene.append([Gestures.layout, Gestures.scroll(1), Gestures.scroll(2), Gestures.scroll(400)])
    let watch = try scene.daemon.connect().stream("Subscribe", ["detail": "frames", "after": 2])
    #expect(watch.values("state").map { $0["position"] } == [3, 4, 5])
    #expect(try watch.replies.filter(\.reportsAChange) == scene.truth().messages(after: 2))
  }

  @Test func aSlowReaderGetsTheNewestFramesAndEveryTransition() throws {
    let scene = try Scene()
    let slow = try scene.daemon.connect()
    let watch = slow.stream("Subscribe", ["detail": "frames"])
    slow.window = 0
    try scene.append(Gestures.flips(3))
    for index in 0..<40 {
      try scene.append((0..<100).map { Gestures.scroll(400 + Double(index * 100 + $0) / 100) })
    }
    let waiting = scene.daemon.service.connections[slow.id]?.outputCount ?? 0
    #expect(waiting < 20 << 10, "states wait in no queue")
    slow.read()
    #expect(watch.values("state").count < 100)
    #expect(try watch.values("state").last == scene.truth().states[scene.session.string ?? ""])
    #expect(try watch.replies.filter(\.reportsAChange) == scene.truth().messages(after: 1))
  }

  @Test func anUnknownDetailIsRefused() throws {
    let client = try TestDaemon().connect()
    #expect(
      client.stream("Subscribe", ["detail": "all"]).error == CallError("InvalidParameter", ["parameter": "detail"]))
  }

  @Test func everyStreamSendsSomethingAtLeastEvery30Seconds() throws {
    let scene = try Scene()
    let watch = try scene.daemon.connect().stream("Subscribe")
    let requests = try scene.daemon.connect().stream("Requests", ["session": scene.session])
    for _ in 0..<10 {
      _ = watch.take()
      _ = requests.take()
      scene.daemon.wait(seconds: 25)
      #expect(!watch.replies.isEmpty && !requests.replies.isEmpty)
      for heartbeat in watch.replies { #expect(heartbeat == ["position": 1]) }
      for heartbeat in requests.replies { #expect(heartbeat == [:]) }
    }
  }

  @Test func heartbeatsDoNotPileUpForASlowReader() throws {
    let scene = try Scene()
    let slow = try scene.daemon.connect()
    let watch = slow.stream("Subscribe")
    slow.window = 0
    scene.daemon.wait(seconds: 600)
    _ = watch.take()
    slow.read()
    #expect(watch.replies.count <= 1)
  }

  // MARK: The end

  @Test(arguments: ["live", "behind", "presenting", "waiting"])
  func aReaderThatHangsUpLeavesNothingBehind(phase: String) throws {
    let scene = try Scene { $0.maximumOutput = 16 << 10 }
    for index in 0..<100 { scene.feeder.send("Open", ["client": .string("reader/\(index)")]) }
    try scene.append(Gestures.flips(2000))
    let client = try scene.daemon.connect()
    switch phase {
    case "live": _ = client.stream("Subscribe")
    case "behind":
      client.window = 0
      _ = client.stream("Subscribe", ["after": 0])
    case "presenting":
      client.window = 0
      _ = client.stream("Subscribe")
    default:
      scene.daemon.isHolding = true
      client.send("Open", ["client": "mine"])
      _ = client.stream("Subscribe")
    }
    let service = scene.daemon.service
    #expect(service.subscriptions.count == 1)
    client.hangUp()
    scene.daemon.release()
    #expect(service.subscriptions.count == 0)
    #expect(service.subscriptions.liveCount == 0)
    #expect(service.connections.count == 1)
    scene.daemon.wait(seconds: 5)
    #expect(service.subscriptions.watcherCounts.isEmpty)
    try scene.append(Gestures.flips(3))
    scene.daemon.wait(seconds: 60)
    #expect(!service.hasWork)
  }

  @Test func aReaderThatEndsItsSideStillGetsNews() throws {
    let scene = try Scene()
    let client = try scene.daemon.connect()
    let watch = client.stream("Subscribe")
    client.endSending()
    try scene.append(Gestures.flips(5))
    #expect(try watch.replies.filter(\.reportsAChange) == scene.truth().messages(after: 1))
    #expect(!client.isClosed)
  }

  // MARK: Present states of slow readers

  /// A daemon with many sessions of one user.
  private func crowd(_ count: Int) throws -> (TestDaemon, TestClient, [JSONTree]) {
    let daemon = try TestDaemon { $0.maximumOutput = 16 << 10 }
    let feeder = try daemon.connect()
    let sessions = try (0..<count).map { index in
      try feeder.call("Open", ["client": .string("c\(index)")])["session"]
    }
    return (daemon, feeder, sessions)
  }

  @Test func unreadSubscriptionsKeptTheStateOfEverySession() throws {
    let (daemon, _, _) = try crowd(500)
    let watchers = try (0..<50).map { _ in try daemon.connect() }
    let calls = watchers.map { watcher in
      watcher.window = 0
      return watcher.stream("Subscribe")
    }
    let held = daemon.service.connections.bufferedBytes
    #expect(held < 50 * (24 << 10))
    for id in watchers.map(\.id) {
      let state = try #require(daemon.service.finalState(of: id))
      #expect(state.wire.output.count < 24 << 10, "a stop doesn't send the rest at once")
    }
    for watcher in watchers { watcher.read() }
    for call in calls {
      #expect(call.values("state").map { $0["client"] } == (0..<500).map { .string("c\($0)") })
      #expect(call.values("caughtUp") == [true])
    }
  }

  @Test func changesWhileThePresentStatesAreSentAreSentOnce() throws {
    let (daemon, feeder, sessions) = try crowd(200)
    let watcher = try daemon.connect()
    watcher.window = 0
    let call = watcher.stream("Subscribe")
    var generator = SeededRandom(seed: SeededRandom.seedOfRun)
    var closed: Set<Int> = []
    for round in 0..<40 {
      let index = Int.random(in: 0..<200, using: &generator)
      if closed.contains(index) { continue }
      try feeder.call("Append", ["session": sessions[index], "events": .array(Gestures.flips(3 + round % 3))])
      if round % 5 == 4 {
        try feeder.call("Close", ["session": sessions[index]])
        closed.insert(index)
      }
      try feeder.call("Open", ["client": .string("new\(round)")])
      watcher.window = 4000
      watcher.drain()
      daemon.settle()
    }
    watcher.read()
    let truth = try LogTruth(daemon)
    // A state is followed by all changes after its position; a session without a state by all of them.
    var positions: [String: Int64] = [:]
    var last: Int64 = 0
    for message in call.replies {
      let position = try #require(message["position"].int)
      #expect(position >= last, "positions don't go back")
      last = position
      if message["state"] != .null {
        let id = message["state"]["session"].string ?? ""
        #expect(positions[id] == nil, "a state is sent once")
        positions[id] = position
      }
    }
    let changes = call.replies.filter(\.reportsAChange)
    let expected = truth.messages(after: 200).filter { message in
      let value = message.members.first { $0.key != "position" }?.value ?? .null
      let id = value["session"].string ?? ""
      let isNew = value["client"].string?.hasPrefix("new") == true
      return isNew || (message["position"].int ?? 0) > positions[id, default: .max]
    }
    #expect(changes == expected)
    for (id, state) in truth.states where state["client"].string?.hasPrefix("new") != true {
      #expect(positions[id] != nil, "every open session has a state")
    }
    #expect(call.values("caughtUp") == [true])
  }

  @Test func theNextDaemonSendsTheRestOfThePresentStates() throws {
    for isKill in [false, true] {
      let (daemon, feeder, sessions) = try crowd(300)
      let watcher = try daemon.connect()
      watcher.window = 10_000
      let call = watcher.stream("Subscribe")
      try feeder.call("Append", ["session": sessions[0], "events": .array(Gestures.flips(4))])
      if isKill {
        // Only idle connections survive, and this one has more to send.
        try daemon.kill()
        #expect(watcher.isClosed)
        continue
      }
      try daemon.restart()
      #expect(!watcher.isClosed)
      daemon.settle()
      watcher.read()
      #expect(call.values("state").map { $0["client"] } == (0..<300).map { .string("c\($0)") })
      #expect(call.values("caughtUp") == [true])
      let truth = try LogTruth(daemon)
      #expect(call.replies.filter(\.reportsAChange) == truth.messages(after: 300))
    }
  }
}
