import ScrollModel
import Testing
import Varlink

@testable import ScrollService

@Suite struct SessionsTests {
  private static let idleLimit: Int64 = 3600_000_000
  private let clock = HandClock()
  private let effects = EffectQueue()

  private func makeSessions(_ openings: [Opening] = [], closed: Set<SessionID> = [], nextNumber: Int64 = 1) -> Sessions
  {
    Sessions(
      OpenTestSession.horizon(openings, nextNumber: nextNumber),
      closed: Dictionary(uniqueKeysWithValues: closed.map { ($0, .user(1000)) }), effects: effects, clock: clock.service
    )
  }

  private func feeder(_ connection: ConnectionID = 1, user: UInt32 = 1000) -> Feeder {
    Feeder(connection: connection, user: user)
  }

  private let first = OpenTestSession.id(1)
  private let second = OpenTestSession.id(2)

  // MARK: Opening

  @Test func aSessionIsOpenBeforeItsOpeningIsOnDisk() throws {
    let sessions = makeSessions()
    let opening = OpenTestSession.opening("reader")
    let record = sessions.begin(first, opening)
    #expect(record.session == first && record.record == .open(opening))
    #expect(sessions[first]?.nextNumber == 1)
    #expect(sessions[opening.client] === sessions[first])
    #expect(sessions.count(of: 1000) == 1)
    #expect(sessions.counters.opened == 1)
  }

  @Test func onlyTheUserOfASessionFeedsIt() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")], closed: [OpenTestSession.id(9)])
    #expect(try sessions.session(first, of: feeder()) === sessions[first])
    #expect(throws: VarlinkError.permissionDenied) { try sessions.session(first, of: feeder(user: 1001)) }
    #expect(throws: ServiceError.noSuchSession) { try sessions.session(second, of: feeder()) }
    #expect(throws: ServiceError.sessionClosed) { try sessions.session(OpenTestSession.id(9), of: feeder()) }
  }

  @Test func aSessionIsResumedByItsOwnClientOnly() throws {
    let opening = OpenTestSession.opening("reader")
    let sessions = makeSessions([opening], closed: [OpenTestSession.id(9)])
    #expect(try sessions.resumable(first, for: opening.client) === sessions[first])
    #expect(try sessions.resumable(second, for: opening.client) == nil)
    #expect(throws: ServiceError.sessionClosed) { try sessions.resumable(OpenTestSession.id(9), for: opening.client) }
    #expect(throws: VarlinkError.invalidParameter("client")) {
      try sessions.resumable(first, for: ClientID(user: 1000, name: "other"))
    }
    #expect(try sessions.resumable(first, for: ClientID(user: 1001, name: "reader")) == nil, "ids are per user")
  }

  // MARK: Closing

  @Test func aClosedSessionIsGoneAtOnceAndOnDiskLater() {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    guard let session = sessions[first] else { return }
    let record = sessions.close(session, reason: .asked)
    #expect(record.record == .close(Closing(time: clock.wall, reason: .asked)))
    #expect(sessions[first] == nil && sessions[session.client] == nil && sessions.count(of: 1000) == 0)
    #expect(sessions.closed == [first])
    #expect(sessions.session(onDisk: first) === session)
    #expect(!sessions.isSettled)
    sessions.didClose(first)
    #expect(sessions.session(onDisk: first) == nil)
    #expect(sessions.isSettled)
    #expect(sessions.counters.closed == 1)
  }

  @Test func closingASessionThatHundredsOfConnectionsFeedVisitsFew() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    let session = try #require(sessions[first])
    let feeders = (1...300).map { feeder(ConnectionID($0)) }
    for feeder in feeders { sessions.didFeed(session, feeder) }
    #expect(session.feeders.map(\.connection) == feeders.suffix(OpenSession.maximumFeeders).map(\.connection))
    #expect(feeders[0].fedSessions.isEmpty, "a session that others feed is kept for a connection that they pushed out")

    // The first one counts again as soon as it feeds again, and learns of the gap.
    sessions.setGap(of: session, true)
    sessions.didFeed(session, feeders[0])
    #expect(session.feeders.last === feeders[0] && feeders[0].gappedSessions == [first])

    _ = sessions.close(session, reason: .asked)
    sessions.didClose(first)
    #expect(feeders.allSatisfy { $0.fedSessions.isEmpty && $0.gappedSessions.isEmpty })
  }

  @Test func anImportedClosingKeepsItsTime() {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    guard let session = sessions[first] else { return }
    #expect(sessions.close(session, reason: .asked, time: 7).record == .close(Closing(time: 7, reason: .asked)))
  }

  @Test func sessionsThatSatisfyAConditionAreClosedTogether() {
    let sessions = makeSessions([OpenTestSession.opening("a"), OpenTestSession.opening("b")])
    let records = sessions.close(reason: .forgotten) { $0.client.name == "b" }
    #expect(records.map(\.session) == [second])
    #expect(sessions.open.keys.map { $0 } == [first])
  }

  @Test func aRequestStreamEndsWithItsSession() {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    guard let session = sessions[first] else { return }
    sessions.readRequests(of: session, on: 5)
    _ = sessions.close(session, reason: .asked)
    #expect(effects.takeTexts() == [])
    sessions.didClose(first)
    #expect(effects.takeTexts() == ["end the stream of 5: SessionClosed"])
  }

  // MARK: Disconnecting

  @Test func ownedSessionsCloseWithTheirConnection() {
    let sessions = makeSessions(["a", "b", "c"].map { OpenTestSession.opening($0) })
    let feeder = feeder(1)
    let other = self.feeder(2)
    for id in [first, second] { if let session = sessions[id] { sessions.own(session, feeder) } }
    #expect(effects.takeTexts() == [])
    // The second connection has taken one over.
    if let session = sessions[second] { sessions.own(session, other) }
    #expect(effects.takeTexts() == ["hand-over of 1 changed"])
    #expect(feeder.ownedSessions == [first])
    let records = closed(sessions, with: feeder)
    #expect(records.map(\.session) == [first])
    #expect(records.map(\.record) == [.close(Closing(time: clock.wall, reason: .disconnected))])
    #expect(sessions[second] != nil)
    #expect(closed(sessions, with: feeder).isEmpty)
  }

  /// The records of all sessions that close with a connection.
  private func closed(_ sessions: Sessions, with feeder: Feeder) -> [NewRecord] {
    sessions.disconnect(feeder)
    var records: [NewRecord] = []
    while let session = sessions.nextDisconnected() { records.append(sessions.close(session, reason: .disconnected)) }
    #expect(!sessions.hasDisconnected)
    return records
  }

  /// A user whose connections each fed all sessions made everybody wait while these forgot a connection that went.
  @Test func sessionsForgetAConnectionThatIsGoneSomeInEachTurn() {
    let sessions = makeSessions((0..<3000).map { OpenTestSession.opening("\($0)") })
    let feeder = feeder(1)
    for session in sessions.open.values { sessions.didFeed(session, feeder) }
    let fed = { sessions.open.values.count { !$0.feeders.isEmpty } }
    #expect(fed() == 3000)
    sessions.disconnect(feeder)
    var turns = 0
    while sessions.hasDisconnected {
      let before = fed()
      sessions.releaseDisconnected()
      #expect(before - fed() <= Sessions.releasesPerTurn)
      turns += 1
    }
    #expect(fed() == 0 && turns == 3)
  }

  @Test func aSessionThatIsOpenedAgainBeforeItIsClosedWithItsConnectionStaysOpen() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    let session = try #require(sessions[first])
    let feeder = feeder(1)
    sessions.own(session, feeder)
    sessions.disconnect(feeder)
    sessions.resume(session)
    #expect(sessions.nextDisconnected() == nil)
    #expect(sessions[first] === session && session.owner == nil)
  }

  @Test func aSessionWhoseConnectionDidNotComeBackClosesAfterItsGrace() {
    let sessions = makeSessions([
      OpenTestSession.opening("stays"), OpenTestSession.opening("goes", closeOnDisconnect: true),
    ])
    clock.monotonic += Sessions.graceAfterStart - 1
    #expect(sessions.closeDue(idleLimit: .max).isEmpty)
    clock.monotonic += 1
    #expect(sessions.closeDue(idleLimit: .max).map(\.session) == [second])
  }

  @Test func aSessionThatIsResumedInItsGraceStaysOpen() {
    let sessions = makeSessions([OpenTestSession.opening("reader", closeOnDisconnect: true)])
    if let session = sessions[first] { sessions.resume(session) }
    clock.monotonic += Sessions.graceAfterStart
    #expect(sessions.closeDue(idleLimit: .max).isEmpty)
  }

  @Test func anIdleSessionClosesAfterTheLimit() throws {
    let sessions = makeSessions([OpenTestSession.opening("a"), OpenTestSession.opening("b")])
    clock.advance(microseconds: Self.idleLimit - 1)
    sessions.accept(1, at: 101, in: try #require(sessions[second]), isOneway: false)
    #expect(sessions.closeDue(idleLimit: Self.idleLimit).isEmpty)
    clock.advance(microseconds: 1)
    let records = sessions.closeDue(idleLimit: Self.idleLimit)
    #expect(records.map(\.session) == [first])
    #expect(records.map(\.record) == [.close(Closing(time: clock.wall, reason: .idle))])
  }

  // MARK: Numbers and gaps

  @Test func eventsThatAreStoredAreKnown() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")], nextNumber: 11)
    let session = try #require(sessions[first])
    #expect(try sessions.knownCount(of: 5, from: 11, in: session) == 0)
    #expect(try sessions.knownCount(of: 5, from: 9, in: session) == 2)
    #expect(try sessions.knownCount(of: 5, from: 1, in: session) == 5)
    #expect(try sessions.knownCount(of: 5, from: nil, in: session) == 0)
    #expect(sessions.counters.eventsPassedOver == 7)
    #expect(throws: ServiceError.numberGap(expected: 11)) { try sessions.knownCount(of: 1, from: 12, in: session) }
    #expect(throws: VarlinkError.invalidParameter("number")) { try sessions.knownCount(of: 1, from: 0, in: session) }
  }

  @Test func nothingWithoutANumberFollowsAGap() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")], nextNumber: 11)
    let session = try #require(sessions[first])
    sessions.didFeed(session, feeder())
    sessions.setGap(of: session, true)
    sessions.setGap(of: session, true)
    #expect(effects.takeTexts() == ["hand-over of 1 changed"])
    #expect(throws: ServiceError.numberGap(expected: 11)) { try sessions.knownCount(of: 1, from: nil, in: session) }
    #expect(try sessions.knownCount(of: 1, from: 11, in: session) == 0)
    sessions.accept(1, at: 101, in: session, isOneway: false)
    #expect(effects.takeTexts() == ["hand-over of 1 changed"])
    #expect(try sessions.knownCount(of: 1, from: nil, in: session) == 0)
  }

  @Test func aSessionThatIsOpenedAgainHasNoGap() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    let session = try #require(sessions[first])
    sessions.setGap(of: session, true)
    sessions.resume(session)
    #expect(!session.hasGap)
  }

  // MARK: The disk

  @Test func acceptedEventsArePendingUntilTheirPositionIsOnDisk() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")], nextNumber: 11)
    let session = try #require(sessions[first])
    sessions.accept(3, at: 101, in: session, isOneway: false)
    sessions.accept(2, at: 110, in: session, isOneway: false)
    #expect(session.nextNumber == 16)
    #expect(sessions.counters.eventsAppended == 5)
    #expect((10...16).map { session.pendingPosition(ofNumber: $0) } == [nil, 101, 102, 103, 110, 111, nil])
    sessions.commit(through: 105)
    #expect(session.pendingPosition(ofNumber: 13) == nil)
    #expect(session.pendingPosition(ofNumber: 14) == 110)
    #expect(!sessions.isSettled)
    sessions.commit(through: 111)
    #expect(sessions.isSettled)
  }

  @Test func withoutSpaceSessionsRevertToWhatIsOnDisk() throws {
    let openings = ["a", "b"].map { OpenTestSession.opening($0) }
    let sessions = makeSessions(openings, nextNumber: 11)
    let appended = try #require(sessions[first])
    sessions.accept(3, at: 101, in: appended, isOneway: false)
    let closed = try #require(sessions[second])
    _ = sessions.close(closed, reason: .asked)
    let new = OpenTestSession.id(3)
    _ = sessions.begin(new, OpenTestSession.opening("c"))
    if let session = sessions[new] { sessions.readRequests(of: session, on: 4) }
    _ = effects.takeTexts()

    sessions.revert(to: OpenTestSession.horizon(openings, nextNumber: 11))
    #expect(sessions[first] === appended && sessions[second] === closed)
    #expect(appended.nextNumber == 11 && appended.pendingPosition(ofNumber: 11) == nil)
    #expect(!appended.hasGap)
    #expect(sessions[new] == nil)
    #expect(sessions.closed == [], "the id of a session that never existed can be used")
    #expect(sessions.count(of: 1000) == 2)
    #expect(sessions.isSettled)
    #expect(effects.takeTexts() == ["end the stream of 4: NoSpace"])
  }

  @Test(arguments: [[true], [false, true], [false, true, false], [false, false], []])
  func aRefusedOnewayCallLeavesAGap(calls: [Bool]) throws {
    let openings = [OpenTestSession.opening("reader")]
    let sessions = makeSessions(openings)
    let session = try #require(sessions[first])
    for (index, isOneway) in calls.enumerated() {
      sessions.accept(1, at: 101 + Int64(index), in: session, isOneway: isOneway)
    }
    sessions.revert(to: OpenTestSession.horizon(openings))
    #expect(session.hasGap == calls.contains(true))
  }

  @Test func aClosingThatFoundNoSpaceIsTriedAgain() throws {
    let openings = [OpenTestSession.opening("reader")]
    let sessions = makeSessions(openings)
    let feeder = feeder()
    sessions.own(try #require(sessions[first]), feeder)
    #expect(closed(sessions, with: feeder).count == 1)
    sessions.revert(to: OpenTestSession.horizon(openings))
    #expect(sessions[first] != nil)
    #expect(sessions.closeDue(idleLimit: .max).map(\.session) == [first])
  }

  // MARK: Requests

  @Test func theNewestConnectionReadsTheRequests() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    let session = try #require(sessions[first])
    #expect(!session.requests.isAccepting)
    sessions.readRequests(of: session, on: 5)
    #expect(session.requests.isAccepting)
    sessions.readRequests(of: session, on: 6)
    #expect(session.requests.reader == 6)
    #expect(effects.takeTexts() == ["end the stream of 5: RequestsTakenOver"])
  }

  @Test func aRequestOnDiskWakesTheReaderAndItsResponseChangesTheHandOver() throws {
    let sessions = makeSessions([OpenTestSession.opening("reader")])
    let session = try #require(sessions[first])
    session.requests.accept()
    sessions.add(ScrollRequest(time: 0, target: .top), to: first, at: 101)
    #expect(effects.takeTexts() == [])
    sessions.readRequests(of: session, on: 5)
    session.requests.accept()
    sessions.add(ScrollRequest(time: 0, target: .bottom), to: first, at: 102)
    #expect(effects.takeTexts() == ["wake 5"])
    #expect(session.requests.unanswered.map(\.position) == [101, 102])
    sessions.removeRequest(of: first, at: 101)
    #expect(effects.takeTexts() == ["hand-over of 5 changed"])
    #expect(session.requests.unanswered.map(\.position) == [102])
    sessions.add(ScrollRequest(time: 0, target: .top), to: second, at: 103)
    #expect(effects.takeTexts() == [])
  }

  @Test func requestsThatWereAnsweredOrWhoseSessionClosedMakeRoomForOthers() throws {
    let most = Sessions.requestsPerUser / SessionRequests.limit
    let sessions = makeSessions((0...most).map { OpenTestSession.opening("c\($0)") })
    let all = try (0...most).map { try #require(sessions[OpenTestSession.id(UInt64($0) + 1)]) }
    for session in all { sessions.readRequests(of: session, on: 5) }
    for session in all.dropLast() {
      for _ in 0..<SessionRequests.limit { #expect(sessions.acceptRequest(for: session)) }
    }
    #expect(!sessions.acceptRequest(for: all[most]))

    sessions.add(ScrollRequest(time: 0, target: .top), to: all[0].id, at: 101)
    sessions.removeRequest(of: all[0].id, at: 101)
    #expect(sessions.acceptRequest(for: all[most]))
    #expect(!sessions.acceptRequest(for: all[most]))

    _ = sessions.close(all[1], reason: .asked)
    #expect(sessions.acceptRequest(for: all[most]))
  }

  // MARK: Hand-over

  @Test func theNextDaemonResumesOwnedAndGappedSessions() throws {
    let openings = ["a", "b"].map { OpenTestSession.opening($0, closeOnDisconnect: true) }
    let sessions = makeSessions(openings)
    let feeder = feeder()
    sessions.own(try #require(sessions[first]), feeder)
    sessions.setGap(of: try #require(sessions[second]), true)
    sessions.didFeed(try #require(sessions[second]), feeder)
    let (owned, gapped) = (Array(feeder.ownedSessions), Array(feeder.gappedSessions))
    #expect(owned == [first] && gapped == [second])

    let next = makeSessions(openings)
    let resumed = self.feeder(7)
    next.resume(resumed, owned: owned, gapped: gapped)
    #expect(resumed.ownedSessions == [first])
    #expect(resumed.gappedSessions == [second])
    clock.monotonic += Sessions.graceAfterStart
    #expect(next.closeDue(idleLimit: .max).map(\.session) == [second], "the owned one's connection is back")
  }

  @Test func aConnectionDoesNotResumeWhatIsAnotherUsersOrOwned() throws {
    let openings = [OpenTestSession.opening("a", user: 1001), OpenTestSession.opening("b")]
    let sessions = makeSessions(openings)
    sessions.own(try #require(sessions[second]), feeder(3))
    let feeder = feeder(7)
    sessions.resume(feeder, owned: [first, second, OpenTestSession.id(9)], gapped: [first, OpenTestSession.id(9)])
    #expect(feeder.ownedSessions == [])
    #expect(feeder.gappedSessions == [])
    #expect(sessions[second]?.owner?.connection == 3)
  }

  @Test func aFeederForgetsASessionThatEnded() {
    let feeder = feeder()
    feeder.didFeed(first)
    feeder.didFeed(first)
    feeder.didFeed(second)
    feeder.forget(second)
    #expect(feeder.fedSessions == [first])
    feeder.didFeed(second)
    #expect(feeder.fedSessions == [first, second])
  }
}
