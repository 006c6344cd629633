import JSON
import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

@Suite struct SubscriptionsTests {
  private final class Charges {
    var bytes: [UInt32: Int] = [:]
  }

  /// Subscriptions to a log that the test writes by hand.
  private final class Scene {
    let log: LogFixture
    let peers: ConnectionsFixture
    let subscriptions: Subscriptions
    private let sessions: Sessions
    private let journal: SessionJournal
    private var nextNumber: [SessionID: Int64] = [:]
    private let charges = Charges()

    init(limitPerUser: Int = 1024, output: Int = 4096, pushMemory: Int = 4 << 20) throws {
      log = try LogFixture()
      peers = ConnectionsFixture { $0.maximumOutput = output }
      subscriptions = Subscriptions(
        log.history, limitPerUser: limitPerUser, pushMemory: pushMemory, clock: log.clock.service,
        charge: { [charges] bytes, user in charges.bytes[user, default: 0] += bytes })
      sessions = Sessions(log.log.horizon, closed: [:], effects: log.effects, clock: log.clock.service)
      journal = SessionJournal(log.journal.journal, log.clock.service)
    }

    /// What each user's pushes take, in bytes.
    var charged: [UInt32: Int] { charges.bytes }

    /// Begins a subscription on a connection of its own.
    func subscribe(
      user: UInt32 = 1000, seesEveryone: Bool = false, clients: [String] = [], after: Position? = nil,
      wantsFrames: Bool = false, resuming state: SubscriptionState? = nil
    ) throws -> (Connection, Subscription) {
      let connection = try #require(peers.connect(user: user))
      var begun: Subscription?
      peers.handler.onCall = { [unowned self] call, connection throws(VarlinkError) in
        let channel = ReplyChannel(connection, call.token)
        let filter = SubscriptionFilter(user: user, seesEveryone: seesEveryone, glob: Glob(clients))
        let next: Subscription
        if let state {
          next = subscriptions.resume(state, channel)
        } else {
          next = try subscriptions.subscribe(channel, filter, after: after, wantsFrames: wantsFrames)
        }
        begun = next
        peers.connections.begin(next, on: connection, isCommitted: true)
        return .waits
      }
      peers.call(mode: .more, on: connection)
      peers.settle()
      guard let begun else { throw CallError(peers.read(connection).first ?? "NoReply") }
      return (connection, begun)
    }

    func open(_ name: String, user: UInt32 = 1000) -> SessionID { log.open(name, user: user) }

    /// Appends events each of which makes a transition.
    func flip(_ session: SessionID, _ count: Int) throws {
      let number = nextNumber[session, default: 1]
      let events =
        number == 1
        ? Gestures.flips(count) : (0..<count).map { Gestures.scroll((Int($0) + Int(number)) % 2 == 0 ? 100 : 400) }
      try log.append(events, to: session, from: number)
      nextNumber[session] = number + Int64(count)
    }

    /// Writes the block that is being built, and pushes what it changes.
    func write() throws {
      try writeOnly()
      push()
    }

    /// Writes the block that is being built; what it changes waits to be pushed.
    func writeOnly() throws {
      let job = try #require(log.commit.nextJob(LogFixture.noDemands))
      var observer = LiveObserver(subscriptions, sessions, journal)
      try log.finish(job, &observer)
    }

    /// Pushes all that waits.
    func push() {
      while subscriptions.hasPushes { pushSome() }
    }

    /// Pushes what the loop pushes at once.
    func pushSome() {
      subscriptions.advance()
      for id in subscriptions.takeWoken() { peers.connections.wake(id) }
    }

    /// Takes the messages that a connection got.
    func read(_ connection: Connection) throws -> [JSONTree] {
      try peers.read(connection).map { try JSONParser().parse(Array($0.utf8)) { JSONTree($0) } }
    }

    /// Reads all that a connection gets, giving the turns in between.
    func readAll(_ connection: Connection) throws -> [JSONTree] {
      var messages: [JSONTree] = []
      repeat {
        messages += try read(connection)
        peers.settle()
      } while connection.outputCount > 0
      return messages
    }

    /// The positions of all openings, closings and transitions in the log, as a replay finds them.
    func positions() throws -> [Position] {
      let (connection, _) = try subscribe(after: 0)
      let messages = try readAll(connection)
      _ = peers.connections.disconnect(connection.id)
      return messages.filter(\.reportsAChange).compactMap { $0["position"].int }
    }
  }

  // MARK: Live

  @Test func aSubscriberGetsThePresentStatesAndThenWhatHappens() throws {
    let scene = try Scene()
    let session = scene.open("reader")
    try scene.write()
    let (connection, subscription) = try scene.subscribe()
    #expect(subscription.isLive)
    let present = try scene.read(connection)
    #expect(present.map { $0["state"]["client"].string ?? "" } == ["reader", ""])
    #expect(present.last?["caughtUp"] == true)
    try scene.flip(session, 4)
    scene.log.close(session)
    try scene.write()
    let news = try scene.read(connection)
    #expect(news.filter { $0["transition"] != .null }.count == 4)
    #expect(news.last?["closed"]["reason"] == "asked")
    #expect(scene.subscriptions.counters.transitionsPushed == 4)
    #expect(scene.subscriptions.watcherCounts == [])
  }

  @Test func everyWatcherGetsTheSameBytesAndOthersGetNone() throws {
    let scene = try Scene()
    let watchers = try (0..<3).map { _ in try scene.subscribe(clients: ["read*"]).0 }
    let stranger = try scene.subscribe(user: 1001).0
    let observer = try scene.subscribe(user: 1002, seesEveryone: true).0
    let elsewhere = try scene.subscribe(clients: ["other"]).0
    for connection in watchers + [stranger, observer, elsewhere] { _ = try scene.read(connection) }
    try scene.flip(scene.open("reader"), 4)
    try scene.write()
    let news = try (watchers + [observer]).map { try scene.read($0) }
    #expect(news[0].count == 5)
    #expect(news.allSatisfy { $0 == news[0] })
    #expect(stranger.outputCount == 0 && elsewhere.outputCount == 0)
    #expect(scene.subscriptions.counters.transitionsPushed == 4 * 4)
  }

  // MARK: Slow readers

  @Test func aSubscriberThatFellBehindLosesNothingAndJoinsAgain() throws {
    let scene = try Scene()
    let session = scene.open("reader")
    try scene.write()
    let (connection, subscription) = try scene.subscribe()
    try scene.flip(session, 200)
    try scene.write()
    #expect(!subscription.isLive)
    #expect(scene.subscriptions.counters.fallenBehind == 1)
    #expect(scene.subscriptions.liveCount == 0 && scene.subscriptions.count == 1)
    let messages = try scene.readAll(connection)
    #expect(subscription.isLive)
    let positions = messages.filter(\.reportsAChange).compactMap { $0["position"].int }
    #expect(try positions == scene.positions().filter { $0 > 1 })
    #expect(positions.count == 200)
    #expect(messages.count { $0["caughtUp"] == true } == 1)
  }

  @Test func aBlockMayBringASubscriberWithRoomFourTimesItsLimit() throws {
    let scene = try Scene()
    let session = scene.open("reader")
    try scene.write()
    let (connection, subscription) = try scene.subscribe()
    _ = try scene.read(connection)
    try scene.flip(session, 20)
    try scene.write()
    #expect(connection.outputCount > 4096 && connection.outputCount < 4 * 4096)
    #expect(subscription.isLive)
    // It has not read that, so that it has no room for the next block.
    try scene.flip(session, 2)
    try scene.write()
    #expect(!subscription.isLive)
  }

  @Test func theWatchersThatASubscriberLeavesBehindAreSweptOut() throws {
    let scene = try Scene()
    let session = scene.open("reader")
    try scene.write()
    let (slow, _) = try scene.subscribe()
    let (fast, _) = try scene.subscribe()
    for _ in 0..<2 {
      _ = try scene.readAll(fast)
      try scene.flip(session, 20)
      try scene.write()
    }
    #expect(scene.subscriptions.liveCount == 1)
    #expect(scene.subscriptions.watcherCounts == [2])
    _ = try scene.readAll(fast)
    _ = try scene.readAll(slow)
    #expect(scene.subscriptions.liveCount == 2)
    try scene.flip(session, 1)
    try scene.write()
    #expect(scene.subscriptions.watcherCounts == [3])
    scene.subscriptions.sweep()
    #expect(scene.subscriptions.watcherCounts == [2])
    try scene.flip(session, 1)
    try scene.write()
    #expect(try [slow, fast].map { try scene.read($0).count } == [2, 2])
    for connection in [slow, fast] { _ = scene.peers.connections.disconnect(connection.id) }
    #expect(scene.subscriptions.watcherCounts == [])
    scene.subscriptions.sweep()
    #expect(scene.subscriptions.count == 0)
  }

  @Test func anEntryOfAnEarlierTermBringsNothing() throws {
    let scene = try Scene()
    let session = scene.open("reader")
    try scene.write()
    let (connection, _) = try scene.subscribe()
    _ = try scene.read(try scene.subscribe().0)
    try scene.flip(session, 200)
    try scene.write()
    _ = try scene.readAll(connection)
    try scene.flip(session, 1)
    try scene.write()
    #expect(try scene.read(connection).count == 1)
  }

  /// The pushes that were left when the last reader fell behind made the next one skip a subscriber.
  @Test func pushesAfterTheLastSubscriberFellBehindReachIt() throws {
    let scene = try Scene()
    let session = scene.open("reader")
    try scene.write()
    let (connection, subscription) = try scene.subscribe()
    for _ in 0..<3 {
      try scene.flip(session, 200)
      try scene.write()
      #expect(!subscription.isLive)
      _ = try scene.readAll(connection)
      try scene.flip(session, 2)
      try scene.write()
      #expect(try scene.read(connection).count == 2)
    }
  }

  // MARK: Pushes that wait

  /// Pushes of a block to 1,000 subscriptions were made in one go, so that nobody else was served for most of a second.
  @Test func pushesAreMadeInBoundedPiecesInTheOrderOfTheLog() throws {
    let scene = try Scene(output: 1 << 20)
    let connections = try (0..<30).map { _ in try scene.subscribe().0 }
    for connection in connections { _ = try scene.read(connection) }
    try scene.flip(scene.open("reader"), 100)
    try scene.writeOnly()
    #expect(connections.allSatisfy { $0.outputCount == 0 })
    var pieces = 0
    var before: Int64 = 0
    while scene.subscriptions.hasPushes {
      scene.pushSome()
      let pushed = scene.subscriptions.counters.transitionsPushed
      #expect(pushed - before <= 8 * 128)
      before = pushed
      pieces += 1
    }
    #expect(pieces >= 3)
    let positions = try scene.positions()
    for connection in connections {
      let news = try scene.read(connection)
      #expect(news.compactMap { $0["position"].int } == positions)
      #expect(news.first?["opened"]["client"] == "reader")
    }
  }

  /// All changes of a block were encoded while it was folded, which delayed every answer.
  @Test func theMessagesOfABlockAreEncodedInTheTurnsOfTheirSubscribers() throws {
    let scene = try Scene(output: 1 << 20)
    let (connection, _) = try scene.subscribe(wantsFrames: true)
    _ = try scene.read(connection)
    try scene.flip(scene.open("reader"), 1000)
    try scene.writeOnly()
    #expect(scene.subscriptions.counters.encoded == 0)
    var before: Int64 = 0
    while scene.subscriptions.hasPushes {
      scene.pushSome()
      let encoded = scene.subscriptions.counters.encoded
      #expect(encoded - before <= 2 * 8 * (128 / 5 + 1))
      before = encoded
    }
    #expect(before >= 1001)
    #expect(try scene.read(connection).count { $0["transition"] != .null } == 1000)
  }

  // MARK: Memory

  @Test func pushesThatWaitWereNotCountedForTheirUser() throws {
    let scene = try Scene(output: 1 << 20)
    let (connection, _) = try scene.subscribe()
    let session = scene.open("reader")
    try scene.write()
    let idle = scene.charged[1000, default: 0]
    #expect(idle > 0 && idle < 1024, "the list of the session's watchers")
    try scene.flip(session, 100)
    try scene.writeOnly()
    #expect(scene.charged[1000, default: 0] > idle + 100 * MemoryLayout<PushMessage.Content>.size)
    scene.push()
    #expect(scene.charged[1000] == idle)
    _ = scene.peers.connections.disconnect(connection.id)
    scene.subscriptions.sweep()
    #expect(scene.charged[1000] == 0)
  }

  /// A user with many subscriptions, each of which watches all sessions.
  @Test func theListsOfWatchersTookMoreThanTheMemoryOfTheirUser() throws {
    let limit = 64 << 10
    let scene = try Scene(pushMemory: limit)
    let connections = try (0..<40).map { _ in try scene.subscribe().0 }
    let sessions = (0..<200).map { scene.open("c\($0)") }
    try scene.write()
    var most = 0
    for session in sessions {
      try scene.flip(session, 2)
      try scene.write()
      most = max(most, scene.charged[1000, default: 0])
      for connection in connections { _ = try scene.readAll(connection) }
    }
    #expect(most > limit / 4 && most <= limit)
    #expect(scene.subscriptions.liveCount == 40)
    let changes = scene.subscriptions.counters.transitionsPushed
    #expect(changes + Int64(40 * scene.subscriptions.counters.fallenBehind) >= 40 * 400)
  }

  @Test func subscribersWhosePushesTakeTooMuchContinueFromTheLogAndLoseNothing() throws {
    let scene = try Scene(output: 1 << 20, pushMemory: 64 << 10)
    let subscribers = try (0..<3).map { _ in try scene.subscribe() }
    for (connection, _) in subscribers { _ = try scene.read(connection) }
    try scene.flip(scene.open("reader"), 1000)
    try scene.writeOnly()
    #expect(scene.subscriptions.counters.fallenBehind >= 3)
    #expect(scene.charged[1000, default: 0] <= 64 << 10)
    scene.push()
    let positions = try scene.positions()
    for (connection, subscription) in subscribers {
      #expect(try scene.readAll(connection).filter(\.reportsAChange).compactMap { $0["position"].int } == positions)
      #expect(subscription.isLive)
    }
  }

  @Test func usersTakeTurnsInWhatIsPushedToThem() throws {
    let scene = try Scene(output: 1 << 20)
    let many = try (0..<30).map { _ in try scene.subscribe(user: 1000).0 }
    let other = try scene.subscribe(user: 1001, seesEveryone: true).0
    for connection in many + [other] { _ = try scene.read(connection) }
    try scene.flip(scene.open("reader"), 100)
    try scene.writeOnly()
    scene.pushSome()
    // What is encoded for one of them counts for its turn.
    #expect(try scene.read(other).count > 50)
    #expect(scene.subscriptions.hasPushes)
    scene.push()
  }

  @Test func aSubscriptionThatBeginsWhilePushesWaitGetsNothingTwice() throws {
    let scene = try Scene(output: 1 << 20)
    let old = try scene.subscribe().0
    _ = try scene.read(old)
    let session = scene.open("reader")
    try scene.flip(session, 10)
    try scene.writeOnly()
    let (new, subscription) = try scene.subscribe(wantsFrames: true)
    #expect(subscription.isLive)
    try scene.flip(session, 5)
    try scene.writeOnly()
    scene.push()
    let news = try scene.readAll(new)
    #expect(news.prefix(2).map { $0["state"]["client"].string ?? "" } == ["reader", ""])
    #expect(news.filter(\.reportsAChange).compactMap { $0["position"].int } == Array(12...16))
    #expect(try scene.read(old).compactMap { $0["position"].int } == Array(1...16))
  }

  @Test func aStateOrAHeartbeatDoesNotOvertakeThePushesThatWait() throws {
    let scene = try Scene(output: 256 << 10)
    let session = scene.open("reader")
    try scene.write()
    let (connection, subscription) = try scene.subscribe(wantsFrames: true)
    try scene.flip(session, 100)
    try scene.write()
    try scene.flip(session, 10)
    try scene.writeOnly()
    // Frames are owed, and there is room for them again.
    var messages = try scene.readAll(connection)
    subscription.sendHeartbeat()
    let resumed = try #require(state(of: subscription))
    #expect(subscription.handOver() == .resumes(.subscription(resumed)))
    scene.push()
    messages += try scene.readAll(connection)
    let positions = messages.compactMap { $0["position"].int }
    #expect(positions == positions.sorted())
    #expect(messages.filter { $0["transition"] != .null }.count == 110)
  }

  private func state(of subscription: Subscription) -> SubscriptionState? {
    guard case .resumes(.subscription(let state)) = subscription.handOver() else { return nil }
    // Everything up to here was sent, and the pushes that wait are after it.
    #expect(state.position == 101)
    return state
  }

  @Test func subscribersOfMorePushesThanFitContinueFromTheLog() throws {
    let scene = try Scene(output: 1 << 20)
    let session = scene.open("reader")
    try scene.write()
    let (connection, subscription) = try scene.subscribe()
    _ = try scene.readAll(connection)
    var written = 0
    while subscription.isLive {
      try scene.flip(session, 1000)
      try scene.writeOnly()
      written += 1000
    }
    #expect(!scene.subscriptions.hasPushes || scene.subscriptions.liveCount == 0)
    #expect(scene.subscriptions.counters.fallenBehind == 1)
    scene.push()
    let messages = try scene.readAll(connection)
    #expect(messages.filter(\.reportsAChange).compactMap { $0["position"].int } == (0..<written).map { Int64($0) + 2 })
    #expect(subscription.isLive)
  }

  // MARK: Frames

  @Test func aSlowReaderIsOwedTheNewestFrameOfEachSession() throws {
    let scene = try Scene(output: 256 << 10)
    let sessions = ["a", "b"].map { scene.open($0) }
    try scene.write()
    let (connection, subscription) = try scene.subscribe(wantsFrames: true)
    _ = try scene.read(connection)
    for session in sessions { try scene.flip(session, 100) }
    try scene.write()
    #expect(subscription.wantsRoom)
    let pushed = Int(scene.subscriptions.counters.framesPushed)
    #expect(pushed < 100)
    let messages = try scene.readAll(connection)
    let frames = messages.filter { $0["state"] != .null }
    #expect(frames.count == pushed + 2)
    #expect(frames.suffix(2).map { $0["state"]["client"] } == ["a", "b"])
    #expect(frames.suffix(2).map { $0["state"]["position"] } == [102, 202])
    #expect(!subscription.wantsRoom)
    #expect(messages.count { $0["transition"] != .null } == 2 * 100)
  }

  @Test func noFrameOfAClosedSessionIsOwed() throws {
    let scene = try Scene(output: 256 << 10)
    let session = scene.open("reader")
    try scene.write()
    let (connection, subscription) = try scene.subscribe(wantsFrames: true)
    try scene.flip(session, 200)
    scene.log.close(session)
    try scene.write()
    #expect(!subscription.wantsRoom)
    #expect(try scene.readAll(connection).last?["closed"]["client"] == "reader")
  }

  @Test func owedFramesKeepTheirOrder() {
    var owed = OwedFrames()
    let ids = (1...3).map { OpenTestSession.id($0) }
    for id in ids + [ids[0]] { owed.add(id) }
    owed.remove(ids[1])
    owed.remove(ids[1])
    #expect(owed.sessions == [ids[0], ids[2]])
    #expect(owed.popFirst() == ids[0])
    owed.add(ids[0])
    #expect(owed.sessions == [ids[2], ids[0]])
  }

  // MARK: Limits

  @Test func aUserHasALimitedNumberOfSubscriptionsAndRootHasNot() throws {
    let scene = try Scene(limitPerUser: 1)
    let (first, _) = try scene.subscribe()
    #expect(throws: CallError("TooManySubscriptions")) { try scene.subscribe() }
    _ = try scene.subscribe(user: 1001)
    for _ in 0..<2 { _ = try scene.subscribe(user: 0) }
    #expect(scene.subscriptions.count == 4)
    _ = scene.peers.connections.disconnect(first.id)
    _ = try scene.subscribe()
    scene.subscriptions.limitPerUser = 2
    _ = try scene.subscribe()
  }

  // MARK: Hand-over

  @Test func aSubscriptionResumesAfterWhatItHasSent() throws {
    let scene = try Scene()
    let session = scene.open("reader")
    try scene.flip(session, 10)
    try scene.write()
    let (connection, subscription) = try scene.subscribe()
    _ = try scene.readAll(connection)
    guard case .subscription(let state) = subscription.idleState else {
      Issue.record("the subscription is not idle")
      return
    }
    #expect(subscription.handOver() == .resumes(.subscription(state)))
    _ = scene.peers.connections.disconnect(connection.id)
    try scene.flip(session, 2)
    try scene.write()
    #expect(scene.subscriptions.canResume(state))
    let (next, resumed) = try scene.subscribe(resuming: state)
    #expect(try scene.readAll(next).filter(\.reportsAChange).map { $0["position"] } == [12, 13])
    #expect(resumed.isLive)
    #expect(scene.subscriptions.count == 1)
  }

  @Test func aSubscriptionOfAnotherHistoryIsNotResumed() throws {
    let scene = try Scene()
    let (_, subscription) = try scene.subscribe()
    guard case .subscription(var state) = subscription.idleState else {
      Issue.record("the subscription is not idle")
      return
    }
    #expect(scene.subscriptions.canResume(state))
    state.position += 1
    #expect(!scene.subscriptions.canResume(state))
    state.position -= 1
    state.generation += 1
    #expect(!scene.subscriptions.canResume(state))
  }
}
