import JSON
import ScrollClient
import ScrollClientTesting
import ScrollModel
import Testing
import Varlink

@Suite("Following the log")
struct LogFollowerTests {
  private static func record(_ position: Int, _ record: String) -> String {
    #"{"position":\#(position),"received":1,"client":"a","user":0,"session":"\#(RecorderTests.session)","#
      + #""record":\#(record)}"#
  }

  private static let request = record(5, #"{"kind":"request","time":1,"target":"top"}"#)
  private static let response = record(6, #"{"kind":"response","time":2,"request":5,"done":true}"#)

  /// Follows the log from the beginning until `records` records have come.
  private func follow(_ daemon: FakeDaemon, records: Int) throws -> [Position] {
    var query = LogQuery()
    query.client = "a"
    query.limit = 1
    let follower = try LogFollower(query, at: daemon.address)
    var found: [Position] = []
    for update in follower {
      if case .entry(let entry) = try update.get() { found.append(entry.position) }
      if found.count == records { break }
    }
    return found
  }

  @Test("A follower finds a response that no subscription reports")
  func withoutBell() throws {
    let daemon = try FakeDaemon { call, _, _ in
      if call.method == "org.scrolld.Observer.Subscribe" {
        return .stream([#"{"position":4,"caughtUp":true,"generation":1}"#], ends: false)
      }
      switch call.parameterObject?["after"]?.asInt64 {
      case nil: return .stream([Self.request], ends: true)
      default: return .stream([Self.response], ends: true)
      }
    }
    #expect(try follow(daemon, records: 2) == [5, 6])
    #expect(
      daemon.received.map(\.parameters) == [
        #"{"clients":["a"],"detail":"frames"}"#, #"{"client":"a"}"#, #"{"client":"a","after":5}"#,
      ])
  }

  @Test("A follower does not read again what its subscription has passed")
  func bellMovesOn() throws {
    let daemon = try FakeDaemon { call, count, _ in
      if call.method == "org.scrolld.Observer.Subscribe" {
        return .stream([#"{"position":90,"caughtUp":true,"generation":1}"#], ends: false)
      }
      return .stream([count < 3 ? "{}" : Self.record(95, #"{"kind":"close","time":1}"#)], ends: true)
    }
    #expect(try follow(daemon, records: 1) == [95])
    #expect(
      daemon.received.dropFirst().map(\.parameters) == [
        #"{"client":"a"}"#, #"{"client":"a","after":90}"#, #"{"client":"a","after":90}"#,
      ])
  }

  @Test("Waiting ends with the timeout, and fails when the daemon is gone")
  func ends() throws {
    let daemon = try FakeDaemon { call, count, _ in
      if call.method == "org.scrolld.Observer.Subscribe" {
        return .stream([#"{"position":4,"caughtUp":true,"generation":1}"#], ends: false)
      }
      return count == 1 ? .stream(["{}"], ends: true) : .hangUp
    }
    let follower = try LogFollower(LogQuery(), at: daemon.address)
    #expect(try follower.next() == .element(.caughtUp))
    #expect(try follower.next(timeout: .zero) == .timedOut)
    #expect(throws: ServiceError.connectionLost(daemon.address, reason: "the daemon closed it")) {
      try follower.next(timeout: .seconds(60))
    }
    #expect(try follower.next() == .ended)
  }
}
