import ScrollLog
import Testing

@testable import ScrollService

/// Every way to read the log, of every kind of session, for every kind of caller.
@Suite struct AccessMatrixTests {
  /// Who reads. The sessions are those of user 1000.
  enum Viewer: CaseIterable {
    case own, foreign, observer, root, manager

    var maySee: Bool { self == .own || self == .observer || self == .root }

    func connect(_ daemon: TestDaemon) throws -> TestClient {
      switch self {
      case .own: try daemon.connect()
      case .foreign: try daemon.connect(user: 1001)
      case .observer: try daemon.connect(user: 1002, groups: [77])
      case .root: try daemon.connect(user: 0)
      case .manager: try daemon.connect(user: 900)
      }
    }
  }

  /// What the session is at the time of the call.
  enum Standing: CaseIterable {
    /// It is open.
    case open
    /// It is closed, in the segment that is being written.
    case closed
    /// It is closed, in a sealed segment.
    case sealed
    /// It is closed, in a packed segment.
    case packed
    /// It is closed, in a packed segment, and the daemon has restarted.
    case restarted
  }

  /// The calls that read, with and without the user's id where they take one.
  enum Reading: String, CaseIterable {
    case list, get, getOfUser, getByPosition, getByTime, getOfUserByTime, subscribe, subscribeFromStart, frames
    case readAll, readClient, readClientOfUser, readSession

    /// Whether it finds closed sessions.
    var findsClosed: Bool {
      switch self {
      case .list, .subscribe, .frames: false
      default: true
      }
    }

    /// The calls of it, with what they return for those who may see the session.
    func call(_ client: TestClient, _ scene: Scene) -> TestCall {
      let (name, session): (JSONTree, JSONTree) = (.string(Scene.client), scene.session)
      let (position, time): (JSONTree, JSONTree) = (.int(scene.position), .int(scene.time))
      return switch self {
      case .list: client.stream("List")
      case .get: client.stream("Get", ["client": name])
      case .getOfUser: client.stream("Get", ["client": name, "user": 1000])
      case .getByPosition: client.stream("Get", ["client": name, "position": position])
      case .getByTime: client.stream("Get", ["client": name, "time": time])
      case .getOfUserByTime: client.stream("Get", ["client": name, "user": 1000, "time": time])
      case .subscribe: client.stream("Subscribe")
      case .subscribeFromStart: client.stream("Subscribe", ["after": 0])
      case .frames: client.stream("Subscribe", ["clients": [name], "detail": "frames"])
      case .readAll: client.stream("Read")
      case .readClient: client.stream("Read", ["client": name])
      case .readClientOfUser: client.stream("Read", ["client": name, "user": 1000])
      case .readSession: client.stream("Read", ["session": session])
      }
    }
  }

  struct Scene {
    static let client = "private/window"
    static let title = "A private title"

    let daemon: TestDaemon
    let session: JSONTree
    /// A position and a time at which the session was open.
    let position: Int64
    let time: Int64

    init(_ standing: Standing) throws {
      daemon = try TestDaemon { $0.compress = standing == .packed || standing == .restarted }
      let feeder = try daemon.connect()
      // Somebody else's session, which everybody else may not see either, comes first and stays open.
      try daemon.connect(user: 1003).call("Open", ["client": "other"])
      session = try feeder.call("Open", ["client": .string(Self.client), "title": .string(Self.title)])["session"]
      let appended = try feeder.call("Append", ["session": session, "events": .array(Gestures.flips(4))])
      position = try #require(appended["position"].int)
      time = daemon.clock.wall
      daemon.clock.advance(seconds: 10)
      if standing != .open { try feeder.call("Close", ["session": session]) }
      if standing != .open && standing != .closed { try daemon.connect(user: 0).call("Rotate") }
      if standing == .restarted { try daemon.restart() }
      daemon.settle()
    }

    /// Whether the replies or the error of a call show anything of the session.
    func isShown(in call: TestCall) -> Bool {
      let text = call.replies.map { "\($0)" }.joined() + (call.error.map { "\($0)" } ?? "")
      return [Self.client, Self.title, session.string ?? "?", "\"user\":1000"].contains { text.contains($0) }
    }
  }

  @Test(arguments: Standing.allCases, Viewer.allCases)
  func aSessionIsShownToThoseWhoMaySeeItAndToNobodyElse(standing: Standing, viewer: Viewer) throws {
    let scene = try Scene(standing)
    for reading in Reading.allCases {
      let call = reading.call(try viewer.connect(scene.daemon), scene)
      let isExpected = viewer.maySee && (standing == .open || reading.findsClosed)
      #expect(scene.isShown(in: call) == isExpected, "\(reading): \(call.replies) \(String(describing: call.error))")
      if viewer.maySee { #expect(call.error == nil, "\(reading)") }
    }
  }

  /// A state in a closed session is looked for in the log, where all users' sessions are.
  @Test(arguments: Standing.allCases)
  func ofClientsOfTheSameNameEachUserSeesTheOwn(standing: Standing) throws {
    let scene = try Scene(standing)
    let own = try scene.daemon.connect(user: 1001)
    let session = try own.call("Open", ["client": .string(Scene.client)])["session"]
    try own.call("Close", ["session": session])
    let position = JSONTree.int(scene.daemon.service.lastPosition)
    let time = JSONTree.int(scene.daemon.clock.wall)
    for moment in [[:], ["position": position], ["time": time]] as [JSONTree] {
      for user in [nil, 1001] as [JSONTree?] {
        var parameters = moment
        parameters["client"] = .string(Scene.client)
        parameters["user"] = user ?? .null
        #expect(try own.call("Get", parameters)["state"]["session"] == session)
      }
    }
  }
}
