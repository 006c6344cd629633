import ScrollModel
import Testing

@testable import ScrollRelay

@Suite struct RelayTests {
  private static let session = FollowedSession(
    id: SessionID(high: 1, low: 2), given: nil, client: "reader", user: 1000, received: 5, policy: "safari")

  private static func record(_ position: Position, kind: String = "scroll") -> FollowedRecord {
    FollowedRecord(position: position, session: session.id, kind: kind)
  }

  private static func reply(
    _ positions: ClosedRange<Position>, generation: Int64 = 1, describes: Bool = true
  ) -> FollowReply {
    var reply = FollowReply(position: positions.upperBound, generation: generation, received: positions.upperBound * 10)
    if describes { reply.sessions = [session] }
    reply.records = positions.map { record($0) }
    return reply
  }

  /// A relay, and what it asked for.
  private struct Scene {
    var relay: Relay
    var now: Int64 = 0

    init(records: Int = 4, bytes: Int = 1 << 20) {
      var limits = Relay.Limits()
      limits.records = records
      limits.bytes = bytes
      relay = Relay(limits, at: 0, random: { 1 })
    }

    mutating func handle(_ event: Relay.Event) -> [Relay.Action] { relay.handle(event, at: now) }

    /// Connects everything, with a cursor in the database.
    mutating func connect(_ cursor: RelayCursor = RelayCursor(forgotten: "a")) {
      #expect(handle(.timer) == [.connectDatabase])
      #expect(handle(.databaseReady(cursor)) == [.connectDaemon])
      #expect(handle(.daemonReady) == [.follow(cursor)])
    }

    /// Lets time pass until something is due, and returns what is to be done then.
    mutating func wait() -> [Relay.Action] {
      now = max(now, relay.due ?? now)
      return handle(.timer)
    }
  }

  private func written(_ actions: [Relay.Action]) -> RelayBatch? {
    for case .write(let batch) in actions { return batch }
    return nil
  }

  // MARK: Batches

  @Test func recordsWaitForOthersUntilTheDelayHasPassed() throws {
    var scene = Scene()
    scene.connect()
    #expect(scene.handle(.reply(Self.reply(1...2))) == [])
    scene.now = 100_000
    #expect(scene.handle(.reply(Self.reply(3...3, describes: false))) == [])
    #expect(scene.relay.due == 250_000)
    let batch = try #require(written(scene.wait()))
    #expect(batch.records.map(\.record.position) == [1, 2, 3] && batch.sessions == [Self.session])
    #expect(batch.expected == RelayCursor(forgotten: "a"))
    #expect(batch.end == RelayCursor(generation: 1, position: 3, received: 30, forgotten: "a"))
    #expect(scene.handle(.wrote) == [])
    #expect(scene.relay.stored == batch.end && scene.relay.due == nil && scene.relay.counters.records == 3)
  }

  @Test func aFullBatchIsWrittenAtOnceAndTheNextOneAfterIt() throws {
    var scene = Scene(records: 4)
    scene.connect()
    let first = try #require(written(scene.handle(.reply(Self.reply(1...10)))))
    #expect(first.records.map(\.record.position) == [1, 2, 3, 4])
    #expect(first.end == RelayCursor(generation: 1, position: 4, received: 0, forgotten: "a"))
    let second = try #require(written(scene.handle(.wrote)))
    #expect(second.expected == first.end && second.records.map(\.record.position) == [5, 6, 7, 8])
    let third = try #require(written(scene.handle(.wrote) + scene.wait()))
    #expect(third.expected == second.end && third.records.map(\.record.position) == [9, 10])
    #expect(third.end == RelayCursor(generation: 1, position: 10, received: 100, forgotten: "a"))
  }

  @Test func repliesAreNotReadWhileTwoBatchesWait() {
    var scene = Scene(records: 4)
    scene.connect()
    #expect(scene.relay.wantsReplies)
    _ = scene.handle(.reply(Self.reply(1...4)))
    _ = scene.handle(.reply(Self.reply(5...12, describes: false)))
    #expect(!scene.relay.wantsReplies)
    _ = scene.handle(.wrote)
    #expect(scene.relay.wantsReplies)
  }

  @Test func largeRecordsFillABatchByTheirBytes() throws {
    var scene = Scene(records: 1000, bytes: 1000)
    scene.connect()
    let first = try #require(written(scene.handle(.reply(Self.reply(1...13)))))
    #expect(first.records.count == 4)
    #expect(!scene.relay.wantsReplies)
  }

  @Test func positionsWithoutRecordsMoveTheCursorToo() throws {
    var scene = Scene()
    scene.connect()
    _ = scene.handle(.reply(FollowReply(position: 7, generation: 1, received: 70)))
    let batch = try #require(written(scene.wait()))
    #expect(batch.records.isEmpty && batch.end.position == 7)
  }

  @Test func aHeartbeatShowsTheDatabaseThatTheMachineIsAlive() throws {
    var scene = Scene()
    scene.connect(RelayCursor(generation: 1, position: 7, received: 70, forgotten: "a"))
    let batch = try #require(written(scene.handle(.reply(FollowReply(position: 7, generation: 1, received: 70)))))
    #expect(batch.isEmpty)
  }

  // MARK: Histories

  @Test func whatACrashTookBackIsMarkedBeforeTheNewRecords() throws {
    var scene = Scene(records: 100)
    scene.connect(RelayCursor(generation: 1, position: 50, received: 500, forgotten: "a"))
    var taken = FollowReply(position: 40, generation: 1)
    taken.takenBackAfter = 40
    _ = scene.handle(.reply(taken))
    _ = scene.handle(.reply(Self.reply(41...42, generation: 2)))
    let batch = try #require(written(scene.wait()))
    #expect(batch.expected.position == 50 && batch.takenBackAfter == 40)
    #expect(batch.records.map(\.generation) == [2, 2] && batch.end.generation == 2 && batch.end.position == 42)
  }

  @Test func theRunThatSendsIsStoredWithItsFirstReplyAndWithEachLaterBatch() throws {
    let (old, new) = (SessionID(high: 8, low: 1), SessionID(high: 8, low: 2))
    var scene = Scene(records: 4)
    let cursor = RelayCursor(generation: 1, position: 5, received: 50, run: old, forgotten: "a")
    scene.connect(cursor)
    // Nothing is new, but a clone would not know this run.
    var first = FollowReply(position: 5, generation: 1, received: 50)
    first.run = new
    first.forgotten = "a"
    let batch = try #require(written(scene.handle(.reply(first))))
    #expect(batch.records.isEmpty && batch.end.run == new && batch.end.position == 5)
    _ = scene.handle(.wrote)
    #expect(scene.relay.stored.run == new)
    // The first of two batches of a reply has it too.
    let full = try #require(written(scene.handle(.reply(Self.reply(6...12)))))
    #expect(full.end.position == 9 && full.end.run == new)
  }

  @Test func theRunOfAReplyThatFillsMoreThanABatchIsThatOfEachBatch() throws {
    let (old, new) = (SessionID(high: 8, low: 1), SessionID(high: 8, low: 2))
    var scene = Scene(records: 4)
    scene.connect(RelayCursor(generation: 1, position: 5, received: 50, run: old, forgotten: "a"))
    var reply = Self.reply(6...12)
    reply.run = new
    let full = try #require(written(scene.handle(.reply(reply))))
    #expect(full.records.count == 4 && full.end.position == 9 && full.end.run == new)
  }

  @Test func aGapIsStoredWithTheCursorBehindIt() throws {
    var scene = Scene()
    scene.connect(RelayCursor(generation: 1, position: 5, received: 50, forgotten: "a"))
    var reply = FollowReply(position: 90, generation: 1)
    reply.gap = 6...90
    _ = scene.handle(.reply(reply))
    let batch = try #require(written(scene.wait()))
    #expect(batch.gaps == [6...90] && batch.end == RelayCursor(generation: 1, position: 90, forgotten: "a"))
    #expect(scene.relay.counters.missed == 85)
  }

  // MARK: Failures

  @Test(arguments: 0..<5)
  func afterAnyFailureTheCursorOfTheDatabaseDecides(step: Int) throws {
    var scene = Scene()
    #expect(scene.handle(.timer) == [.connectDatabase])
    if step > 0 { _ = scene.handle(.databaseReady(RelayCursor(forgotten: "a"))) }
    if step > 1 { _ = scene.handle(.daemonReady) }
    if step > 2 { _ = scene.handle(.reply(Self.reply(1...4))) }
    if step > 3 { _ = scene.handle(.reply(Self.reply(5...8, describes: false))) }
    let actions = scene.handle(.databaseFailed(.database("gone")))
    #expect(actions == [.disconnect, .report(.database("gone"))])
    #expect(scene.handle(.wrote) == [], "an answer that comes too late says nothing")
    #expect(scene.handle(.reply(Self.reply(9...9))) == [])
    #expect(scene.wait() == [.connectDatabase])
    // The commit may have happened.
    let cursor = RelayCursor(generation: 1, position: 4, received: 40, forgotten: "a")
    #expect(scene.handle(.databaseReady(cursor)) == [.connectDaemon])
    #expect(scene.handle(.daemonReady) == [.follow(cursor)])
    let batch = try #require(written(scene.handle(.reply(Self.reply(5...8)))))
    #expect(batch.expected == cursor && batch.records.map(\.record.position) == [5, 6, 7, 8])
    #expect(scene.handle(.wrote).first == .recovered)
  }

  @Test func waitsGrowAndStartOverAfterACommit() {
    var scene = Scene()
    var waits: [Int64] = []
    for _ in 0..<9 {
      #expect(scene.handle(.timer) == [.connectDatabase])
      _ = scene.handle(.databaseFailed(.database("gone")))
      waits.append((scene.relay.due ?? 0) - scene.now)
      scene.now = scene.relay.due ?? 0
    }
    #expect(
      waits == [250_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000, 30_000_000, 30_000_000])
    scene.connect()
    _ = scene.handle(.reply(Self.reply(1...4)))
    _ = scene.handle(.wrote)
    _ = scene.handle(.daemonFailed(.daemon("gone")))
    #expect((scene.relay.due ?? 0) - scene.now == 250_000)
    #expect(scene.relay.counters.retries == 10)
  }

  @Test func theSameProblemIsReportedOnce() {
    var scene = Scene()
    _ = scene.handle(.timer)
    #expect(scene.handle(.databaseFailed(.database("gone"))) == [.disconnect, .report(.database("gone"))])
    _ = scene.wait()
    #expect(scene.handle(.databaseFailed(.database("gone"))) == [.disconnect])
    _ = scene.wait()
    #expect(scene.handle(.databaseFailed(.database("other"))) == [.disconnect, .report(.database("other"))])
  }

  @Test func anotherRelaysCursorIsContinuedAndNoProblem() {
    var scene = Scene()
    scene.connect()
    _ = scene.handle(.reply(Self.reply(1...4)))
    #expect(scene.handle(.cursorMoved) == [.disconnect])
    #expect(scene.wait() == [.connectDatabase])
  }

  @Test(
    arguments: [
      (.otherHistory("x"), 1), (.databaseDenied("x"), 77), (.daemonDenied, 77), (.schema("x"), 78), (.daemonTooOld, 78),
    ] as [(RelayProblem, Int32)])
  func whatNoRetryCanFixEndsTheProgram(problem: RelayProblem, status: Int32) {
    var scene = Scene()
    scene.connect()
    #expect(scene.handle(.daemonFailed(problem)) == [.disconnect, .stop(problem)])
    #expect(problem.status == status)
    #expect(scene.handle(.timer) == [])
  }

  @Test func aRecordOfAnUnknownSessionIsAFailureOfTheDaemon() {
    var scene = Scene()
    scene.connect()
    let actions = scene.handle(.reply(Self.reply(1...1, describes: false)))
    #expect(actions.first == .disconnect && actions.count == 2)
  }

  // MARK: Forgetting

  @Test func whatWasForgottenIsAskedForInPagesAndRemovedBeforeTheCursorHasTheList() throws {
    var scene = Scene(records: 2)
    scene.connect(RelayCursor(generation: 1, position: 5, received: 50, forgotten: "a"))
    _ = scene.handle(.reply(Self.reply(6...6)))
    var reply = FollowReply(position: 6, generation: 1, received: 60)
    reply.forgotten = "b"
    let before = try #require(written(scene.handle(.reply(reply))))
    #expect(before.records.count == 1 && before.end.forgotten == "a")
    #expect(scene.handle(.reply(Self.reply(7...7, describes: false))) == [])
    #expect(scene.handle(.wrote) == [.readCandidates(after: nil)])

    let page = (0..<Relay.candidatesPerPage).map { index in
      var session = Self.session
      session.id = SessionID(high: 3, low: UInt64(index))
      return session
    }
    #expect(scene.handle(.candidates(page)) == [.askForgotten(page)])
    let first = try #require(written(scene.handle(.forgotten([page[3].id]))))
    #expect(first.forgotten == [page[3].id] && first.end.forgotten == "a", "more sessions are to be asked for")
    #expect(scene.handle(.wrote) == [.readCandidates(after: page.last?.id)])
    let rest = try #require(written(scene.handle(.candidates([]))))
    #expect(rest.forgotten == [] && rest.end.forgotten == "b" && rest.expected.forgotten == "a")
    _ = scene.handle(.wrote)
    let after = try #require(written(scene.wait()))
    #expect(after.records.count == 1 && after.expected.forgotten == "b" && after.end.position == 7)
    #expect(scene.relay.counters.forgotten == 1)
  }

  @Test func aPageWithoutForgottenSessionsWritesNothing() {
    var scene = Scene()
    scene.connect(RelayCursor(generation: 1, position: 5, received: 50, forgotten: "a"))
    var reply = FollowReply(position: 5, generation: 1, received: 50)
    reply.forgotten = "b"
    #expect(scene.handle(.reply(reply)) == [.readCandidates(after: nil)])
    let page = (0..<Relay.candidatesPerPage).map { index in
      var session = Self.session
      session.id = SessionID(high: 3, low: UInt64(index))
      return session
    }
    _ = scene.handle(.candidates(page))
    #expect(scene.handle(.forgotten([])) == [.readCandidates(after: page.last?.id)])
  }

  @Test func aListThatIsCarriedOutAlreadyIsPassedOver() {
    var scene = Scene()
    scene.connect(RelayCursor(generation: 1, position: 5, received: 50, forgotten: "a"))
    var reply = FollowReply(position: 5, generation: 1, received: 50)
    reply.forgotten = "a"
    #expect(scene.handle(.reply(reply)) == [])
  }
}
