import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollService

/// What one user can make the daemon keep by each method, on many connections that read nothing.
@Suite struct MethodMemoryTests {
  private static let limit = 2 << 20
  private static let connections = 48

  /// Parameters with which a method keeps as much as it can. The names are those of the table.
  private static func parameters(_ session: JSONTree) -> [String: JSONTree] {
    let long = JSONTree.string(String(repeating: "x", count: 255))
    let text = JSONTree.string(String(repeating: "t", count: 4096))
    return [
      "Recorder.Append": ["session": session, "number": 1, "events": .array(Gestures.flips(300))],
      "Recorder.Open": ["client": long, "title": text, "application": text],
      "Recorder.Close": ["session": session], "Recorder.Requests": ["session": session],
      "Recorder.Respond": ["session": session, "request": 1, "done": true, "reason": text],
      "Observer.List": ["clients": .array([long, "*"])], "Observer.Get": ["client": "c0", "position": 30],
      "Observer.Explain": ["client": "c0"],
      "Observer.Subscribe": ["after": 0, "detail": "frames", "clients": .array([long, "*"])],
      "Observer.Sessions": ["clients": .array([long, "*"])], "Manager.ForgetListed": ["sessions": [], "clients": []],
      "Observer.Read": ["after": 0], "Observer.Scroll": ["client": "c0", "target": "top"],
      "Manager.Statistics": [:], "Manager.Sync": [:], "Manager.Rotate": [:], "Manager.Vacuum": [:],
      "Manager.Forget": ["client": "c0"], "Manager.Reload": [:], "Manager.Backup": [:],
      "Manager.Import": ["client": long, "time": 1, "title": text, "application": text],
      "Manager.EndImport": ["session": session, "time": 1],
      "Relay.Follow": ["clients": .array([long, "*"])], "Relay.Forgotten": ["sessions": []],
    ]
  }

  /// A daemon whose user has sessions with long texts and a log of several segments.
  private func makeDaemon() throws -> (TestDaemon, JSONTree) {
    let daemon = try TestDaemon { $0.maximumBufferPerUser = Self.limit }
    let feeder = try daemon.connect()
    var session = JSONTree.null
    let title = JSONTree.string(String(repeating: "t", count: 4096))
    for index in 0..<24 {
      session = try feeder.call("Open", ["client": .string("c\(index)"), "title": title])["session"]
      try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(150))])
      if index == 12 { try daemon.connect(user: 0).call("Rotate") }
      daemon.clock.advance(seconds: 1)
    }
    return (daemon, session)
  }

  @Test func noMethodKeepsMoreThanAUsersMemory() throws {
    for method in try MethodsFixture().names {
      let (daemon, session) = try makeDaemon()
      let name = String(method.dropFirst("org.scrolld.".count))
      let parameters = try #require(Self.parameters(session)[name], "the test calls each method: \(name)")
      let share = try #require(daemon.service.connections.users[1000])
      var most = 0
      func look() { most = max(most, share.bufferedBytes + share.sessionBytes) }
      for _ in 0..<Self.connections {
        let client = try daemon.connect()
        client.window = 0
        // Spaces are a part of the message, too.
        let spaces = String(repeating: " ", count: 60_000)
        let text = "{\"method\":\"\(method)\",\"more\":true,\"parameters\":\(parameters)\(spaces)}"
        for _ in 0..<3 { client.send(raw: Array(text.utf8) + [0]) }
        for _ in 0..<20 {
          daemon.turn()
          look()
        }
      }
      for _ in 0..<400 {
        daemon.turn()
        look()
      }
      // The piece that exceeds the limit was received before a connection was closed for it.
      #expect(most <= Self.limit + BufferMemory.largestReceipt, "\(name) keeps \(most) bytes")
      // The sum that the daemon keeps is the sum of what the connections hold.
      #expect(
        share.bufferedBytes == daemon.service.connections.bufferedBytes
          - (daemon.service.connections.users[0]?.bufferedBytes ?? 0))
    }
  }

  @Test func afterAHandOverTheSameIsCounted() throws {
    let (daemon, _) = try makeDaemon()
    for index in 0..<Self.connections {
      let client = try daemon.connect()
      client.window = 0
      client.send("Subscribe", index % 2 == 0 ? ["after": 0] : [:], .more)
    }
    daemon.settle()
    let before = try #require(daemon.service.connections.users[1000])
    let held = before.bufferedBytes
    #expect(held > 100_000)
    try daemon.restart()
    let after = try #require(daemon.service.connections.users[1000])
    #expect(after !== before)
    #expect(after.sessionBytes == before.sessionBytes)
    daemon.settle()
    #expect(after.bufferedBytes > 50_000)
    #expect(after.bufferedBytes + after.sessionBytes <= Self.limit)
  }
}
