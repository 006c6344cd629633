import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ManagerTests {
  @Test func statisticsReportTheStateOfTheDaemon() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    try client.call("Append", ["session": session, "events": .array(Gestures.flips(5))])
    let watch = try daemon.connect().stream("Subscribe")
    let statistics = try daemon.connect(user: 0).call("Statistics")
    #expect(statistics["firstPosition"] == 1)
    #expect(statistics["lastPosition"] == 6)
    #expect(statistics["syncedPosition"] == 6)
    #expect(statistics["sessions"] == 1)
    #expect(statistics["connections"] == 3)
    #expect(statistics["subscribers"] == 1)
    #expect(statistics["started"] == .int(daemon.clock.wall))
    guard case .array(let metrics) = statistics["metrics"] else {
      Issue.record("the reply has no metrics")
      return
    }
    let values = Dictionary(metrics.map { ($0["name"].string ?? "", $0["value"]) }, uniquingKeysWith: { $1 })
    #expect(values.count == metrics.count, "a name appears twice")
    #expect(values["events_appended"] == 5)
    #expect(values["sessions_opened"] == 1)
    #expect(values["calls"] == 4)
    #expect(values["calls_refused"] == 0)
    #expect(!watch.hasEnded)
  }

  @Test func theTimeOfTheStartStaysAndIsThatOfTheNextDaemonAfterARestart() throws {
    let daemon = try TestDaemon()
    let start = daemon.clock.wall
    daemon.clock.advance(seconds: 5)
    #expect(try daemon.connect(user: 0).call("Statistics")["started"] == .int(start))
    let next = try daemon.restarted()
    #expect(try next.connect(user: 0).call("Statistics")["started"] == .int(start + 5_000_000))
  }

  @Test func aCheckpointLargerThanASegmentDoesNotMakeEveryCommitBeginASegment() throws {
    let daemon = try TestDaemon { $0.segmentSize = 64 << 10 }
    let client = try daemon.connect()
    let title = JSONTree.string(String(repeating: "x", count: 4000))
    var session = JSONTree.null
    for index in 0..<100 {
      session = try client.call("Open", ["client": .string("reader/\(index)"), "title": title])["session"]
    }
    let begun = daemon.service.commit.counters.segmentsBegun
    #expect(begun > 0)
    // About 100 bytes a call, compared with a checkpoint of more than 400,000.
    for _ in 0..<500 { try client.call("Append", ["session": session, "events": .array(Gestures.flips(2))]) }
    #expect(daemon.service.commit.counters.segmentsBegun <= begun + 1)
  }

  @Test(arguments: Configuration.Sync.allCases)
  func syncReturnsTheLastDurablePosition(sync: Configuration.Sync) throws {
    let daemon = try TestDaemon { $0.sync = sync }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let append = client.send("Append", ["session": session, "events": .array(Gestures.flips(5))])
    let root = try daemon.connect(user: 0)
    #expect(try root.call("Sync") == ["position": 6])
    #expect(append.hasEnded)
    #expect(daemon.log.writer.status.synced == 6)
  }

  @Test func aRotationBeginsASegmentAndLosesNoPendingRecords() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let watch = try daemon.connect().stream("Subscribe", ["after": 0])
    let root = try daemon.connect(user: 0)
    let session = try client.call("Open", ["client": "reader"])["session"]
    var appends: [TestCall] = []
    var rotations: [TestCall] = []
    for index in 0..<30 {
      daemon.isHolding = index % 3 != 0
      appends.append(client.send("Append", ["session": session, "events": .array(Gestures.flips(4))]))
      if index % 4 == 1 { rotations.append(root.send("Rotate")) }
      daemon.settle()
      if index % 3 == 2 { daemon.release() }
    }
    daemon.release()
    #expect(try appends.map { try $0.answer()["position"] } == (1...30).map { .int(Int64($0) * 4 + 1) })
    for rotation in rotations { #expect(try rotation.answer() == [:]) }
    #expect(daemon.log.segments.firstPositions.count > 3)
    let truth = try LogTruth(daemon)
    #expect(watch.replies.filter(\.reportsAChange) == truth.messages(after: 0))
    let next = try daemon.restarted()
    #expect(try next.connect().call("Get", ["client": "reader"])["state"] == truth.states[session.string ?? ""])
  }

  @Test func aRotationWithoutARecordSinceTheLastDoesNothing() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    try root.call("Rotate")
    #expect(daemon.log.segments.firstPositions == [1])
    try root.call("Open", ["client": "reader"])
    try root.call("Rotate")
    try root.call("Rotate")
    #expect(daemon.log.segments.firstPositions == [1, 2])
  }

  @Test func aFullSegmentIsFollowedByTheNext() throws {
    let daemon = try TestDaemon { $0.segmentSize = 1 << 20 }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    let events = [JSONTree](repeating: Gestures.layout, count: 4096)
    for _ in 0..<20 { try client.call("Append", ["session": session, "events": .array(events)]) }
    #expect(daemon.log.segments.firstPositions.count >= 2)
    #expect(daemon.log.writer.status.segmentBytes < 2 << 20)
    #expect(try client.call("Get", ["client": "reader"])["state"]["position"] == 81921)
  }

  // MARK: Reload

  @Test func aReloadAppliesAValidConfiguration() throws {
    let daemon = try TestDaemon()
    var next = Configuration()
    next.maximumConnectionsPerUser = 1
    next.sync = .never
    daemon.nextConfiguration = .success(next)
    let root = try daemon.connect(user: 0)
    let warning = "changes of Sync= and SyncIntervalSec= take effect at the next start"
    #expect(try root.call("Reload") == ["warnings": [.string(warning)]])
    let only = try daemon.connect(user: 1000)
    #expect(daemon.tryConnect(user: 1000) == nil)
    // The sync mode can't change while the daemon runs.
    let session = try only.call("Open", ["client": "reader"])["session"]
    let answer = try only.call("Append", ["session": session, "events": .array(Gestures.flips(1))])
    #expect(answer["durable"] == true)
    #expect(daemon.journal.messages.contains { $0.contains("Sync=") })
  }

  @Test func aReloadReportsAnInvalidConfigurationAndKeepsTheOldOne() throws {
    let daemon = try TestDaemon { $0.maximumConnectionsPerUser = 2 }
    daemon.nextConfiguration = .failure(
      ConfigurationError(file: "/etc/scrolld/scrolld.conf", line: 7, key: "Sync", reason: "“often” does not fit"))
    let root = try daemon.connect(user: 0)
    let expected: JSONTree = [
      "file": "/etc/scrolld/scrolld.conf", "line": 7, "key": "Sync", "reason": "“often” does not fit",
    ]
    #expect(throws: CallError("BadConfiguration", expected)) { try root.call("Reload") }
    #expect(daemon.service.settings.configuration.maximumConnectionsPerUser == 2)
    daemon.nextConfiguration = .failure(ConfigurationError(file: "/x", reason: "is not UTF-8"))
    #expect(throws: CallError("BadConfiguration", ["file": "/x", "reason": "is not UTF-8"])) {
      try root.call("Reload")
    }
    var error = ConfigurationError(file: "/x", line: 1, reason: "no")
    (error.others, error.check) = (3, "scrolld --config /x --check-config")
    daemon.nextConfiguration = .failure(error)
    let several: JSONTree = [
      "file": "/x", "line": 1, "reason": "no", "others": 3, "check": "scrolld --config /x --check-config",
    ]
    #expect(throws: CallError("BadConfiguration", several)) { try root.call("Reload") }
    #expect(
      daemon.journal.messages.last?.hasSuffix("; 3 more mistakes: “scrolld --config /x --check-config” lists all")
        == true)
    #expect(daemon.journal.messages.filter { $0.contains("invalid configuration") }.count == 3)
    // The status line reports it until it is fixed.
    #expect(daemon.service.statusLine.hasPrefix("Invalid configuration, keeping the old one. "))
    daemon.nextConfiguration = .success(Configuration())
    #expect(try root.call("Reload") == [:])
    #expect(daemon.service.statusLine.hasPrefix("0 sessions open"))
  }

  @Test func anOpenSessionKeepsItsPolicyOverAReloadAndARestart() throws {
    func configure(_ configuration: inout Configuration, _ policy: Policy) {
      configuration.policySections = [.init(policy: policy, clients: ["feed/*"])]
    }
    let daemon = try TestDaemon { configure(&$0, Policy(name: "calm", rule: .classic(ClassicRule()))) }
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "feed/1"])["session"]
    try client.call("Open", ["client": "reader"])
    func policies(_ client: TestClient) -> [JSONTree] { client.stream("List").values("state").map { $0["policy"] } }
    #expect(policies(client) == ["calm", "safari"])
    var next = Configuration()
    configure(&next, Policy(name: "brisk", rule: .safari(SafariRule())))
    daemon.nextConfiguration = .success(next)
    try daemon.connect(user: 0).call("Reload")
    try client.call("Open", ["client": "feed/2"])
    #expect(policies(client) == ["calm", "safari", "brisk"])
    // The classic rule hides at the first step down without a layout; the new policy would not.
    try client.call("Append", ["session": session, "events": [Gestures.scroll(1)]])
    #expect(try client.call("Get", ["client": "feed/1"])["state"]["trigger"] == "scrollDown")
    let restarted = try daemon.restarted().connect()
    #expect(policies(restarted) == ["calm", "safari", "brisk"])
    let state = try client.call("Get", ["client": "feed/1"])
    #expect(try restarted.call("Get", ["client": "feed/1"]) == state)
  }
}
