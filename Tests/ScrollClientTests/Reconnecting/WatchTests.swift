import ScrollModel
import ScrollTesting
import Testing
import Varlink

@testable import ScrollClient

@Suite("Watching over connections that break")
struct WatchTests {
  private static let start = ContinuousClock.now

  private final class Scene {
    let daemon = MemoryDaemon()
    let watch: Watch
    private(set) var updates: [WatchUpdate] = []
    var now = WatchTests.start

    init(after: Position? = nil, generation: Int64? = nil) {
      var query = SubscriptionQuery()
      query.after = after
      query.generation = generation
      watch = Watch(query, of: .system, at: now, random: { 0 })
    }

    func connect(answerBytes: Int = .max) -> Bool {
      guard let due = watch.connectDue else { return false }
      now = max(now, due)
      let connection = ClientConnection()
      watch.beginConnection(connection, at: now)
      let broke = daemon.converse(connection, answerBytes: answerBytes) {
        take()
        return watch.connectDue == nil
      }
      if broke { lose() }
      return broke
    }

    func lose() {
      watch.loseConnection(.connectionLost(.system, reason: "cut"), at: now)
      take()
    }

    func take() {
      while let told = watch.nextUpdate(at: now) { updates.append(told) }
    }

    var positions: [Position] {
      updates.compactMap { updates in
        guard case .reply(let reply) = updates, case .transition = reply.content else { return nil }
        return reply.position
      }
    }

    var updatesOtherThanReplies: [WatchUpdate] {
      updates.filter { if case .reply = $0 { false } else { true } }
    }
  }

  @Test("Each transition comes once, at whatever byte of its replies the daemon dies")
  func cutAnywhere() {
    // Every byte would take half a minute, so each run tries others.
    let step = 8
    var cut = Int(SeededRandom.seedOfRun % UInt64(step))
    while true {
      let scene = Scene(after: 0)
      scene.daemon.transitions = 8
      let broke = scene.connect(answerBytes: cut)
      scene.daemon.transitions = 12
      if !broke { scene.lose() }
      _ = scene.connect()
      #expect(scene.positions == Array(1...12), "cut at \(cut)")
      #expect(scene.watch.position == 12 && scene.watch.generation == 1)
      if !broke { break }
      cut += step
    }
    #expect(cut > 500)
  }

  @Test("A watch without a position starts over until it has caught up, and resumes afterwards")
  func place() {
    let scene = Scene()
    scene.daemon.transitions = 5
    #expect(scene.connect(answerBytes: 10))
    #expect(scene.watch.position == nil)
    _ = scene.connect()
    #expect(scene.positions.isEmpty && scene.watch.position == 5)
    scene.daemon.transitions = 7
    scene.lose()
    _ = scene.connect()
    #expect(scene.positions == [6, 7])
    let lost = WatchUpdate.away(.connectionLost(.system, reason: "cut"))
    #expect(scene.updatesOtherThanReplies == [lost, .connected(after: nil), lost, .connected(after: 5)])
  }

  @Test("A watch reports that its position was taken back, trimmed, or of another log, and the current states follow")
  func placeLost() throws {
    let errors: [(VarlinkError, ServiceRefusal)] = [
      (
        VarlinkError("org.scrolld.Observer.PositionTakenBack") { $0.member("last", 3) },
        .positionTakenBack(last: 3)
      ),
      (VarlinkError("org.scrolld.Observer.PositionTrimmed") { $0.member("first", 9) }, .positionTrimmed(first: 9)),
      (VarlinkError("org.scrolld.Observer.NoSuchPosition") { $0.member("last", 2) }, .noSuchPosition(last: 2)),
      (
        VarlinkError("org.scrolld.Observer.LogDamaged") {
          $0.member("file", "f")
          $0.member("offset", 8)
          $0.member("next", 5)
        }, .logDamaged(file: "f", offset: 8, next: 5)
      ),
    ]
    for (error, refusal) in errors {
      let scene = Scene(after: 4, generation: 1)
      scene.daemon.transitions = 6
      scene.daemon.refusals = [("Subscribe", error)]
      _ = scene.connect()
      _ = scene.connect()
      #expect(scene.updatesOtherThanReplies == [.positionLost(refusal), .connected(after: nil)])
      // The generation belongs to the position that is lost.
      #expect(scene.daemon.lastSubscribed.after == nil && scene.daemon.lastSubscribed.generation == nil)
      #expect(scene.positions.isEmpty && scene.watch.position == 6)
      scene.daemon.transitions = 7
      scene.lose()
      _ = scene.connect()
      #expect(scene.positions == [7])
    }
  }

  /// A position before the new generation began is the same in both.
  @Test("A watch takes over a generation that shares its position, too")
  func sharedGenerations() {
    let scene = Scene(after: 0, generation: 1)
    scene.daemon.generation = 2
    scene.daemon.transitions = 3
    _ = scene.connect()
    #expect(scene.watch.generation == 2)
    scene.daemon.transitions = 5
    scene.lose()
    _ = scene.connect()
    #expect(scene.positions == Array(1...5))
    #expect(scene.daemon.lastSubscribed.generation == 2)
  }

  @Test("A watch takes over a new generation, so that the next lost connection does not lose the position")
  func generations() {
    let scene = Scene(after: 0)
    scene.daemon.generation = 2
    scene.daemon.transitions = 3
    _ = scene.connect()
    scene.lose()
    _ = scene.connect()
    #expect(scene.watch.generation == 2)
    scene.daemon.generation = 3
    scene.lose()
    _ = scene.connect()
    #expect(scene.updatesOtherThanReplies.last == .positionLost(.positionTakenBack(last: 0)))
    // The next subscription begins without a generation, and learns the new one for those after it.
    _ = scene.connect()
    #expect(scene.watch.generation == 3)
    scene.daemon.transitions = 5
    scene.lose()
    _ = scene.connect()
    #expect(scene.positions.suffix(2) == [4, 5])
  }

  @Test("A daemon that is silent for a minute counts as gone")
  func silence() {
    let scene = Scene(after: 0)
    _ = scene.connect()
    scene.now += Watch.silence - .seconds(1)
    scene.take()
    #expect(scene.watch.connectDue == nil)
    scene.now += .seconds(1)
    scene.take()
    #expect(scene.updatesOtherThanReplies.last == .away(.timedOut(.system)))
    #expect(scene.watch.connectDue != nil)
  }

  @Test("Each reply, also a heartbeat, begins the minute of silence again")
  func aReplyEndsTheSilence() {
    let scene = Scene(after: 0)
    let connection = ClientConnection()
    scene.watch.beginConnection(connection, at: scene.now)
    connection.consumeOutput(connection.outputCount)
    for position in 1...4 {
      scene.now += Watch.silence - .seconds(1)
      let heartbeat = Array(#"{"parameters":{"position":\#(position)},"continues":true}"#.utf8) + [0]
      heartbeat.withUnsafeBytes { connection.receive($0) }
      #expect(scene.watch.silenceDue.map { $0 > scene.now } == true)
      scene.take()
    }
    #expect(scene.watch.connectDue == nil)
    #expect(scene.watch.silenceDue == scene.now + Watch.silence)
  }

  @Test("The waits grow while nothing arrives, and start over after a connection that worked")
  func waits() {
    let scene = Scene()
    func lost() -> Duration? { scene.watch.connectDue.map { $0 - scene.now } }
    for _ in 0..<2 {
      for wait in [50, 100, 200, 400] {
        // Half of the attempts reach somebody who says nothing.
        if wait % 200 == 0 { #expect(scene.connect(answerBytes: 0)) } else { scene.lose() }
        #expect(lost() == .milliseconds(wait))
      }
      #expect(!scene.connect())
    }
    scene.lose()
    #expect(lost() == .milliseconds(50))
  }

  @Test("After a refusal that does not concern the position, a watch keeps it and tries again after growing waits")
  func refused() throws {
    let scene = Scene(after: 2)
    scene.daemon.transitions = 4
    let error = VarlinkError("org.scrolld.Observer.TooManySubscriptions") { $0.member("limit", 1) }
    scene.daemon.refusals = (0..<2).map { _ in ("Subscribe", error) }
    var waits: [Duration] = []
    for _ in 0..<2 {
      let due = try #require(scene.watch.connectDue)
      _ = scene.connect()
      waits.append(try #require(scene.watch.connectDue) - due)
    }
    #expect(waits[1] > waits[0])
    _ = scene.connect()
    #expect(
      scene.updatesOtherThanReplies == [
        .refused(.tooManySubscriptions(limit: 1)), .refused(.tooManySubscriptions(limit: 1)), .connected(after: 2),
      ])
    #expect(scene.positions == [3, 4])
  }
}
