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
    case explain, explainOfUser, sessions, sessionsOfClient, sessionsOfUser, sessionsOfID, requests, follow,
      followClient

    /// The method that it calls.
    var method: String {
      switch self {
      case .list: "List"
      case .get, .getOfUser, .getByPosition, .getByTime, .getOfUserByTime: "Get"
      case .subscribe, .subscribeFromStart, .frames: "Subscribe"
      case .readAll, .readClient, .readClientOfUser, .readSession: "Read"
      case .explain, .explainOfUser: "Explain"
      case .sessions, .sessionsOfClient, .sessionsOfUser, .sessionsOfID: "Sessions"
      case .requests: "Requests"
      case .follow, .followClient: "Follow"
      }
    }

    /// Whether it shows a session to somebody.
    func shows(_ standing: Standing, to viewer: Viewer) -> Bool {
      switch self {
      case .list, .subscribe, .frames: viewer.maySee && standing == .open
      // To see is not to carry out what others ask the client for.
      case .requests: viewer == .own && standing == .open
      // Those who may copy the log copy all of it.
      case .follow, .followClient: viewer == .root || viewer == .manager
      default: viewer.maySee
      }
    }

    /// Whether a session that it does not show is no error.
    var isAnsweredWithout: Bool { method != "Requests" && method != "Follow" }

    /// The calls of it, with what they return for those who may see the session.
    func call(_ client: TestClient, _ scene: Scene) -> TestCall {
      let (name, session): (JSONTree, JSONTree) = (.string(Scene.client), scene.session)
      let (position, time): (JSONTree, JSONTree) = (.int(scene.position), .int(scene.time))
      let parameters: JSONTree =
        switch self {
        case .list, .subscribe, .readAll, .sessions, .follow: [:]
        case .get, .readClient, .explain: ["client": name]
        case .getOfUser, .readClientOfUser, .explainOfUser: ["client": name, "user": 1000]
        case .getByPosition: ["client": name, "position": position]
        case .getByTime: ["client": name, "time": time]
        case .getOfUserByTime: ["client": name, "user": 1000, "time": time]
        case .subscribeFromStart: ["after": 0]
        case .frames: ["clients": [name], "detail": "frames"]
        case .sessionsOfClient, .followClient: ["clients": [name]]
        case .sessionsOfUser: ["user": 1000]
        case .readSession, .sessionsOfID, .requests: ["session": session]
        }
      return client.stream(method, parameters)
    }
  }

  struct Scene {
    static let client = "private/window"
    static let title = "A private title"
    /// The page of a scroll request that nobody has answered.
    static let page = 471_108

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
      _ = try daemon.connect().stream("Requests", ["session": session])
      try feeder.call("Scroll", ["client": .string(Self.client), "target": "page", "page": .int(Int64(Self.page))])
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
      return [Self.client, Self.title, session.string ?? "?", "\"user\":1000", "\(Self.page)"].contains {
        text.contains($0)
      }
    }
  }

  @Test(arguments: Standing.allCases, Viewer.allCases)
  func aSessionIsShownToThoseWhoMaySeeItAndToNobodyElse(standing: Standing, viewer: Viewer) throws {
    let scene = try Scene(standing)
    for reading in Reading.allCases {
      let call = reading.call(try viewer.connect(scene.daemon), scene)
      let isExpected = reading.shows(standing, to: viewer)
      #expect(scene.isShown(in: call) == isExpected, "\(reading): \(call.replies) \(String(describing: call.error))")
      if isExpected || viewer.maySee && reading.isAnsweredWithout { #expect(call.error == nil, "\(reading)") }
    }
  }

  /// Methods that show nothing of a session, or only what the caller has just sent.
  private static let others: Set = [
    "Open", "Append", "Close", "Respond", "Scroll", "Statistics", "Sync", "Rotate", "Vacuum", "Backup", "Forget",
    "ForgetListed", "Import", "EndImport", "Reload", "Forgotten",
  ]

  @Test func theTableAboveHasEveryMethodThatReads() throws {
    let names = Set(try MethodsFixture().names.compactMap { $0.split(separator: ".").last.map(String.init) })
    let reading = Set(Reading.allCases.map(\.method))
    #expect(reading.isDisjoint(with: Self.others))
    #expect(names == reading.union(Self.others))
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
