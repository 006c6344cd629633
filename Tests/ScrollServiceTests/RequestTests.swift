import Testing

@testable import ScrollService

@Suite struct RequestTests {
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let session: JSONTree
    let listener: TestClient
    let requests: TestCall

    init() throws {
      daemon = try TestDaemon()
      client = try daemon.connect()
      session = try client.call("Open", ["client": "reader"])["session"]
      listener = try daemon.connect()
      requests = listener.stream("Requests", ["session": session])
    }
  }

  @Test func aRequestStreamRepliesAtOnce() throws {
    let scene = try Scene()
    #expect(scene.requests.replies == [[:]])
    #expect(!scene.requests.hasEnded)
  }

  @Test func aClientThatOnlyAnswersRequestsIsNotIdle() throws {
    let daemon = try TestDaemon { $0.sessionIdle = 60_000_000 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    _ = try daemon.connect().stream("Requests", ["session": session])
    for _ in 0..<3 {
      daemon.wait(seconds: 40)
      let request = try client.call("Scroll", ["client": "reader", "target": "top"])["position"]
      try client.call("Respond", ["session": session, "request": request, "done": true])
    }
    #expect(daemon.service.sessions.open.count == 1)
    daemon.wait(seconds: 65)
    #expect(daemon.service.sessions.open.isEmpty)
  }

  @Test func everyTargetArrivesUnchanged() throws {
    let scene = try Scene()
    let targets: [JSONTree] = [
      ["target": "top"], ["target": "bottom"], ["target": "page", "page": 3], ["target": "offset", "x": 1.5, "y": -2],
    ]
    for target in targets {
      var parameters = target
      parameters["client"] = "reader"
      let position = try scene.client.call("Scroll", parameters)["position"]
      var expected = target
      expected["request"] = position
      #expect(scene.requests.values("request").last == expected)
    }
  }

  @Test(
    arguments: [
      (["target": "left"], "target"), (["target": "page"], "page"), (["target": "page", "page": -1], "page"),
      (["target": "offset", "x": 1], "y"), (["target": "offset", "y": 1], "x"), (["target": "top", "page": 1], "page"),
      (["target": "top", "x": 1], "x"), (["target": "page", "page": 1, "y": 1], "y"),
    ] as [(JSONTree, String)])
  func anInvalidTargetIsAnInvalidParameter(target: JSONTree, parameter: String) throws {
    let scene = try Scene()
    var parameters = target
    parameters["client"] = "reader"
    #expect(throws: CallError("InvalidParameter", ["parameter": .string(parameter)])) {
      try scene.client.call("Scroll", parameters)
    }
    #expect(scene.daemon.service.lastPosition == 1)
  }

  @Test func aRequestIsSentAgainUntilItIsAnswered() throws {
    let scene = try Scene()
    let first = try scene.client.call("Scroll", ["client": "reader", "target": "top"])["position"]
    let second = try scene.client.call("Scroll", ["client": "reader", "target": "bottom"])["position"]
    try scene.client.call("Respond", ["session": scene.session, "request": first, "done": true])
    scene.listener.hangUp()
    let again = try scene.daemon.connect().stream("Requests", ["session": scene.session])
    #expect(again.values("request") == [["request": second, "target": "bottom"]])
    #expect(throws: CallError("NoSuchRequest")) {
      try scene.client.call("Respond", ["session": scene.session, "request": first, "done": true])
    }
    #expect(throws: CallError("NoSuchRequest")) {
      try scene.client.call("Respond", ["session": scene.session, "request": 1, "done": true])
    }
  }

  @Test func theNewestStreamTakesOver() throws {
    let scene = try Scene()
    let newest = try scene.daemon.connect().stream("Requests", ["session": scene.session])
    #expect(scene.requests.error == CallError("RequestsTakenOver"))
    try scene.client.call("Scroll", ["client": "reader", "target": "top"])
    #expect(newest.values("request").count == 1)
    // The older stream's connection continues.
    #expect(try scene.listener.call("Get", ["client": "reader"])["state"] != .null)
  }

  @Test func callsBehindATakenOverStreamAreTakenOneAfterTheOther() throws {
    // Two connections take the stream from each other, each with its next call queued. The calls must
    // not be handled within the call that ends the stream.
    let scene = try Scene()
    scene.listener.send("Requests", ["session": scene.session], .more)
    let other = try scene.daemon.connect()
    let calls = (0..<3).map { _ in other.send("Requests", ["session": scene.session], .more) }
    scene.daemon.settle()
    let standing = calls.filter { !$0.hasEnded }
    #expect(scene.requests.error == CallError("RequestsTakenOver"))
    try scene.client.call("Scroll", ["client": "reader", "target": "top"])
    let requestCount = (standing.isEmpty ? [] : standing[0].values("request")).count
    #expect(requestCount <= 1)
    #expect(scene.daemon.service.sessions.open.values.filter { $0.requests.reader != nil }.count == 1)
  }

  @Test func anOpenQueuedBehindAStreamDoesNotCorruptTheLog() throws {
    // The end of the stream lets the queued Open continue while another Open of the same client is being handled.
    let scene = try Scene()
    scene.listener.send("Open", ["client": "reader"])
    scene.client.send("Open", ["client": "reader"])
    scene.daemon.settle()
    #expect(scene.daemon.end == nil)
    #expect(scene.requests.error == CallError("SessionClosed"))
    _ = try LogTruth(scene.daemon)
    #expect(try scene.daemon.restarted().service.log.horizon.sessions.count == 1)
  }

  @Test func aClientWithoutAStreamIsAway() throws {
    let scene = try Scene()
    #expect(throws: CallError("NoSuchClient")) {
      try scene.client.call("Scroll", ["client": "nobody", "target": "top"])
    }
    scene.listener.hangUp()
    #expect(throws: CallError("ClientAway")) {
      try scene.client.call("Scroll", ["client": "reader", "target": "top"])
    }
    #expect(scene.daemon.service.lastPosition == 1)
  }

  @Test func aClientThatAnswersNothingIsAway() throws {
    let scene = try Scene()
    scene.listener.window = 0
    for _ in 0..<1024 { scene.client.send("Scroll", ["client": "reader", "target": "top"]) }
    scene.daemon.settle()
    #expect(throws: CallError("ClientAway")) {
      try scene.client.call("Scroll", ["client": "reader", "target": "top"])
    }
    scene.listener.read()
    #expect(scene.requests.values("request").map { $0["request"] } == (2...1025).map { .int($0) })
    try scene.client.call("Respond", ["session": scene.session, "request": 2, "done": true])
    try scene.client.call("Scroll", ["client": "reader", "target": "top"])
  }

  @Test func requestsToASlowReaderAreNotBuffered() throws {
    let daemon = try TestDaemon { $0.maximumOutput = 16 << 10 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let listener = try daemon.connect()
    listener.window = 0
    let requests = listener.stream("Requests", ["session": session])
    for _ in 0..<500 { client.send("Scroll", ["client": "reader", "target": "top"]) }
    daemon.settle()
    #expect((daemon.service.connections[listener.id]?.outputCount ?? 0) < 10 << 10)
    listener.read()
    #expect(requests.values("request").count == 500)
  }

  @Test func theStreamEndsOnceTheClosingIsOnDisk() throws {
    let scene = try Scene()
    scene.daemon.isHolding = true
    let close = scene.client.send("Close", ["session": scene.session])
    scene.daemon.settle()
    #expect(!scene.requests.hasEnded)
    scene.daemon.release()
    #expect(close.hasEnded)
    #expect(scene.requests.error == CallError("SessionClosed"))
  }

  @Test func requestsAndResponsesAreAnsweredOnceTheyAreOnDisk() throws {
    let scene = try Scene()
    scene.daemon.isHolding = true
    let scroll = scene.client.send("Scroll", ["client": "reader", "target": "top"])
    scene.daemon.settle()
    #expect(!scroll.hasEnded && scene.requests.values("request").isEmpty)
    scene.daemon.release()
    scene.daemon.isHolding = true
    let position = try scroll.answer()["position"]
    let parameters: JSONTree = ["session": scene.session, "request": position, "done": true]
    let respond = scene.client.send("Respond", parameters)
    scene.daemon.settle()
    #expect(!respond.hasEnded)
    let twice = scene.client.send("Respond", parameters)
    scene.daemon.release()
    #expect(try respond.answer() == [:])
    #expect(twice.error == CallError("NoSuchRequest"))
  }
}
