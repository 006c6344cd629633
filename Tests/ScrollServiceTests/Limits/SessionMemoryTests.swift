import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct SessionMemoryTests {
  private let text = JSONTree.string(String(repeating: "t", count: 4096))

  @Test func sessionsWithLongTextsCountTowardTheirUsersMemory() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 1 << 20 }
    let client = try daemon.connect(user: 1000)
    var count = 0
    var refusal: CallError?
    while refusal == nil {
      do {
        try client.call("Open", ["client": .string("c\(count)"), "title": text, "application": text])
        count += 1
      } catch let error as CallError {
        refusal = error
      }
    }
    #expect(refusal == CallError("TooManySessions", ["limit": .int(Int64(count))]))
    let share = try #require(daemon.service.connections.users[1000])
    #expect(share.sessionBytes <= 3 << 18 && share.sessionBytes > (3 << 18) - (20 << 10))
    #expect(count == share.sessionBytes / ((11 << 10) + 8192 + 2))
    // Opening one again needs no more room, and closing one makes room.
    let again = try client.call("Open", ["client": "c0", "title": text, "application": text])
    try client.call("Close", ["session": again["session"]])
    try client.call("Open", ["client": "new", "title": text, "application": text])
    // Others have their own memory, and root has no limit.
    for user in [0, 1001] as [UInt32] {
      let other = try daemon.connect(user: user)
      for index in 0..<30 { try other.call("Open", ["client": .string("c\(index)"), "title": text]) }
    }
  }

  @Test func aClientThatIsOpenCannotGrowBeyondTheMemory() throws {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = 1 << 20 }
    let client = try daemon.connect()
    let names = (0..<69).map { JSONTree.string("c\($0)") }
    for name in names { try client.call("Open", ["client": name]) }
    // Some are refused for the memory that they would take.
    for name in names.prefix(10) { _ = try? client.call("Open", ["client": name, "title": text, "application": text]) }
    #expect((daemon.service.connections.users[1000]?.sessionBytes ?? .max) <= 3 << 18)
    #expect(daemon.service.sessions.count(of: 1000) == 69, "a refused call closes no session")
  }

  @Test func theNextDaemonCountsTheSessionsThatItFinds() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    for index in 0..<20 { try client.call("Open", ["client": .string("c\(index)"), "title": text]) }
    let before = try #require(daemon.service.connections.users[1000]?.sessionBytes)
    #expect(before > 20 * (15 << 10))
    let next = try daemon.restarted()
    #expect(next.service.connections.users[1000]?.sessionBytes == before)
    try daemon.restart()
    #expect(daemon.service.connections.users[1000]?.sessionBytes == before)
  }

  @Test func whenTheDiskIsFullTheCountReturnsToWhatIsOpen() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    try client.call("Open", ["client": "kept"])
    let before = daemon.service.connections.users[1000]?.sessionBytes
    daemon.service.sessions.revert(to: daemon.service.log.horizon)
    #expect(daemon.service.connections.users[1000]?.sessionBytes == before)
  }

  @Test func sessionsLeaveLessForBuffers() {
    let memory = BufferMemory(ConnectionLimits(Configuration()))
    memory.connectionCount = 1
    let share = UserShare(user: 1000, limits: memory.limits, now: 0)
    share.connections = 256
    let before = memory.receiptLimit(of: share)
    share.sessionBytes = 48 << 20
    #expect(memory.receiptLimit(of: share) == before / 4)
    memory.add(16 << 20, to: share)
    #expect(memory.exceededLimit(of: share) == nil)
    memory.add(1, to: share)
    #expect(memory.exceededLimit(of: share)?.key == "BufferPerUserMax=")
  }

  // MARK: Closed sessions

  @Test func theIdsOfClosedSessionsWereKeptForEver() {
    func session(_ id: UInt64, _ user: UInt32) -> ClosedSession {
      ClosedSession(id: OpenTestSession.id(id), owner: .user(user))
    }
    var closed = ClosedSessions([OpenTestSession.id(0): .user(1000)])
    closed.insert(session(1, 1001), of: 1001)
    for id in 2...100_000 as ClosedRange<UInt64> { closed.insert(session(id, 1000), of: 1000) }
    #expect(closed.all.count <= 2 + 2 * ClosedSessions.limitPerUser)
    let newest = (100_000 - UInt64(ClosedSessions.limitPerUser) + 1)...100_000
    #expect(newest.allSatisfy { closed.contains(OpenTestSession.id($0)) })
    #expect(!closed.contains(OpenTestSession.id(2)))
    #expect(closed.contains(OpenTestSession.id(0)) && closed.contains(OpenTestSession.id(1)), "others keep theirs")
    closed.remove(OpenTestSession.id(100_000), of: 1000)
    closed.remove(OpenTestSession.id(0), of: 1000)
    #expect(!closed.contains(OpenTestSession.id(100_000)) && !closed.contains(OpenTestSession.id(0)))
  }

  @Test func ofTheClosedSessionsAStartReadsTheNewestOnes() {
    var ids = ClosedSessionIDs(limit: 100)
    for id in 0..<10_000 as Range<UInt64> {
      ids.insert(OpenTestSession.id(id), of: .unknown)
      #expect(id < 100 || ids[OpenTestSession.id(id - 99)] != nil)
    }
    #expect(ids.all.count < 200)
  }

  // MARK: Requests

  @Test func unansweredRequestsToOneUsersClientsAreLimitedTogether() throws {
    let daemon = try TestDaemon { $0.maximumEventsPerSecond = 1_000_000 }
    let caller = try daemon.connect()
    var accepted = 0
    for index in 0..<17 {
      let feeder = try daemon.connect()
      let session = try feeder.call("Open", ["client": .string("c\(index)")])["session"]
      _ = feeder.stream("Requests", ["session": session])
      let calls = (0..<1025).map { _ in
        caller.send("Scroll", ["client": .string("c\(index)"), "target": "top"])
      }
      daemon.settle()
      accepted += calls.count { $0.error == nil }
      feeder.hangUp()
    }
    #expect(accepted == Sessions.requestsPerUser)
  }
}
