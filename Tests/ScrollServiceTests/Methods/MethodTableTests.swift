import ScrollModel
import Testing
import Varlink

@testable import ScrollService

@Suite struct MethodTableTests {
  /// The methods that the interface texts describe.
  private static let described = ServiceInterfaces.texts.compactMap { try? InterfaceDescription($0) }.flatMap {
    interface in interface.methods.map { "\(interface.name).\($0.name)" }
  }

  // MARK: The table

  @Test func theTableHasTheMethodsOfTheInterfacesAndNoOther() throws {
    let names = try MethodsFixture().names
    #expect(names.sorted() == Self.described.sorted())
    #expect(names.count == 24)
  }

  @Test(
    arguments: [
      ("org.scrolld.Recorder.Nothing", "MethodNotFound"), ("org.scrolld.Nothing.Append", "InterfaceNotFound"),
      ("Append", "InterfaceNotFound"), ("org.scrolld.Recorder.append", "MethodNotFound"),
    ])
  func anUnknownMethodIsRefused(method: String, error: String) throws {
    let fixture = try MethodsFixture()
    let connection = try #require(fixture.peers.connect())
    #expect(fixture.call(method, on: connection) == [error])
  }

  @Test func aDescribedMethodWithoutAnEntryIsNotImplemented() throws {
    let table = MethodTable(try ServiceInterfaces.makeService())
    let settings = Settings(
      Configuration(), AccessRules(), journal: JournalRecorder().journal,
      read: { () throws(ConfigurationError) in Configuration() })
    let peers = ConnectionsFixture()
    peers.handler.onCall = { call, connection throws(VarlinkError) in
      _ = try table.handle(call, connection, settings)
      return .mayFollow
    }
    let connection = try #require(peers.connect())
    peers.call("org.scrolld.Recorder.Append", on: connection)
    #expect(peers.read(connection) == ["MethodNotImplemented"])
  }

  // MARK: Permissions

  /// A kind of peer.
  enum PeerKind: UInt32, CaseIterable {
    case root = 0
    case feeder = 1000
    case other = 1001
    case manager = 900
    case relay = 901

    /// Whether the peer may call a method.
    func mayCall(_ method: String) -> Bool {
      if method.hasPrefix("org.scrolld.Observer.") { return true }
      if method.hasPrefix("org.scrolld.Relay.") { return [.root, .manager, .relay].contains(self) }
      return self == .root || self == (method.hasPrefix("org.scrolld.Recorder.") ? .feeder : .manager)
    }
  }

  @Test(arguments: described, PeerKind.allCases)
  func aMethodIsOpenToThoseWhoMayCallItAndToNobodyElse(method: String, peer: PeerKind) throws {
    let fixture = try MethodsFixture(
      access: AccessRules(
        feeders: PeerSet(users: [1000]), managers: PeerSet(users: [900]), relays: PeerSet(users: [901])))
    let connection = try #require(fixture.peers.connect(user: peer.rawValue))
    let replies = fixture.call(method, ["unheardOf": 1], mode: .more, on: connection)
    // The permission is checked before the parameters, none of which are right.
    #expect(replies == [peer.mayCall(method) ? "InvalidParameter" : "PermissionDenied"])
    #expect(fixture.peers.connections.counters.permissionsDenied == (peer.mayCall(method) ? 0 : 1))
    #expect(fixture.log.commit.isSettled)
  }

  @Test func withoutConfiguredFeedersEveryoneFeeds() throws {
    let fixture = try MethodsFixture()
    let connection = try #require(fixture.peers.connect(user: 1001))
    #expect(fixture.call("org.scrolld.Recorder.Open", on: connection) == ["InvalidParameter"])
  }

  // MARK: Oneway calls

  /// Parameters with which a method does its work, or finds that it can't.
  private static func parameters(of method: String, session: SessionID) -> JSONTree {
    let session = JSONTree.string("\(session)")
    switch method.split(separator: ".").last {
    case "Append": return ["session": session, "events": [Gestures.layout]]
    case "Open", "Get", "Explain", "Forget": return ["client": "other"]
    case "Close", "Requests": return ["session": session]
    case "Respond": return ["session": session, "request": 1, "done": true]
    case "Scroll": return ["client": "reader", "target": "top"]
    case "Forgotten": return ["sessions": []]
    case "ForgetListed": return ["sessions": [], "clients": []]
    case "Import": return ["client": "other", "time": 1]
    case "EndImport": return ["session": session, "time": 1]
    default: return [:]
    }
  }

  @Test(arguments: described)
  func aOnewayCallOfAnyMethodLeavesTheConnectionFree(method: String) throws {
    let fixture = try MethodsFixture()
    let connection = try #require(fixture.peers.connect(user: 0))
    let session = OpenTestSession.id(7)
    fixture.log.commit.add(fixture.sessions.begin(session, OpenTestSession.opening("reader", user: 0)))
    try fixture.log.write()
    let parameters = Self.parameters(of: method, session: session)
    #expect(fixture.call(method, parameters, mode: .oneway, on: connection) == [])
    #expect(connection.wait == .input && connection.stream == nil)
    let replies = fixture.call("org.varlink.service.GetInfo", on: connection)
    #expect(replies.count == 1 && replies[0].contains("scrolld"))
    // What waits for a job is answered to nobody.
    while let job = fixture.log.commit.nextJob(LogFixture.noDemands) { try fixture.log.finish(job) }
    #expect(connection.outputCount == 0)
  }
}
