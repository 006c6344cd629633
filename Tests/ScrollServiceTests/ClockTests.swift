import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

/// What a daemon does while somebody sets the system's clock.
@Suite struct ClockTests {
  private static let day: Int64 = 86_400
  private static let jumps = [-day, 365 * day, 2 * day, -1_700_000_000, 15 * 365 * day]

  /// A daemon with an open session in three segments, the newest of them active.
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let session: JSONTree

    init() throws {
      daemon = try TestDaemon {
        $0.maximumRetention = 30 * ClockTests.day * 1_000_000
        $0.sessionIdle = ClockTests.day * 1_000_000
      }
      client = try daemon.connect()
      session = try client.call("Open", ["client": "reader"])["session"]
      for _ in 0..<2 {
        try append()
        try daemon.connect(user: 0).call("Rotate")
      }
    }

    @discardableResult func append() throws -> JSONTree {
      try client.call("Append", ["session": session, "events": .array([Gestures.layout])])["position"]
    }

    /// Lets some seconds pass as the loop does.
    func wait(seconds: Int64) {
      for _ in 0..<seconds {
        daemon.clock.advance(seconds: 1)
        daemon.service.tick()
        daemon.settle()
      }
    }
  }

  @Test(arguments: jumps)
  func aJumpNeitherClosesSessionsNorRemovesRecords(seconds: Int64) throws {
    let scene = try Scene()
    for jump in [seconds, -seconds] {
      scene.wait(seconds: 5)
      scene.daemon.clock.jump(seconds: jump)
      scene.wait(seconds: 70)
      try scene.append()
      #expect(scene.daemon.log.segments.firstPosition == 1)
    }
    #expect(scene.client.stream("Read").values("record").map { $0["kind"] }.contains("close") == false)
    #expect(scene.daemon.journal.entries.map(\.kind).filter { $0 == .clockJumped }.count == 2)
  }

  @Test(arguments: jumps)
  func theStateOfTenMinutesAgoIsRightOnBothSidesOfAJump(seconds: Int64) throws {
    let scene = try Scene()
    for jump in [0, seconds, -seconds] {
      scene.daemon.clock.jump(seconds: jump)
      scene.wait(seconds: 3)
      let position = try scene.append()
      scene.wait(seconds: 300)
      try scene.append()
      scene.wait(seconds: 300)
      for clock in [scene.daemon.clock.wall - 599_000_000, scene.daemon.clock.wall - 301_000_000] {
        let state = try scene.client.call("Get", ["client": "reader", "time": .int(clock)])["state"]
        #expect(state["position"] == position, "jump \(jump), \(clock)")
      }
    }
    let received = scene.client.stream("Read").values("received").compactMap(\.int)
    #expect(received == received.sorted())
  }

  @Test func idlenessCountsOverARestart() throws {
    let scene = try Scene()
    scene.daemon.clock.advance(seconds: Self.day - 10)
    let next = try scene.daemon.restarted { $0.sessionIdle = Self.day * 1_000_000 }
    next.service.tick()
    next.settle()
    #expect(try next.connect(user: 0).call("Statistics")["sessions"] == 1)
    next.clock.advance(seconds: 10)
    next.service.tick()
    next.settle()
    #expect(try next.connect(user: 0).call("Statistics")["sessions"] == 0)
  }

  @Test func recordsAgeByTheTimeThatPasses() throws {
    let scene = try Scene()
    scene.daemon.clock.jump(seconds: -100 * Self.day)
    for _ in 0..<31 {
      scene.daemon.clock.advance(seconds: Self.day)
      try scene.append()
      scene.daemon.service.tick()
      scene.daemon.settle()
    }
    #expect(scene.daemon.log.segments.firstPosition > 1)
  }
}
