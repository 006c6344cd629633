import ScrollModel
import ScrollTesting
import Testing
import Varlink

@testable import ScrollClient

@Suite("Feeding over connections that break")
struct FeedTests {
  private static let start = ContinuousClock.now

  /// Keeps a feed's updates, and returns predictable bits for its random numbers.
  private final class Surroundings {
    var updates: [FeedUpdate] = []
    private var bits: UInt64 = 0

    func nextBits() -> UInt64 {
      bits += 1
      return bits
    }
  }

  private final class Scene {
    let daemon = MemoryDaemon()
    let feed: Feed
    private let surroundings = Surroundings()
    private(set) var now = FeedTests.start

    init(_ configure: (inout Feed.Options) -> Void = { _ in }) {
      var options = Feed.Options(client: "c")
      configure(&options)
      let surroundings = surroundings
      feed = Feed(options, at: now, random: surroundings.nextBits, onUpdate: { surroundings.updates.append($0) })
    }

    var updates: [FeedUpdate] { surroundings.updates }

    /// Connects when the feed wants to, and exchanges messages until both sides are idle or the connection breaks.
    func connect(callBytes: Int = .max, answerBytes: Int = .max, answersTaken: Int = .max) -> Bool {
      guard let due = feed.connectDue else { return false }
      now = max(now, due)
      let connection = ClientConnection()
      feed.beginConnection(connection)
      let broke = daemon.converse(
        connection, callBytes: callBytes, answerBytes: answerBytes, answersTaken: answersTaken
      ) { feed.handleReplies(at: now) }
      if broke { lose() }
      return broke
    }

    func lose() { feed.loseConnection(.connectionLost(.system, reason: "cut"), at: now) }

    /// Connects until the session is closed.
    func finish() {
      for _ in 0..<10 where !feed.hasEnded { _ = connect() }
    }

    func append(_ times: ClosedRange<Int64>) throws {
      for time in times { try feed.append([FeedTests.event(time)]) }
    }

    var losses: [FeedUpdate] {
      updates.filter {
        switch $0 {
        case .opened, .appended: false
        default: true
        }
      }
    }
  }

  private static func event(_ time: Int64) -> Event {
    var event = Event(.scroll, time: time)
    event.x = 0
    event.y = 0
    return event
  }

  @Test("No event is lost or stored twice, at whatever byte of its answers the daemon dies")
  func answersCutAnywhere() throws {
    // Every byte would take minutes, so each run tries others.
    var cut = Self.firstCut(16)
    while true {
      let scene = Scene()
      // Three calls.
      try scene.feed.append((1...520).map(Self.event))
      scene.feed.close()
      let broke = scene.connect(answerBytes: cut)
      scene.finish()
      #expect(scene.feed.hasEnded, "cut at \(cut)")
      #expect(scene.daemon.storedTimes == Array(1...520), "cut at \(cut)")
      #expect(scene.daemon.order.count == 1, "cut at \(cut)")
      #expect(scene.losses.count == (broke ? 1 : 0), "cut at \(cut): \(scene.losses)")
      if !broke { break }
      cut += 16
    }
    #expect(cut > 300)
  }

  @Test("No event is lost or stored twice, at whatever byte of its calls the connection breaks")
  func callsCutAnywhere() throws {
    var cut = Self.firstCut(4)
    while true {
      let scene = Scene()
      try scene.append(1...12)
      scene.feed.close()
      let broke = scene.connect(callBytes: cut)
      scene.finish()
      #expect(scene.feed.hasEnded && scene.daemon.storedTimes == Array(1...12), "cut at \(cut)")
      if !broke { break }
      cut += 4
    }
    #expect(cut > 500)
  }

  private static func firstCut(_ step: Int) -> Int { Int(SeededRandom.seedOfRun % UInt64(step)) }

  @Test("Events that are appended while the daemon is away are sent in few calls when it is back")
  func away() throws {
    let scene = Scene()
    #expect(!scene.connect())
    try scene.append(1...3)
    scene.feed.loseConnection(.connectionLost(.system, reason: "gone"), at: Self.start)
    try scene.append(4...1000)
    for _ in 0..<3 { scene.feed.loseConnection(.cannotConnect(.system, code: 2), at: Self.start) }
    #expect(scene.losses == [.away(.connectionLost(.system, reason: "gone"))])
    _ = scene.connect()
    #expect(scene.daemon.storedTimes == Array(1...1000))
    #expect(scene.daemon.called.filter { $0 == "Append" }.count == 4)
    #expect(scene.feed.unansweredCount == 0)
  }

  @Test("A program that does its own I/O sends a buffer's output and passes it what it receives")
  func ownInputAndOutput() throws {
    let feed = Feed(Feed.Options(client: "c"), at: Self.start)
    let buffer = ConnectionBuffer()
    feed.beginConnection(buffer)
    #expect(buffer.withUnsafeOutput { String(decoding: $0, as: UTF8.self) }.contains("org.scrolld.Recorder.Open"))
    buffer.consumeOutput(buffer.outputCount)
    #expect(buffer.outputCount == 0)
    let reply = #"{"parameters":{"session":"\#(feed.session)","nextNumber":1,"generation":1}}"# + "\0"
    Array(reply.utf8).withUnsafeBytes { buffer.receive($0) }
    #expect(feed.handleReplies(at: Self.start))
    try feed.append([Self.event(1)])
    #expect(buffer.withUnsafeOutput { String(decoding: $0, as: UTF8.self) }.contains("org.scrolld.Recorder.Append"))
  }

  @Test("A full queue accepts no event, and keeps the order of accepted ones")
  func full() throws {
    let scene = Scene { $0.capacity = 10 }
    try scene.append(1...9)
    #expect(throws: FeederError.full(capacity: 10)) { try scene.feed.append([Self.event(10), Self.event(11)]) }
    try scene.append(10...10)
    #expect(scene.feed.room == 0)
    #expect(throws: FeederError.full(capacity: 10)) { try scene.append(11...11) }
    _ = scene.connect()
    #expect(scene.feed.room == 10)
    #expect(scene.daemon.storedTimes == Array(1...10))
  }

  @Test("An invalid event is rejected at once with its index, along with the other events of its call")
  func invalid() throws {
    let scene = Scene()
    let problem = EventProblem(field: "x", reason: "is missing: a scroll needs it")
    #expect(throws: FeederError.invalid(index: 1, problem)) {
      try scene.feed.append([Self.event(1), Event(.scroll, time: 2)])
    }
    #expect(scene.feed.unansweredCount == 0)
    scene.feed.close()
    #expect(throws: FeederError.closed) { try scene.append(1...1) }
  }

  @Test("If the session was closed while the feed was away, unanswered events go to a new session")
  func sessionClosed() throws {
    let scene = Scene()
    try scene.append(1...5)
    _ = scene.connect()
    let first = scene.feed.session
    scene.daemon.closeSessions()
    scene.feed.loseConnection(.connectionLost(.system, reason: "idle"), at: Self.start)
    try scene.append(6...8)
    _ = scene.connect()
    #expect(scene.losses.dropFirst() == [.sessionEnded(first, maybeStored: 0)])
    #expect(scene.daemon.order.count == 2 && scene.feed.session != first)
    #expect(scene.daemon.storedTimes == Array(1...8))
  }

  @Test("When a session ends during a connection, the feed reports how many events may be stored twice")
  func closedUnderway() throws {
    let scene = Scene()
    _ = scene.connect()
    let first = scene.feed.session
    scene.daemon.refusals = [("Append", VarlinkError("org.scrolld.Recorder.SessionClosed"))]
    scene.daemon.closeSessions()
    scene.feed.loseConnection(.connectionLost(.system, reason: "cut"), at: Self.start)
    try scene.append(1...2)
    scene.finish()
    let ended = scene.losses.compactMap { updates in
      if case .sessionEnded(let session, let count) = updates { (session, count) } else { nil }
    }
    #expect(ended.map(\.0).first == first)
    // The daemon refused the second session's Append, which had been sent.
    #expect(ended.map(\.1) == [0, 2])
    #expect(scene.daemon.storedTimes == [1, 2])
  }

  @Test("The feed reports answered events that the daemon lost, and continues with the next number that it expects")
  func takenBack() throws {
    let scene = Scene()
    try scene.append(1...5)
    _ = scene.connect()
    scene.daemon.takeBack(2)
    scene.feed.loseConnection(.connectionLost(.system, reason: "power"), at: Self.start)
    try scene.append(6...7)
    _ = scene.connect()
    #expect(scene.losses.dropFirst() == [.takenBack(count: 2)])
    #expect(scene.daemon.storedTimes == [1, 2, 3, 6, 7])
  }

  @Test("After a gap in the numbers, the feed asks the daemon for the next number")
  func numberGap() throws {
    let scene = Scene()
    let gap = VarlinkError("org.scrolld.Recorder.NumberGap") { $0.member("expected", 1) }
    scene.daemon.refusals = [("Append", gap)]
    try scene.append(1...3)
    _ = scene.connect()
    #expect(scene.feed.connectDue != nil)
    _ = scene.connect()
    #expect(scene.daemon.storedTimes == [1, 2, 3])
  }

  @Test("The feed reports a full disk, and tries again after growing waits")
  func noSpace() throws {
    let scene = Scene()
    scene.daemon.refusals = (0..<3).map { _ in ("Append", VarlinkError("org.scrolld.Recorder.NoSpace")) }
    try scene.append(1...3)
    var waits: [Duration] = []
    for _ in 0..<3 {
      let due = try #require(scene.feed.connectDue)
      _ = scene.connect()
      waits.append(try #require(scene.feed.connectDue) - due)
    }
    #expect(waits == waits.sorted() && waits[2] > waits[0])
    _ = scene.connect()
    #expect(scene.losses == [.refused(.noSpace), .refused(.noSpace), .refused(.noSpace)])
    #expect(scene.daemon.storedTimes == [1, 2, 3])
  }

  @Test("After an answer, the waits after refusals start over")
  func anAnswerStartsTheWaitsOver() throws {
    let scene = Scene()
    let full = VarlinkError("org.scrolld.Recorder.NoSpace")
    var waits: [Duration] = []
    func connect() throws {
      let due = try #require(scene.feed.connectDue)
      _ = scene.connect()
      waits.append(try #require(scene.feed.connectDue) - due)
    }
    try scene.append(1...600)
    // Each of four connections has three calls in flight.
    scene.daemon.refusals = (0..<12).map { _ in ("Append", full) }
    for _ in 0..<4 { try connect() }
    // The daemon answers the first one, and refuses those that follow.
    scene.daemon.answersBeforeRefusals = 1
    scene.daemon.refusals = [("Append", full), ("Append", full)]
    try connect()
    #expect(scene.daemon.storedTimes.count == Feed.eventsPerCall)
    #expect(waits[3] > waits[1])
    #expect(waits[4] < waits[1])
  }

  @Test("Each absence of the daemon is reported, once")
  func eachAbsenceIsReported() {
    let scene = Scene()
    let lost = FeedUpdate.away(.connectionLost(.system, reason: "cut"))
    // Two attempts in a row fail before the session is open.
    _ = scene.connect(answerBytes: 0)
    _ = scene.connect(answerBytes: 0)
    _ = scene.connect()
    #expect(scene.losses == [lost])
    scene.lose()
    _ = scene.connect(answerBytes: 0)
    #expect(scene.losses == [lost, lost])
  }

  @Test("An event that the daemon refused is not among those that a session that ended may have")
  func aRefusedEventIsNotMaybeStored() throws {
    let scene = Scene()
    let error = VarlinkError("org.scrolld.Recorder.InvalidEvent") {
      $0.member("index", 0)
      $0.member("field", "y")
      $0.member("reason", "is strange")
    }
    try scene.append(1...3)
    scene.daemon.refusals = [("Append", error)]
    _ = scene.connect()
    scene.daemon.closeSessions()
    let session = scene.feed.session
    _ = scene.connect()
    #expect(scene.losses.last == .sessionEnded(session, maybeStored: 2))
    #expect(scene.daemon.storedTimes == [2, 3])
  }

  @Test("The feed reports and drops an event that only the daemon refuses, and sends the others")
  func eventRefused() throws {
    let scene = Scene()
    let error = VarlinkError("org.scrolld.Recorder.InvalidEvent") {
      $0.member("index", 0)
      $0.member("field", "y")
      $0.member("reason", "is strange")
    }
    scene.daemon.refusals = [("Append", error)]
    try scene.append(1...3)
    _ = scene.connect()
    _ = scene.connect()
    #expect(
      scene.losses
        == [.eventRefused(Self.event(1), .invalidEvent(index: 0, field: "y", reason: "is strange"))])
    #expect(scene.daemon.storedTimes == [2, 3])
  }

  /// Once, the events of all calls but the first were sent again with the numbers of the first.
  @Test("With as many calls in flight as a feed has, no event is lost or stored twice, wherever the connection breaks")
  func manyCallsInFlight() throws {
    let perCall = Feed.eventsPerCall
    let calls = Feed.maximumUnansweredCalls
    // More than may be in flight at once, and an incomplete call at the end.
    let count = Int64(perCall * (calls + 3) + 7)
    for answered in Set([0, 1, calls, calls + 4, Int(SeededRandom.seedOfRun % UInt64(calls))]) {
      let scene = Scene()
      try scene.feed.append((1...count).map(Self.event))
      // The answer to Open and those to the first calls arrive; the daemon has stored more than it could answer.
      let broke = scene.connect(answersTaken: answered)
      #expect(broke)
      let stored = scene.daemon.storedTimes
      #expect(scene.feed.unansweredCount >= Int(count) - stored.count, "after \(answered) answers")
      if answered == 0 { #expect(scene.daemon.called == ["Open"]) }
      if answered == 1 { #expect(stored.count == perCall * calls, "calls in flight") }
      try scene.append((count + 1)...(count + 3))
      scene.feed.close()
      scene.finish()
      #expect(scene.feed.hasEnded, "after \(answered) answers")
      #expect(scene.daemon.storedTimes == Array(1...(count + 3)), "after \(answered) answers")
      #expect(scene.daemon.order.count == 1)
    }
  }

  /// A daemon that restarts often, or one that drops idle connections, finds its feeders back at once.
  @Test("After the loss of a connection that worked, however idle, the next attempt comes soon")
  func lossesOfIdleConnections() throws {
    var backoff = Backoff()
    backoff.first = .milliseconds(100)
    let scene = Scene { $0.backoff = backoff }
    for round in 0..<12 {
      _ = scene.connect()
      let before = scene.now
      scene.feed.loseConnection(.connectionLost(.system, reason: "idle"), at: before)
      let wait = try #require(scene.feed.connectDue) - before
      #expect(wait >= .milliseconds(50) && wait <= .milliseconds(100), "loss \(round)")
    }
  }

  @Test("While no connection works, the waits double up to the cap, and the first success starts over")
  func failedAttempts() throws {
    var backoff = Backoff()
    backoff.first = .milliseconds(100)
    backoff.cap = .seconds(1)
    let scene = Scene { $0.backoff = backoff }
    func lose() throws -> Duration {
      let before = scene.now
      scene.feed.loseConnection(.cannotConnect(.system, code: 2), at: before)
      return try #require(scene.feed.connectDue) - before
    }
    // Up to half of a wait is jitter.
    for expected in [100, 200, 400, 800, 1000, 1000, 1000] as [Int64] {
      let wait = try lose()
      #expect(wait >= .milliseconds(expected) / 2 && wait <= .milliseconds(expected), "\(wait), not \(expected) ms")
    }
    // A connection that breaks before the session is open has not worked.
    let connection = ClientConnection()
    scene.feed.beginConnection(connection)
    #expect(try lose() >= .milliseconds(500))
    _ = scene.connect()
    #expect(try lose() <= .milliseconds(100))
    #expect(try lose() >= .milliseconds(100))
  }
}
