import Testing
import Varlink

@testable import ScrollService

@Suite struct ConnectionsTests {
  // MARK: Limits

  @Test func connectionsBeyondTheLimitAreRefusedUntilOneEnds() throws {
    let fixture = ConnectionsFixture { $0.maximumConnections = 2 }
    let first = try #require(fixture.connect(user: 0))
    #expect(fixture.connect(user: 1) != nil)
    #expect(fixture.connect(user: 0) == nil)
    #expect(fixture.connections.disconnect(first.id) != nil)
    #expect(fixture.connect(user: 2) != nil)
    #expect(fixture.connections.counters.accepted == 3)
    #expect(fixture.connections.counters.refused == 1)
    #expect(fixture.connections.count == 2)
  }

  @Test func aUserBeyondItsLimitIsRefusedAndOthersAreNot() throws {
    let fixture = ConnectionsFixture { $0.maximumConnectionsPerUser = 1 }
    #expect(fixture.connect(user: 1000) != nil)
    #expect(fixture.connect(user: 1000) == nil)
    #expect(fixture.connect(user: 1000) == nil)
    #expect(fixture.connect(user: 1001) != nil)
    #expect(fixture.connect(user: 0) != nil)
    #expect(fixture.connect(user: 0) != nil)
    #expect(fixture.journal.entries.map(\.kind) == [.connectionRefused])
  }

  @Test func withoutSpareDescriptorsConnectionsAreRefused() {
    let fixture = ConnectionsFixture()
    #expect(fixture.connect(descriptors: 0) == nil)
    #expect(fixture.connect(descriptors: 1) != nil)
    #expect(fixture.connect(user: 0, descriptors: 1) == nil)
  }

  @Test func newLimitsApplyToConnectionsAndUsers() throws {
    let fixture = ConnectionsFixture()
    var configuration = Configuration()
    configuration.maximumConnections = 0
    configuration.maximumEventsPerSecond = 1
    fixture.connections.limits = ConnectionLimits(configuration)
    #expect(fixture.connect() == nil)
    #expect(fixture.connections.users.limits.eventsPerSecond == 1)
  }

  // MARK: Ends

  @Test func aConnectionThatEndsEndsItsStreamOnce() throws {
    let fixture = ConnectionsFixture()
    var stream: ScriptedStream?
    fixture.handler.onCall = { [connections = fixture.connections] call, connection in
      let next = ScriptedStream(connection, call)
      stream = next
      connections.begin(next, on: connection, isCommitted: true)
      return .waits
    }
    let connection = try #require(fixture.connect())
    fixture.call(mode: .more, on: connection)
    #expect(fixture.connections.disconnect(connection.id) === connection)
    #expect(fixture.connections.disconnect(connection.id) == nil)
    fixture.connections.endStream(of: connection.id, with: ServiceError.sessionClosed)
    fixture.settle()
    #expect(stream?.endCount == 1)
    #expect(stream?.advanceCount == 0)
    #expect(stream?.errors == [])
    #expect(connection.isFinished)
  }

  @Test func aStreamThatEndsByItselfIsEndedOnce() throws {
    let fixture = ConnectionsFixture()
    var stream: ScriptedStream?
    fixture.handler.onCall = { [connections = fixture.connections] call, connection in
      let next = ScriptedStream(connection, call, steps: [.ended])
      next.onAdvance = { $0.send(continues: false) }
      stream = next
      connections.begin(next, on: connection, isCommitted: true)
      return .waits
    }
    let connection = try #require(fixture.connect())
    fixture.call(mode: .more, on: connection)
    fixture.settle()
    #expect(stream?.endCount == 1)
    #expect(connection.wait == .input)
    #expect(fixture.connections.disconnect(connection.id) != nil)
    #expect(stream?.endCount == 1)
  }

  @Test func aPeerThatEndedItsSideIsAnsweredAndThenFinished() throws {
    let fixture = ConnectionsFixture()
    let connection = try #require(fixture.connect())
    fixture.call(times: 100, on: connection)
    fixture.connections.receiveEnd(on: connection.id)
    fixture.settle()
    #expect(!connection.isFinished)
    #expect(fixture.read(connection).count == 100)
    #expect(connection.isFinished)
  }

  // MARK: Signs of life

  @Test func aSilentStreamSendsASignOfLifeEvery20Seconds() throws {
    let fixture = ConnectionsFixture()
    var stream: ScriptedStream?
    fixture.handler.onCall = { [connections = fixture.connections] call, connection in
      let next = ScriptedStream(connection, call)
      stream = next
      connections.begin(next, on: connection, isCommitted: true)
      return .waits
    }
    let idle = try #require(fixture.connect())
    let connection = try #require(fixture.connect())
    fixture.call(mode: .more, on: connection)
    fixture.settle()
    func heartbeats(after seconds: Int64) -> Int? {
      fixture.clock.advance(seconds: seconds)
      fixture.connections.sendHeartbeats(fixture.clock.monotonic)
      return stream?.heartbeatCount
    }
    #expect(heartbeats(after: 19) == 0)
    #expect(heartbeats(after: 1) == 1)
    #expect(fixture.connections.takeOutputs() == [connection.id])
    // Its reader has not even read the last one.
    #expect(heartbeats(after: 20) == 1)
    #expect(fixture.read(connection) == ["{}"])
    #expect(heartbeats(after: 0) == 2)
    #expect(fixture.connections.takeOutputs() == [connection.id])
    fixture.read(connection)
    #expect(heartbeats(after: 19) == 2)
    #expect(idle.outputCount == 0)
  }

  // MARK: Violations

  @Test func aViolationIsCountedLoggedAndFinishesTheConnection() throws {
    let fixture = ConnectionsFixture()
    let connection = try #require(fixture.connect())
    fixture.receive([0], on: connection)
    fixture.receive([0, 0], on: connection)
    #expect(connection.violation == .emptyMessage)
    #expect(connection.isFinished)
    #expect(fixture.connections.takeOutputs() == [connection.id])
    #expect(fixture.connections.counters.violations == 1)
    #expect(fixture.journal.entries.map(\.kind) == [.protocolViolated])
  }

  @Test func aUserWithTooManyViolationsIsSlowedUnlessAConnectionHasCalled() throws {
    let fixture = ConnectionsFixture()
    let known = try #require(fixture.connect())
    fixture.call(on: known)
    for _ in 0..<100 {
      let connection = try #require(fixture.connect())
      fixture.receive([0], on: connection)
      #expect(fixture.connections.disconnect(connection.id) != nil)
    }
    let new = try #require(fixture.connect())
    let other = try #require(fixture.connect(user: 1001))
    #expect(!fixture.connections.wantsInput(on: new.id))
    #expect(fixture.connections.wantsInput(on: known.id))
    #expect(fixture.connections.wantsInput(on: other.id))
    #expect(fixture.connections.users.nextDue == fixture.clock.monotonic + 10_000)
    fixture.clock.monotonic += 10_000
    fixture.settle()
    #expect(fixture.connections.wantsInput(on: new.id))
  }

  // MARK: Refused calls

  @Test func refusedCallsAreCountedByKind() throws {
    let fixture = ConnectionsFixture()
    let connection = try #require(fixture.connect())
    fixture.handler.onCall = { _, _ throws(VarlinkError) in throw .permissionDenied }
    fixture.call(on: connection)
    fixture.call(mode: .oneway, on: connection)
    fixture.handler.onCall = { _, _ throws(VarlinkError) in throw .invalidParameter("x") }
    fixture.call(on: connection)
    #expect(fixture.read(connection) == ["PermissionDenied", "InvalidParameter"])
    let counters = fixture.connections.counters
    #expect(counters.calls == 3)
    #expect(counters.callsRefused == 3)
    #expect(counters.permissionsDenied == 2)
    #expect(counters.onewayCallsRefused == 1)
    #expect(!connection.hasCalled)
    fixture.clock.advance(seconds: 60)
    fixture.connections.users.tick(fixture.clock.monotonic)
    #expect(fixture.journal.entries.map(\.kind) == [.permissionDenied, .refusalsSuppressed])
    #expect(fixture.journal.messages.last?.contains("1 oneway call refused") == true)
  }

  /// Calls that were refused cost nothing, so that a user could keep the daemon busy with them.
  @Test func refusedCallsAreChargedLikeEvents() throws {
    let fixture = ConnectionsFixture { $0.maximumEventsPerSecond = 10 }
    let connection = try #require(fixture.connect())
    fixture.handler.onCall = { _, _ throws(VarlinkError) in throw .invalidParameter("x") }
    fixture.call(times: 20, on: connection)
    #expect(fixture.handler.count(of: connection) == 10)
    #expect(connection.wait == .budget)
    let root = try #require(fixture.connect(user: 0))
    fixture.call(times: 20, on: root)
    #expect(fixture.handler.count(of: root) == 20)
  }

  // MARK: Messages above the size limit

  @Test func aMessageAboveTheSizeLimitGetsTheLimitAndThenTheEnd() throws {
    let fixture = ConnectionsFixture { $0.maximumMessageSize = 4096 }
    let connection = try #require(fixture.connect())
    fixture.call(on: connection)
    fixture.call(on: connection) { $0.member("text", String(repeating: "x", count: 4097)) }
    #expect(fixture.read(connection) == ["{}", "MessageTooLarge"])
    #expect(connection.hasSentLastReply)
    #expect(fixture.connections.wantsInput(on: connection.id))
    // The rest of the message does not stay in memory.
    fixture.receive([UInt8](repeating: 32, count: 4097), on: connection)
    #expect(fixture.connections.bufferedBytes == 0)
    fixture.connections.receiveEnd(on: connection.id)
    #expect(connection.isFinished)
    #expect(fixture.connections.takeOutputs() == [connection.id])
  }

  @Test func thePeerOfAMessageAboveTheSizeLimitHasTenSecondsToEnd() throws {
    let fixture = ConnectionsFixture { $0.maximumMessageSize = 4096 }
    let connection = try #require(fixture.connect())
    fixture.call(on: connection) { $0.member("text", String(repeating: "x", count: 4097)) }
    _ = fixture.connections.takeOutputs()
    #expect(fixture.read(connection) == ["MessageTooLarge"])
    fixture.clock.advance(seconds: 9)
    fixture.connections.endLingering(fixture.clock.monotonic)
    #expect(!connection.isFinished)
    fixture.clock.advance(seconds: 1)
    fixture.connections.endLingering(fixture.clock.monotonic)
    #expect(connection.isFinished)
    #expect(fixture.connections.takeOutputs() == [connection.id])
  }

  // MARK: Memory

  @Test func theHeaviestConnectionOfAUserBeyondTheBufferLimitIsDropped() throws {
    let fixture = ConnectionsFixture { $0.maximumBufferPerUser = 100_000 }
    let heavy = try #require(fixture.connect())
    let light = try #require(fixture.connect())
    let other = try #require(fixture.connect(user: 1001))
    fixture.receive([UInt8](repeating: 32, count: 90_000), on: other)
    fixture.receive([UInt8](repeating: 32, count: 60_000), on: heavy)
    #expect(fixture.connections.bufferedBytes == 150_000)
    fixture.receive([UInt8](repeating: 32, count: 40_001), on: light)
    #expect(heavy.isFinished && !light.isFinished && !other.isFinished)
    #expect(fixture.connections.bufferedBytes == 130_001)
    #expect(fixture.connections.counters.dropped == 1)
    #expect(fixture.connections.takeOutputs().contains(heavy.id))
  }

  @Test func beyondTheLimitForAllTheHeaviestUserLosesAConnection() throws {
    let fixture = ConnectionsFixture {
      $0.maximumBuffer = 100_000
      $0.maximumBufferPerUser = 1 << 30
    }
    let heavy = try #require(fixture.connect(user: 1000))
    let last = try #require(fixture.connect(user: 1001))
    fixture.receive([UInt8](repeating: 32, count: 60_000), on: heavy)
    fixture.receive([UInt8](repeating: 32, count: 50_000), on: last)
    #expect(heavy.isFinished && !last.isFinished)
  }

  @Test func unfinishedMessagesSlowTheirConnectionAndNoOther() throws {
    let fixture = ConnectionsFixture { $0.maximumBufferPerUser = 8192 }
    let connection = try #require(fixture.connect())
    let other = try #require(fixture.connect())
    fixture.receive([UInt8](repeating: 32, count: 4096), on: connection)
    #expect(!fixture.connections.wantsInput(on: connection.id))
    #expect(fixture.connections.wantsInput(on: other.id))
    #expect(fixture.journal.entries.map(\.kind) == [.incompleteMessagesThrottled])
    fixture.clock.advance(seconds: 1)
    fixture.settle()
    #expect(fixture.connections.wantsInput(on: connection.id))
  }

  // MARK: Output

  @Test func aConnectionIsAnnouncedOnceHoweverManyRepliesItHas() throws {
    let fixture = ConnectionsFixture()
    let first = try #require(fixture.connect())
    let second = try #require(fixture.connect())
    fixture.call(times: 3, on: second)
    fixture.call(times: 3, on: first)
    fixture.call(on: second)
    #expect(fixture.connections.hasWork)
    #expect(fixture.connections.takeOutputs() == [second.id, first.id])
    #expect(fixture.connections.takeOutputs() == [])
    #expect(!fixture.connections.hasWork)
    fixture.call(on: first)
    #expect(fixture.connections.takeOutputs() == [first.id])
  }

  @Test func bytesAreCountedInBothDirections() throws {
    let fixture = ConnectionsFixture()
    let connection = try #require(fixture.connect())
    fixture.receive(Array(#"{"method":"a.B"}"#.utf8) + [0], on: connection)
    fixture.read(connection)
    #expect(fixture.connections.counters.bytesReceived == 17)
    #expect(fixture.connections.counters.bytesSent == 3)
    #expect(fixture.connections.bufferedBytes == 0)
  }

  // MARK: Hand-over

  @Test func aResumedConnectionTakesTheCallsThatCameToTheLastDaemon() throws {
    let fixture = ConnectionsFixture()
    let call = Array(#"{"method":"a.B"}"#.utf8) + [0]
    let wire = SuspendedConnection(input: call + call, output: Array("{}".utf8) + [0])
    let (connection, token) = fixture.connections.resume(wire, Peer(user: 1000))
    #expect(token == nil)
    #expect(connection.hasCalled)
    fixture.connections.resume(connection)
    #expect(connection.wait == .turn)
    #expect(fixture.connections.bufferedBytes == 2 * 17 + 3)
    #expect(fixture.connections.takeOutputs() == [connection.id])
    fixture.settle()
    #expect(fixture.handler.handled.count == 2)
    #expect(fixture.connections.counters.resumed == 1)
  }

  @Test func aResumedStreamContinuesItsCall() throws {
    let fixture = ConnectionsFixture()
    let (connection, token) = fixture.connections.resume(SuspendedConnection(isStreaming: true), Peer(user: 1000))
    let channel = ReplyChannel(connection, try #require(token))
    channel.send { $0.member("position", 7) }
    #expect(
      connection.withOutput { String(decoding: $0.dropLast(), as: UTF8.self) }
        == #"{"parameters":{"position":7},"continues":true}"#)
  }

  @Test func changesForTheNextDaemonAreReportedOnce() throws {
    let fixture = ConnectionsFixture()
    let feeder = try #require(fixture.connect())
    _ = try #require(fixture.connect())
    for _ in 0..<1000 { fixture.connections.markHandOverChanged(feeder.id) }
    fixture.connections.markHandOverChanged(99)
    #expect(fixture.connections.takeHandOverChanges() == [feeder.id])
    #expect(fixture.connections.takeHandOverChanges() == [])
  }

  @Test func theTextOfAStreamsCallCountsUntilTheStreamHasReplied() throws {
    let fixture = ConnectionsFixture { $0.maximumBufferPerUser = 100_000 }
    var stream: ScriptedStream?
    fixture.handler.onCall = { [connections = fixture.connections] call, connection in
      let next = ScriptedStream(connection, call)
      stream = next
      connections.begin(next, on: connection, isCommitted: true)
      return .waits
    }
    let heavy = try #require(fixture.connect())
    let light = try #require(fixture.connect())
    fixture.call(mode: .more, on: heavy) { $0.member("x", String(repeating: "x", count: 60_000)) }
    #expect(fixture.connections.bufferedBytes > 60_000)
    fixture.call(mode: .more, on: light) { $0.member("x", String(repeating: "x", count: 39_000)) }
    #expect(!heavy.isFinished && !light.isFinished)
    stream?.mayRestart = false
    fixture.settle()
    #expect(fixture.connections.bufferedBytes < 61_000)
    fixture.call(mode: .more, on: try #require(fixture.connect())) {
      $0.member("x", String(repeating: "x", count: 50_000))
    }
    #expect(heavy.isFinished && !light.isFinished)
    #expect(heavy.stream == nil)
    #expect(fixture.connections.bufferedBytes < 51_000)
  }

  @Test func whatAStreamHoldsCountsForItsUser() throws {
    let fixture = ConnectionsFixture { $0.maximumBufferPerUser = 100_000 }
    var stream: ScriptedStream?
    fixture.handler.onCall = { [connections = fixture.connections] call, connection in
      let next = ScriptedStream(connection, call, steps: [.working])
      stream = next
      connections.begin(next, on: connection, isCommitted: true)
      return .waits
    }
    let connection = try #require(fixture.connect())
    fixture.call(mode: .more, on: connection)
    stream?.heldBytes = 90_000
    fixture.settle()
    #expect(fixture.connections.users[1000]?.bufferedBytes ?? 0 > 90_000)
    #expect(!connection.isFinished)
    stream?.heldBytes = 100_000
    fixture.connections.wake(connection.id)
    fixture.settle()
    #expect(connection.isFinished && stream?.endCount == 1)
    #expect(fixture.connections.bufferedBytes == 0)
    #expect(fixture.connections.disconnect(connection.id) === connection)
    #expect(stream?.endCount == 1)
    #expect(fixture.connections.bufferedBytes == 0)
  }

  @Test func closedSessionsWereRememberedByEveryConnectionThatFedThem() {
    let feeder = Feeder(connection: 1, user: 1000)
    for id in 1...10_000 as ClosedRange<UInt64> {
      let session = OpenSession(id: OpenTestSession.id(id), OpenTestSession.opening("c\(id)"), heard: 0)
      feeder.didFeed(session.id)
      session.add(feeder)
      if id > 100 { session.releaseFeeders() }
    }
    #expect(feeder.fedSessions.count == 100)
    #expect(feeder.heldBytes > 100 * 64)
  }

  // MARK: Reserves

  @Test func theSubordinateIdsOfOneUserTookAllConnections() {
    var access = AccessRules(managers: PeerSet(users: [50]))
    access.subordinates = SubordinateUsers("adva:100000:65536\n") { $0 == "adva" ? 1001 : nil }
    let fixture = ConnectionsFixture(access: access) {
      $0.maximumConnections = 160
      $0.maximumConnectionsPerUser = 40
    }
    let taken = (0..<200 as Range<UInt32>).count { fixture.connect(user: 100_000 + $0 % 100) != nil }
    #expect(taken == 40, "all ids count for their owner")
    #expect(fixture.connect(user: 1001) == nil)
    #expect(fixture.connect(user: 1002) != nil)
  }

  @Test func theLastConnectionsAreForUsersWithoutAnyAndForAdministrators() {
    let fixture = ConnectionsFixture(access: AccessRules(managers: PeerSet(users: [50]))) {
      $0.maximumConnections = 160
    }
    let crowd = (0..<160).count { _ in fixture.connect(user: 1000) != nil }
    #expect(crowd == 140, "a user with connections leaves two sixteenths")
    let newcomers = (2000..<2100 as Range<UInt32>).count { fixture.connect(user: $0) != nil }
    #expect(newcomers == 10, "users without one leave a sixteenth")
    #expect(fixture.connect(user: 2000) == nil)
    #expect((0..<5).allSatisfy { _ in fixture.connect(user: 50) != nil }, "managers have a reserve")
    #expect((0..<5).allSatisfy { _ in fixture.connect(user: 0) != nil }, "root has a reserve")
    #expect(fixture.connect(user: 0) == nil)
    #expect(fixture.connections.count == 160)
  }

  @Test func rootLosesItsConnectionsLast() throws {
    let fixture = ConnectionsFixture {
      $0.maximumBuffer = 100_000
      $0.maximumBufferPerUser = 1 << 30
    }
    let root = try #require(fixture.connect(user: 0))
    let light = try #require(fixture.connect(user: 1000))
    fixture.receive([UInt8](repeating: 32, count: 90_000), on: root)
    fixture.receive([UInt8](repeating: 32, count: 10_001), on: light)
    #expect(light.isFinished && !root.isFinished)
    fixture.receive([UInt8](repeating: 32, count: 10_001), on: root)
    #expect(root.isFinished)
  }
}
