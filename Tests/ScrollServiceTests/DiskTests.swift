import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct FullDiskTests {
  /// A daemon whose disk a test fills, and a session.
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let session: JSONTree

    init() throws {
      daemon = try TestDaemon()
      client = try daemon.connect()
      session = try client.call("Open", ["client": "reader"])["session"]
      try client.call("Append", ["session": session, "number": 1, "events": .array(Gestures.flips(3))])
    }

    func fill() { daemon.fileSystem.capacity = 0 }
    func free() { daemon.fileSystem.capacity = .max }

    /// Appends events that don't fit into the reserved space.
    func append(number: Int64) -> TestCall {
      let call = client.send(
        "Append",
        [
          "session": session, "number": .int(number),
          "events": .array([JSONTree](repeating: Gestures.scroll(1), count: 1000)),
        ])
      daemon.settle()
      return call
    }
  }

  @Test func onAFullDiskAppendsAreRefusedUntilThereIsSpaceAndReadsContinue() throws {
    let scene = try Scene()
    let watch = try scene.daemon.connect().stream("Subscribe", ["after": 0])
    scene.fill()
    for _ in 0..<3 { #expect(scene.append(number: 4).error == CallError("NoSpace")) }
    #expect(try scene.client.call("Get", ["client": "reader"])["state"]["position"] == 4)
    #expect(scene.client.stream("Read").values("position") == [1, 2, 3, 4])
    #expect(scene.daemon.end == nil)
    // The full disk is logged once, and so is its end.
    #expect(scene.daemon.journal.messages.filter { $0.contains("appends are refused") }.count == 1)
    #expect(scene.daemon.service.statusLine.contains("full"))
    scene.free()
    #expect(try scene.append(number: 4).answer()["position"] == 1004)
    #expect(scene.daemon.journal.messages.filter { $0.contains("space again") }.count == 1)
    #expect(try watch.replies.filter(\.reportsAChange) == LogTruth(scene.daemon).messages(after: 0))
    #expect(try scene.daemon.restarted().service.lastPosition == 1004)
  }

  @Test func theBlockBehindARefusedOneIsRefusedToo() throws {
    let scene = try Scene()
    scene.fill()
    scene.daemon.isHolding = true
    let first = scene.append(number: 4)
    let second = scene.append(number: 1004)
    let open = scene.client.send("Open", ["client": "other"])
    scene.daemon.settle()
    scene.daemon.release()
    #expect([first.error, second.error, open.error] == [CallError](repeating: CallError("NoSpace"), count: 3))
    scene.free()
    // Numbers and positions continue where they were.
    #expect(scene.append(number: 1004).error == CallError("NumberGap", ["expected": 4]))
    #expect(try scene.append(number: 4).answer()["position"] == 1004)
    #expect(throws: CallError("NoSuchClient")) { try scene.client.call("Get", ["client": "other"]) }
    #expect(try scene.client.call("Open", ["client": "other"])["nextNumber"] == 1)
    _ = try LogTruth(scene.daemon)
  }

  /// Otherwise the user's calls would wait for the next block, which nobody begins.
  @Test func aUserWhoseShareOfARefusedBlockWasFullContinues() throws {
    let scene = try Scene()
    scene.fill()
    scene.daemon.isHolding = true
    let calls = (0..<6).map { scene.append(number: 4 + 1000 * $0) }
    let share = try #require(scene.daemon.service.connections.users[1000])
    #expect(scene.daemon.service.commit.isFull(for: share))
    scene.daemon.release()
    #expect(calls.allSatisfy { $0.hasEnded })
    scene.free()
    #expect(try scene.append(number: 4).answer()["position"] == 1004)
  }

  @Test func aRefusedOnewayCallLeavesAGap() throws {
    let scene = try Scene()
    scene.fill()
    let events = [JSONTree](repeating: Gestures.scroll(1), count: 1000)
    scene.client.oneway("Append", ["session": scene.session, "events": .array(events)])
    scene.free()
    #expect(throws: CallError("NumberGap", ["expected": 4])) {
      try scene.client.call("Append", ["session": scene.session, "events": .array(Gestures.flips(1))])
    }
    #expect(scene.daemon.service.connections.counters.onewayCallsRefused == 1)
    try scene.client.call("Open", ["client": "reader", "session": scene.session])
    try scene.client.call("Append", ["session": scene.session, "events": .array(Gestures.flips(1))])
  }

  /// Fills the reserved space to its last byte, so that even small records find no space.
  private func fillWholly(_ scene: Scene) {
    scene.fill()
    var number: Int64 = 4
    var count = 64
    while count > 0 {
      let call = scene.client.send(
        "Append",
        [
          "session": scene.session, "number": .int(number),
          "events": .array([JSONTree](repeating: Gestures.scroll(1), count: count)),
        ])
      scene.daemon.settle()
      if call.error == nil { number += Int64(count) } else { count /= 2 }
    }
  }

  @Test func aSessionWhoseClosingFoundNoSpaceIsStillOpen() throws {
    let scene = try Scene()
    let requests = try scene.daemon.connect().stream("Requests", ["session": scene.session])
    let request = try scene.client.call("Scroll", ["client": "reader", "target": "top"])["position"]
    fillWholly(scene)
    #expect(throws: CallError("NoSpace")) { try scene.client.call("Close", ["session": scene.session]) }
    #expect(throws: CallError("NoSpace")) { try scene.client.call("Open", ["client": "reader"]) }
    #expect(throws: CallError("NoSpace")) {
      try scene.client.call("Respond", ["session": scene.session, "request": request, "done": true])
    }
    #expect(throws: CallError("NoSpace")) {
      try scene.client.call("Scroll", ["client": "reader", "target": "top"])
    }
    #expect(!requests.hasEnded)
    scene.free()
    // The session is open, its stream is up, its request can be answered, and all of it can end.
    try scene.client.call("Respond", ["session": scene.session, "request": request, "done": true])
    try scene.client.call("Scroll", ["client": "reader", "target": "bottom"])
    #expect(requests.values("request").count == 2)
    try scene.client.call("Close", ["session": scene.session])
    #expect(requests.error == CallError("SessionClosed"))
    _ = try LogTruth(scene.daemon)
  }

  @Test func theStreamOfASessionWhoseOpeningFoundNoSpaceEnds() throws {
    let scene = try Scene()
    fillWholly(scene)
    scene.daemon.isHolding = true
    let id = JSONTree.string(String(repeating: "a", count: 32))
    let open = scene.client.send("Open", ["client": "other", "session": id])
    scene.daemon.settle()
    let listener = try scene.daemon.connect()
    let requests = listener.stream("Requests", ["session": id])
    #expect(!requests.hasEnded)
    scene.daemon.release()
    #expect(open.error == CallError("NoSpace"))
    #expect(requests.error == CallError("NoSpace"))
    scene.free()
    // An id that was never stored can be used again.
    #expect(try scene.client.call("Open", ["client": "other", "session": id])["nextNumber"] == 1)
  }

  @Test func aSessionWhoseConnectionIsGoneIsClosedWhenThereIsSpace() throws {
    let scene = try Scene()
    let owner = try scene.daemon.connect()
    try owner.call("Open", ["client": "other", "closeOnDisconnect": true])
    fillWholly(scene)
    owner.hangUp()
    scene.daemon.wait(seconds: 10)
    #expect(scene.daemon.service.log.horizon.sessions.count == 2)
    scene.free()
    scene.daemon.wait(seconds: 5)
    #expect(scene.daemon.service.log.horizon.sessions.count == 1)
  }

  @Test func aRotationWithoutSpaceIsRefusedAndTheOldSegmentContinues() throws {
    let scene = try Scene()
    scene.fill()
    let root = try scene.daemon.connect(user: 0)
    #expect(throws: CallError("NoSpace")) { try root.call("Rotate") }
    #expect(scene.daemon.log.segments.firstPositions == [1])
    scene.free()
    #expect(try scene.append(number: 4).answer()["position"] == 1004)
    try root.call("Rotate")
    #expect(scene.daemon.log.segments.firstPositions == [1, 1005])
  }

  @Test func aSegmentWithoutSpaceIsLoggedOnceAndRefusesNoAppends() throws {
    let scene = try Scene()
    let root = try scene.daemon.connect(user: 0)
    func count(of text: String) -> Int { scene.daemon.journal.messages.filter { $0.contains(text) }.count }
    for spell in 1...2 {
      // An empty segment is not followed by another, and has no reserved space.
      try scene.client.call("Append", ["session": scene.session, "events": .array(Gestures.flips(1))])
      scene.fill()
      for _ in 0..<3 {
        #expect(throws: CallError("NoSpace")) { try root.call("Rotate") }
        // The reserved space has room for small appends.
        try scene.client.call("Append", ["session": scene.session, "events": .array(Gestures.flips(1))])
      }
      #expect(count(of: "no space for a new segment of the log; continuing in the old one") == spell)
      #expect(!scene.daemon.service.statusLine.contains("full"))
      scene.free()
      try root.call("Rotate")
    }
    #expect(count(of: "appends are refused") == 0)
    #expect(count(of: "space again") == 0)
  }
}

@Suite struct FailingDiskTests {
  @Test(arguments: [FileOperation.write, .sync])
  func afterAFailedWriteOrSyncNothingIsAcknowledgedAndTheServiceEnds(operation: FileOperation) throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let watch = try daemon.connect().stream("Subscribe")
    daemon.fileSystem.failNext(operation, with: .inputOutput)
    daemon.isHolding = true
    let failed = client.send("Append", ["session": session, "number": 1, "events": .array(Gestures.flips(5))])
    daemon.settle()
    let behind = client.send("Append", ["session": session, "number": 6, "events": .array(Gestures.flips(5))])
    daemon.settle()
    _ = watch.take()
    daemon.release()
    guard case .failed(let reason) = daemon.end else {
      Issue.record("the service continues after a failed \(operation)")
      return
    }
    #expect(reason.contains("failed"))
    #expect(!failed.hasEnded && !behind.hasEnded)
    #expect(watch.replies.isEmpty)
    #expect(daemon.service.nextJob() == nil)
    // The next start finds everything that was answered before.
    let next = try TestDaemon(daemon.fileSystem.afterKill())
    #expect(next.service.log.horizon.sessions.map { "\($0.id)" } == [session.string])
  }
}
