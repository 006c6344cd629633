import JSON
import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

@Suite struct QueryTests {
  private let log: LogFixture
  private let peers = ConnectionsFixture { $0.maximumOutput = 4096 }

  init() throws { log = try LogFixture() }

  /// Answers the call of a new connection with a stream, and gives it its turns.
  private func begin<Stream: ReplyStream>(_ makeStream: @escaping (ReplyChannel) -> Stream) throws -> (
    Connection, Stream
  ) {
    let connection = try #require(peers.connect())
    var begun: Stream?
    peers.handler.onCall = { [connections = peers.connections] call, connection in
      let next = makeStream(ReplyChannel(connection, call.token))
      begun = next
      connections.begin(next, on: connection, isCommitted: true)
      return .waits
    }
    peers.call(mode: .more, on: connection)
    return (connection, try #require(begun))
  }

  /// Reads all that a connection gets, giving the turns in between.
  private func readAll(_ connection: Connection) throws -> [JSONTree] {
    var replies: [JSONTree] = []
    repeat {
      peers.settle()
      for text in peers.read(connection) {
        replies.append((try? JSONParser().parse(Array(text.utf8)) { JSONTree($0) }) ?? .string(text))
      }
    } while connection.outputCount > 0 || connection.wait == .turn
    return replies
  }

  // MARK: List

  @Test func aListingNamesTheOpenSessionsInTheOrderOfTheirOpening() throws {
    for name in ["b", "a", "c"] { log.open(name) }
    try log.write()
    let (connection, stream) = try begin { StateListing(log.history, $0) { $0.client.name != "a" } }
    #expect(stream.handOver() == .restarts)
    #expect(try readAll(connection).map { $0["state"]["client"] } == ["b", "c"])
    #expect(connection.stream == nil && connection.wait == .input)
    let (empty, _) = try begin { StateListing(log.history, $0) { _ in false } }
    #expect(try readAll(empty) == [[:]])
  }

  @Test func aListingWaitsForItsReaderAndListsTheSessionsOfItsBeginning() throws {
    for index in 0..<50 { log.open("c\(index)") }
    try log.write()
    let (connection, stream) = try begin { StateListing(log.history, $0) { _ in true } }
    peers.settle()
    #expect(connection.wait == .news && stream.wantsRoom)
    #expect(stream.handOver() == .impossible)
    log.open("late")
    try log.write()
    #expect(try readAll(connection).count == 50)
  }

  // MARK: Read

  private func listing(after: Position = 0, limit: Int64 = .max) throws -> (Connection, LogListing) {
    try begin { LogListing(log.history, $0, after: after, limit: limit) { _, client in client.name == "reader" } }
  }

  @Test func aReadingHasTheRecordsThatMatchUpToItsLimit() throws {
    let session = log.open("reader")
    log.open("other")
    try log.append(Gestures.flips(5), to: session)
    try log.write()
    let all = try readAll(listing().0)
    #expect(all.map { $0["position"] } == [1, 3, 4, 5, 6, 7])
    #expect(all.map { $0["number"] } == [.null, 1, 2, 3, 4, 5])
    #expect(try readAll(listing(after: 3, limit: 2).0) == Array(all[2..<4]))
    #expect(try readAll(listing(after: 7).0) == [[:]])
  }

  @Test func aReadingEndsAtTheHorizonOfItsBeginning() throws {
    let session = log.open("reader")
    try log.append(Gestures.flips(2000), to: session)
    try log.write()
    let (connection, stream) = try listing()
    #expect(stream.handOver() == .restarts)
    #expect(peers.connections.advance(peers.handler))
    try log.append(to: session, from: 2001)
    try log.write()
    let records = try readAll(connection)
    #expect(records.count == 2001)
    #expect(stream.handOver() == .impossible)
  }

  // MARK: Get

  private func state(of name: String, position: Position? = nil, time: Int64? = nil) throws -> JSONTree {
    let wanted = WantedClient(name: ClientName(name), user: nil, peer: Peer(user: 1000), seesEveryone: false)
    let (connection, _) = try begin { StateQuery(log.history, $0, wanted: wanted, position: position, time: time) }
    let replies = try readAll(connection)
    #expect(replies.count == 1)
    return replies.first ?? .null
  }

  @Test func aStateIsFoundAtThePresentAndAtAnyPosition() throws {
    let session = log.open("reader")
    try log.append(Gestures.flips(3), to: session)
    log.close(session)
    try log.write()
    #expect(try state(of: "reader")["state"]["position"] == 4)
    for position in 1...5 as ClosedRange<Position> {
      #expect(try state(of: "reader", position: position)["state"]["position"] == .int(min(position, 4)))
    }
    #expect(try state(of: "reader", position: 6) == "NoSuchPosition")
    #expect(try state(of: "stranger") == "NoSuchClient")
  }

  @Test func aStateIsFoundInTheLastSegmentThatHasTheClient() throws {
    let session = log.open("reader")
    try log.append(Gestures.flips(3), to: session)
    log.close(session)
    try log.write()
    try log.roll()
    for _ in 0..<3 { try log.sealSegment() }
    #expect(try state(of: "reader")["state"]["position"] == 4)
    #expect(try state(of: "reader", time: log.clock.wall)["state"]["position"] == 4)
    #expect(try state(of: "reader", time: log.clock.wall - 1) == "NoSuchClient")
  }

  // MARK: Resend

  private func resend(of session: SessionID, nextNumber: Int64, after: Position = 0) throws -> JSONTree {
    let terms = AnswerTerms(generation: 3, isDurable: true)
    let (connection, stream) = try begin {
      ResendQuery(log.history, $0, terms, session: session, nextNumber: nextNumber, after: after)
    }
    #expect(stream.handOver() == .restarts)
    let replies = try readAll(connection)
    #expect(replies.count == 1)
    return replies.first ?? .null
  }

  @Test func aResendFindsThePositionOfTheLastResentEvent() throws {
    let session = log.open("reader")
    try log.append(Gestures.flips(10), to: session)
    try log.write()
    try log.roll()
    try log.append(to: session, from: 11)
    try log.write()
    #expect(
      try resend(of: session, nextNumber: 5)
        == ["position": 5, "nextNumber": 5, "durable": true, "generation": 3])
    #expect(try resend(of: session, nextNumber: 12, after: 11)["position"] == 12)
  }

  @Test func aResendOfEventsThatRetentionRemovedHasNoPosition() throws {
    let session = log.open("reader")
    try log.append(Gestures.flips(10), to: session)
    try log.write()
    try log.roll()
    var limits = RetentionLimits.none
    limits.maximumUse = 0
    #expect(log.segments.trim(to: limits, activeBytes: 0, available: nil, now: 0).count == 1)
    #expect(try resend(of: session, nextNumber: 5)["position"] == 0)
  }

  // MARK: Memory

  @Test func unreadListingsKeptAStateOfEverySession() throws {
    for index in 0..<600 { log.open("c\(index)") }
    try log.write()
    let (connection, stream) = try begin { StateListing(log.history, $0) { _ in true } }
    peers.settle()
    #expect(stream.heldBytes == 0)
    #expect(connection.bufferedBytes < 8192)
    #expect(try readAll(connection).map { $0["state"]["client"] } == (0..<600).map { .string("c\($0)") })
  }

  @Test func aTurnOfAListingExaminesABoundedNumberOfSessions() throws {
    for index in 0..<600 { log.open("c\(index)") }
    try log.write()
    var examined = 0
    let (connection, stream) = try begin {
      StateListing(log.history, $0) { _ in
        examined += 1
        return false
      }
    }
    for turn in 1...10 {
      if case .ended = stream.advance() { #expect(turn == 10) }
      #expect(examined == min(600, turn * SessionCursor.sessionsPerTurn))
    }
    connection.stream = nil
  }

  /// A listing matched 256 sessions a turn, with patterns of 65,536 comparisons each.
  @Test func patternsThatTakeLongMatchFewSessionsATurn() {
    #expect(SessionCursor.sessionsPerTurn(matching: Glob()) == 64)
    #expect(SessionCursor.sessionsPerTurn(matching: Glob(["reader/*"])) == 64)
    let slow = Glob([String](repeating: "*" + String(repeating: "?", count: 120) + "*", count: 2))
    #expect(slow.maximumSteps > 60_000)
    #expect(SessionCursor.sessionsPerTurn(matching: slow) == 4)
  }

  @Test func aWalkCopiesTheSessionsOfItsBeginningInPieces() throws {
    for index in 0..<600 { log.open("c\(index)") }
    try log.write()
    try log.roll()
    log.open("last")
    try log.write()
    var examined = 0
    let walk = try log.history.walk(from: 600, sessionsPerStep: 100) { _, _ in
      examined += 1
      return true
    }.started()
    #expect(examined == 0)
    var observer = NoObserver()
    for step in 1...6 {
      #expect(walk.isPreparing)
      _ = try walk.advance(through: 601, &observer)
      #expect(examined == step * 100)
    }
    #expect(!walk.isPreparing && walk.projection.sessions.count == 600)
    _ = try walk.advance(through: 601, &observer)
    #expect(walk.projection.sessions.count == 601)
  }

  @Test func theSearchForAnUnknownClientLooksAtOneSegmentATurn() throws {
    for index in 0..<20 {
      log.open("c\(index)")
      try log.write()
      try log.roll()
    }
    let stranger = WantedClient(name: "nobody", user: nil, peer: Peer(user: 1000), seesEveryone: false)
    let (connection, stream) = try begin {
      StateQuery(log.history, $0, wanted: stranger, position: nil, time: nil)
    }
    var turns = 0
    while case .working = stream.advance() { turns += 1 }
    #expect(turns >= 20)
    connection.stream = nil
  }

  @Test func aListingPassesOverSessionsThatCloseMeanwhile() throws {
    let sessions = (0..<50).map { log.open("c\($0)") }
    try log.write()
    let (connection, _) = try begin { StateListing(log.history, $0) { _ in true } }
    peers.settle()
    for session in sessions[30...] { log.close(session) }
    try log.write()
    let replies = try readAll(connection)
    #expect(replies.map { $0["state"]["client"] } == (0..<30).map { .string("c\($0)") })
  }

  @Test func aListingOfOneUserExaminesNoOtherSessions() throws {
    for index in 0..<300 { log.open("c\(index)", user: 1000 + UInt32(index % 3)) }
    try log.write()
    var examined = 0
    let (connection, _) = try begin {
      StateListing(log.history, $0, of: 1001) { _ in
        examined += 1
        return true
      }
    }
    #expect(try readAll(connection).count == 100)
    #expect(examined == 100)
  }

  @Test func aReadingThatGivesItsMemoryUpAgainAndAgainMissesAndRepeatsNothing() throws {
    let session = log.open("reader")
    let other = log.open("other")
    for number in 0..<40 {
      try log.append(Gestures.flips(50), to: session, from: Int64(number) * 50 + 1)
      try log.append(Gestures.flips(50), to: other, from: Int64(number) * 50 + 1)
      try log.write()
    }
    let expected = try readAll(listing().0)
    #expect(expected.count == 2001)
    let (connection, stream) = try listing()
    var replies: [String] = []
    // As for a peer that doesn't read, whenever there is some output.
    for _ in 0..<10_000 where connection.stream != nil {
      if connection.outputCount > 0 {
        stream.releaseReading()
        replies += peers.read(connection)
      }
      peers.connections.wake(connection.id)
      _ = peers.connections.advance(peers.handler)
    }
    replies += peers.read(connection)
    #expect(try replies.map { text in try JSONParser().parse(Array(text.utf8)) { JSONTree($0) } } == expected)
  }

  @Test func aStateIsFoundEvenIfItsQueryGivesItsMemoryUp() throws {
    let session = log.open("reader")
    for number in 0..<5 {
      try log.append(Gestures.flips(1000), to: session, from: Int64(number) * 1000 + 1)
      try log.write()
    }
    let expected = try state(of: "reader", position: 3000)
    let wanted = WantedClient(name: "reader", user: nil, peer: Peer(user: 1000), seesEveryone: false)
    let (connection, stream) = try begin { StateQuery(log.history, $0, wanted: wanted, position: 3000, time: nil) }
    for _ in 0..<3 { _ = peers.connections.advance(peers.handler) }
    stream.releaseReading()
    #expect(stream.heldBytes == 0)
    #expect(try readAll(connection) == [expected])
  }
}

@Suite struct HistoryTests {
  private let log: LogFixture

  /// A log of two segments, which begin at 1 and 4, with positions up to 5.
  init() throws {
    log = try LogFixture()
    try log.sealSegment()
    log.open("a")
    log.open("b")
    try log.write()
  }

  private func check(_ position: Position, generation: Int64? = nil) throws(VarlinkError) {
    try log.history.check(after: position, generation: generation)
  }

  @Test func aPositionIsCheckedAgainstTheLogAndItsGeneration() throws {
    for position in 0...5 as ClosedRange<Position> { try check(position) }
    try check(5, generation: log.history.generation)
    #expect(throws: VarlinkError.invalidParameter("after")) { try check(-1) }
    #expect(throws: ServiceError.noSuchPosition(last: 5)) { try check(6) }
    #expect(throws: ServiceError.positionTakenBack(last: 0)) { try check(5, generation: 12345) }
    var limits = RetentionLimits.none
    limits.maximumUse = 0
    _ = log.segments.trim(to: limits, activeBytes: 0, available: nil, now: 0)
    try check(3)
    #expect(throws: ServiceError.positionTrimmed(first: 4)) { try check(2) }
  }

  @Test func whatIsAcceptedAndNotCommittedIsNotInTheHistory() throws {
    log.open("c")
    let job = try #require(log.commit.nextJob(LogFixture.noDemands))
    #expect(throws: ServiceError.noSuchPosition(last: 5)) { try check(6) }
    try log.finish(job)
    try check(6)
  }

  @Test func unreadableRecordsAreLoggedAndThoseThatRetentionRemovedAreNot() {
    #expect(log.history.report(.positionTrimmed(first: 4)).shortName == "PositionTrimmed")
    #expect(log.journal.entries.isEmpty)
    let error = log.history.report(.file(FileError(.read, path: "/state/log/x", code: .inputOutput)))
    #expect(error.shortName == "LogDamaged")
    #expect(log.journal.entries.map(\.kind) == [.readFailed])
  }

  @Test func aWalkFoldsABoundedPieceAtATime() throws {
    let session = log.open("reader")
    try log.append(Gestures.flips(3000), to: session)
    try log.write()
    let walk = log.history.walk(from: 0) { _, _ in true }
    var observer = NoObserver()
    var before: Position = 0
    var steps = 0
    while case .more = try walk.advance(through: log.history.horizon.position, &observer) {
      #expect(walk.projection.position - before <= 1024)
      before = walk.projection.position
      steps += 1
    }
    #expect(walk.projection.position == log.history.horizon.position)
    #expect(steps >= 3)
  }

  @Test func aWalkBeginsAtARecentCopyOfTheFold() throws {
    #expect(try log.history.walk(from: 5) { _, _ in true }.started().start == 3)
    log.log.recent.interval = 1 << 10
    let session = log.open("reader")
    try log.append(Gestures.flips(300), to: session)
    try log.write()
    let last = log.history.horizon.position
    #expect(try log.history.walk(from: last) { _, _ in true }.started().start == last)
    #expect(try log.history.walk(from: last - 1) { _, _ in true }.started().start == 3)
    #expect(try log.history.walk(from: 1) { _, _ in true }.started().start == 0)
  }
}
