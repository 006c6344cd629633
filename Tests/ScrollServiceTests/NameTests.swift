import ScrollModel
import Testing

@testable import ScrollService

/// Names that `String` takes for equal are other clients, in everything that a name selects.
@Suite struct NameTests {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"

  /// A daemon with a client of each name. Their sessions have 1 and 2 events.
  private struct Scene {
    let daemon: TestDaemon
    let user: TestClient
    let root: TestClient
    private(set) var sessions: [JSONTree] = []

    init() throws {
      daemon = try TestDaemon()
      user = try daemon.connect(user: 1000)
      root = try daemon.connect(user: 0)
      for (index, name) in [composed, decomposed].enumerated() {
        let session = try user.call("Open", ["client": .string(name)])["session"]
        let events = [JSONTree](repeating: Gestures.layout, count: index + 1)
        try user.call("Append", ["session": session, "number": 1, "events": .array(events)])
        sessions.append(session)
      }
    }
  }

  /// The UTF-8 of a JSON string. `JSONTree` compares as `String` does.
  private static func bytes(_ tree: JSONTree) -> [UInt8] { tree.string.map { Array($0.utf8) } ?? [] }

  @Test func openingAClientOfOtherBytesClosesNoSession() throws {
    let scene = try Scene()
    for (index, session) in scene.sessions.enumerated() {
      let event: JSONTree = ["session": session, "events": .array([Gestures.layout])]
      #expect(try scene.user.call("Append", event)["nextNumber"] == .int(Int64(index) + 3))
    }
    #expect(scene.user.stream("List").values("state").count == 2)
  }

  @Test func eachNameSelectsItsOwnClient() throws {
    let scene = try Scene()
    for (index, name) in [Self.composed, Self.decomposed].enumerated() {
      let state = try scene.user.call("Get", ["client": .string(name)])["state"]
      #expect(state["session"] == scene.sessions[index])
      #expect(Self.bytes(state["client"]) == Array(name.utf8))
      let records = scene.user.stream("Read", ["client": .string(name)]).values("session")
      #expect(records == [JSONTree](repeating: scene.sessions[index], count: index + 2))
      for detail in ["transitions", "frames"] {
        let subscription: JSONTree = ["clients": [.string(name)], "after": 0, "detail": .string(detail)]
        let opened = try scene.daemon.connect(user: 1000).stream("Subscribe", subscription).values("opened")
        #expect(opened.map { Self.bytes($0["client"]) } == [Array(name.utf8)])
      }
      #expect(scene.user.stream("List", ["clients": [.string(name)]]).values("state").count == 1)
    }
  }

  @Test func forgettingAClientLeavesTheOneOfOtherBytes() throws {
    let scene = try Scene()
    #expect(try scene.root.call("Forget", ["client": .string(Self.decomposed)]) == ["records": 4])
    let left = scene.user.stream("Read").values("session")
    #expect(left == [scene.sessions[0], scene.sessions[0]])
    #expect(try scene.user.call("Get", ["client": .string(Self.composed)])["state"]["session"] == scene.sessions[0])
  }

  @Test func namesAreOtherBytesAfterARestartToo() throws {
    let scene = try Scene()
    for daemon in [try scene.daemon.restarted(), try scene.daemon.restarted().restarted()] {
      let user = try daemon.connect(user: 1000)
      for (index, name) in [Self.composed, Self.decomposed].enumerated() {
        #expect(try user.call("Get", ["client": .string(name)])["state"]["session"] == scene.sessions[index])
      }
    }
  }
}
