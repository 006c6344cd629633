import Testing
import Varlink

@testable import ScrollService

@Suite struct ConnectionWaitTests {
  private let fixture = ConnectionsFixture()

  private var connections: Connections { fixture.connections }
  private var handler: ScriptedHandler { fixture.handler }

  // MARK: Input and turns

  @Test func aNewConnectionWaitsForInput() throws {
    let connection = try #require(fixture.connect())
    #expect(connection.wait == .input)
    #expect(connections.wantsInput(on: connection.id))
    #expect(!connections.hasWork)
  }

  @Test func aConnectionTakes64CallsAndThenWaitsForItsTurn() throws {
    let connection = try #require(fixture.connect())
    fixture.call(times: 130, on: connection)
    #expect(handler.handled.count == 64)
    #expect(connection.wait == .turn)
    #expect(connections.advance(handler))
    #expect(handler.handled.count == 128)
    #expect(connection.wait == .turn)
    #expect(!connections.advance(handler))
    #expect(handler.handled.count == 130)
    #expect(connection.wait == .input)
  }

  @Test func aConnectionWhose64thCallIsItsLastWaitsForInput() throws {
    let connection = try #require(fixture.connect())
    fixture.call(times: 64, on: connection)
    #expect(connection.wait == .input)
    #expect(!connections.advance(handler))
  }

  @Test func busyConnectionsTakeTurns() throws {
    let busy = try (0..<40).map { _ in try #require(fixture.connect()) }
    for connection in busy { fixture.arrive(calls: 400, on: connection) }
    while connections.advance(handler) {
      let counts = busy.map(handler.count)
      #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 64)
    }
    #expect(handler.handled.count == 40 * 400)
  }

  @Test func at32ConnectionsTheLoopLooksForOtherEvents() throws {
    let busy = try (0..<40).map { _ in try #require(fixture.connect()) }
    for connection in busy { fixture.arrive(calls: 65, on: connection) }
    #expect(connections.advance(handler))
    #expect(busy.map(handler.count) == Array(repeating: 64, count: 32) + Array(repeating: 0, count: 8))
  }

  /// Turns went round the connections, so that a user with hundreds of them kept the others waiting for all.
  @Test func betweenTwoTurnsOfAUserEachOtherUserHasOne() throws {
    let many = try (0..<40).map { _ in try #require(fixture.connect(user: 1000)) }
    for connection in many { fixture.arrive(calls: 200, on: connection) }
    let few = try [1001, 1002].map { try #require(fixture.connect(user: $0)) }
    for connection in few { fixture.arrive(calls: 640, on: connection) }
    fixture.settle()
    // A turn is 64 calls, so that the third user's calls end with the 10th round.
    let calls = handler.handled.map(\.connection)
    let rounds = calls.prefix(3 * 640)
    for user in few {
      #expect(rounds.count { $0 == user.id } == 640)
      #expect(calls.firstIndex(of: user.id).map { $0 <= 2 * 64 } == true)
    }
    #expect(calls.count == 40 * 200 + 2 * 640)
  }

  @Test func aTurnOfSlowCallsEndsAfterSomeTime() throws {
    let slow = try #require(fixture.connect(user: 1000))
    let other = try #require(fixture.connect(user: 1001))
    handler.onCall = { [clock = fixture.clock] call, connection in
      clock.monotonic += 100
      connection.reply(call.token)
      return .mayFollow
    }
    fixture.arrive(calls: 100, on: slow)
    fixture.arrive(calls: 1, on: other)
    #expect(connections.advance(handler))
    #expect(handler.count(of: slow) == 3)
    #expect(handler.count(of: other) == 1)
  }

  @Test func callsThatArriveAreHandledInTheTurnOnly() throws {
    let connection = try #require(fixture.connect())
    fixture.arrive(calls: 1, on: connection)
    #expect(handler.handled.isEmpty)
    #expect(connection.wait == .turn)
    // Nothing more is received before its turn.
    #expect(!connections.wantsInput(on: connection.id))
    #expect(connections.hasWork)
    #expect(!connections.advance(handler))
    var served: [ConnectionID] = []
    connections.takeServed { served.append($0) }
    #expect(served == [connection.id])
    connections.takeServed { _ in Issue.record("each turn is reported once") }
    #expect(connections.wantsInput(on: connection.id))
  }

  @Test func outputIsSentToTheUsersInTurn() throws {
    let many = try (0..<5).map { _ in try #require(fixture.connect(user: 1000)) }
    let one = try #require(fixture.connect(user: 1001))
    for connection in many + [one] { fixture.call(on: connection) }
    #expect(connections.takeOutputs(atMost: 2) == [many[0].id, one.id])
    #expect(connections.hasWork)
    #expect(connections.takeOutputs() == many.dropFirst().map(\.id))
  }

  @Test func aStoppingServiceTakesNoCalls() throws {
    let connection = try #require(fixture.connect())
    handler.takesCalls = false
    fixture.call(on: connection)
    #expect(handler.handled.isEmpty)
    #expect(connection.wait == .input)
  }

  // MARK: The reader

  /// A connection with 10 calls whose answers exceed its output limit.
  private func slowReader() throws -> (fixture: ConnectionsFixture, connection: Connection) {
    let fixture = ConnectionsFixture { $0.maximumOutput = 4096 }
    fixture.handler.onCall = { call, connection in
      connection.reply(call.token) { $0.member("text", String(repeating: "x", count: 1000)) }
      return .mayFollow
    }
    let connection = try #require(fixture.connect())
    fixture.call(times: 10, on: connection)
    return (fixture, connection)
  }

  @Test func aConnectionWithTooMuchUnreadOutputWaitsForItsReader() throws {
    let (fixture, connection) = try slowReader()
    #expect(connection.wait == .reader)
    #expect(fixture.handler.handled.count == 4)
    #expect(!fixture.connections.wantsInput(on: connection.id))
    #expect(!fixture.connections.advance(fixture.handler))
  }

  @Test func aConnectionResumesWhenItsReaderHasReadHalf() throws {
    let (fixture, connection) = try slowReader()
    fixture.connections.consumeOutput(connection.outputCount - 2049, of: connection.id)
    #expect(connection.wait == .reader)
    fixture.connections.consumeOutput(1, of: connection.id)
    #expect(connection.wait == .turn)
    fixture.settle()
    #expect(fixture.handler.handled.count > 4)
  }

  // MARK: The budget

  @Test func aConnectionOfAThrottledUserWaitsForTheBudget() throws {
    let fixture = ConnectionsFixture { $0.maximumEventsPerSecond = 10 }
    let connection = try #require(fixture.connect())
    fixture.connections.users.charge(10, to: connection.share)
    fixture.call(on: connection)
    fixture.settle()
    #expect(connection.wait == .budget)
    #expect(fixture.handler.handled.isEmpty)
    #expect(!fixture.connections.wantsInput(on: connection.id))
    fixture.clock.advance(seconds: 1)
    fixture.settle()
    #expect(connection.wait == .input)
    #expect(fixture.handler.handled.count == 1)
  }

  @Test func aConnectionThatIsGoneIsNotResumedWithTheBudget() throws {
    let fixture = ConnectionsFixture { $0.maximumEventsPerSecond = 10 }
    let connection = try #require(fixture.connect())
    fixture.connections.users.charge(10, to: connection.share)
    fixture.call(on: connection)
    #expect(fixture.connections.disconnect(connection.id) === connection)
    fixture.clock.advance(seconds: 1)
    fixture.settle()
    #expect(fixture.handler.handled.isEmpty)
    #expect(fixture.connections.users.nextDue == nil)
  }

  // MARK: The disk

  @Test func aConnectionWaitsForTheDiskWhileTheBlockIsFull() throws {
    let connection = try #require(fixture.connect())
    handler.isFull = true
    fixture.call(on: connection)
    #expect(connection.wait == .disk)
    #expect(!connections.isSettled)
    #expect(!connections.advance(handler))
    handler.isFull = false
    connections.resumeWaitingForDisk()
    #expect(connection.wait == .turn)
    #expect(connections.isSettled)
    fixture.settle()
    #expect(connection.wait == .input)
    #expect(handler.handled.count == 1)
  }

  @Test func aUserWithALargePartOfTheBlockWaitsForTheNextOne() throws {
    let first = try #require(fixture.connect(user: 1000))
    let second = try #require(fixture.connect(user: 1001))
    handler.fullUsers = [1000]
    for connection in [first, second] { fixture.call(on: connection) }
    fixture.settle()
    #expect(first.wait == .disk && second.wait == .input)
    handler.fullUsers = []
    connections.resumeWaitingForDisk()
    fixture.settle()
    #expect(handler.handled.map(\.connection) == [second.id, first.id])
  }

  // MARK: The commit and news

  /// Answers every call with a stream.
  private func stream(isCommitted: Bool, steps: [StreamProgress] = []) throws -> (Connection, () -> ScriptedStream?) {
    var stream: ScriptedStream?
    let connections = connections
    handler.onCall = { call, connection in
      let next = ScriptedStream(connection, call, steps: steps)
      stream = next
      connections.begin(next, on: connection, isCommitted: isCommitted)
      return .waits
    }
    let connection = try #require(fixture.connect())
    fixture.call(mode: .more, on: connection)
    return (connection, { stream })
  }

  @Test func aStreamWaitsForTheCommitOfWhatItsCallerHasSent() throws {
    let (connection, stream) = try stream(isCommitted: false)
    connection.feeder.lastPosition = 7
    #expect(connection.wait == .commit)
    #expect(!connections.isSettled)
    connections.resumeWaitingForCommit { $0 < 7 }
    fixture.settle()
    #expect(connection.wait == .commit)
    #expect(stream()?.advanceCount == 0)
    connections.resumeWaitingForCommit { $0 == 7 }
    #expect(connection.wait == .turn)
    #expect(connections.isSettled)
    fixture.settle()
    #expect(stream()?.advanceCount == 1)
    #expect(connection.wait == .news)
  }

  @Test func aStreamIsAdvancedUntilItWaitsForNews() throws {
    let (connection, stream) = try stream(isCommitted: true, steps: [.working, .working])
    #expect(connection.wait == .turn)
    #expect(connections.advance(handler))
    #expect(stream()?.advanceCount == 1)
    fixture.settle()
    #expect(stream()?.advanceCount == 3)
    #expect(connection.wait == .news)
    connections.wake(connection.id)
    #expect(connection.wait == .turn)
    fixture.settle()
    #expect(stream()?.advanceCount == 4)
  }

  @Test func callsBehindAStreamWaitForItsEnd() throws {
    let (connection, stream) = try stream(isCommitted: true)
    fixture.settle()
    handler.onCall = { call, connection in
      connection.reply(call.token)
      return .mayFollow
    }
    fixture.call(times: 2, on: connection)
    fixture.settle()
    #expect(handler.handled.count == 1)
    connections.endStream(of: connection.id, with: ServiceError.sessionClosed)
    #expect(connection.wait == .turn)
    fixture.settle()
    #expect(connection.wait == .input)
    #expect(fixture.read(connection) == ["SessionClosed", "{}", "{}"])
    #expect(stream()?.endCount == 1)
  }

  @Test func aStreamIsNotAdvancedWhileItsReaderIsSlow() throws {
    let fixture = ConnectionsFixture { $0.maximumOutput = 4096 }
    var streams: [ScriptedStream] = []
    fixture.handler.onCall = { [connections = fixture.connections] call, connection in
      let stream = ScriptedStream(connection, call, steps: [.working, .working, .waiting])
      stream.onAdvance = { $0.send { $0.member("text", String(repeating: "x", count: 5000)) } }
      streams.append(stream)
      connections.begin(stream, on: connection, isCommitted: true)
      return .waits
    }
    let connection = try #require(fixture.connect())
    fixture.call(mode: .more, on: connection)
    fixture.settle()
    #expect(connection.wait == .reader)
    #expect(streams.first?.advanceCount == 1)
    fixture.read(connection)
    fixture.settle()
    #expect(streams.first?.advanceCount == 2)
  }

  @Test(arguments: [true, false])
  func aStreamThatWaitsForNewsGetsATurnForRoomOnlyIfItWantsRoom(wantsRoom: Bool) throws {
    let (connection, stream) = try stream(isCommitted: true)
    stream()?.wantsRoom = wantsRoom
    stream()?.onAdvance = { $0.send() }
    fixture.settle()
    fixture.read(connection)
    #expect(connection.wait == (wantsRoom ? .turn : .news))
  }

  @Test func newsConcernOnlyThoseThatWaitForThem() throws {
    let (connection, _) = try stream(isCommitted: false)
    connections.wake(connection.id)
    connections.resumeWaitingForDisk()
    #expect(connection.wait == .commit)
    let idle = try #require(fixture.connect())
    connections.wake(idle.id)
    connections.wake(idle.id + 1)
    #expect(idle.wait == .input)
    #expect(!connections.advance(handler))
  }
}
