import ScrollModel
import Testing

@testable import ScrollService

/// Session ids are per user: nobody can keep an id from another user by using it first.
@Suite struct SessionNameTests {
  private static let id: JSONTree = "0123456789abcdef0123456789abcdef"
  private static let opening: JSONTree = ["client": "reader", "session": id]

  private func append(_ client: TestClient, _ count: Int = 6) throws -> JSONTree {
    try client.call("Append", ["session": Self.id, "number": 1, "events": .array(Gestures.flips(count))])
  }

  @Test func anImportFailedWhenAnotherUserHadUsedTheIdFirst() throws {
    for isClosed in [false, true] {
      for restarts in [false, true] {
        var daemon = try TestDaemon()
        let first = try daemon.connect(user: 1000)
        try first.call("Open", Self.opening)
        if isClosed { try first.call("Close", ["session": Self.id]) }
        if restarts { daemon = try daemon.restarted() }
        let root = try daemon.connect(user: 0)
        let recording: JSONTree = ["client": "reader", "time": 5, "session": Self.id]
        #expect(try root.call("Import", recording)["session"] == Self.id)
        _ = try append(root)
        try root.call("EndImport", ["session": Self.id, "time": 9])
        // A repeated import finds it.
        #expect(throws: CallError("SessionClosed")) { try root.call("Import", recording) }
        let next = try daemon.restarted()
        #expect(throws: CallError("SessionClosed")) { try next.connect(user: 0).call("Import", recording) }
      }
    }
  }

  @Test func eachUserSeesTheIdThatItGave() throws {
    let daemon = try TestDaemon()
    let users = [1000, 1001, 0] as [UInt32]
    var streams: [TestCall] = []
    for user in users {
      let client = try daemon.connect(user: user)
      streams.append(try daemon.connect(user: user).stream("Subscribe"))
      #expect(try client.call("Open", Self.opening)["session"] == Self.id)
      #expect(try append(client)["nextNumber"] == 7)
      #expect(try client.call("Open", Self.opening)["nextNumber"] == 7, "the session continues")
      #expect(try client.call("Get", ["client": "reader", "user": .int(Int64(user))])["state"]["session"] == Self.id)
      #expect(client.stream("Read", ["session": Self.id, "user": .int(Int64(user))]).values("session").count == 7)
    }
    daemon.settle()
    for (user, stream) in zip(users, streams) {
      let transitions = stream.values("transition").filter { $0["user"] == .int(Int64(user)) }
      #expect(!transitions.isEmpty && transitions.allSatisfy { $0["session"] == Self.id })
      #expect(stream.values("opened").allSatisfy { $0["session"] == Self.id })
    }
    let root = try daemon.connect(user: 0)
    #expect(root.stream("List").values("state").map { $0["session"] } == [Self.id, Self.id, Self.id])
    // Without a user, root gets the records of all of them, and can tell them apart.
    let records = root.stream("Read", ["session": Self.id])
    for user in users { #expect(records.values("user").count { $0 == .int(Int64(user)) } == 7) }
    for user in users { try daemon.connect(user: user).call("Close", ["session": Self.id]) }
    #expect(streams[2].values("closed").map { $0["session"] } == [Self.id, Self.id, Self.id])
  }

  @Test func aSessionOfAnotherUserStaysOutOfReach() throws {
    let daemon = try TestDaemon()
    try daemon.connect(user: 1000).call("Open", Self.opening)
    let other = try daemon.connect(user: 1001)
    #expect(throws: CallError("PermissionDenied")) { try append(other) }
    #expect(throws: CallError("PermissionDenied")) { try other.call("Close", ["session": Self.id]) }
    #expect(other.stream("Read", ["session": Self.id]).values("record").isEmpty)
    try other.call("Open", Self.opening)
    _ = try append(other)
    try other.call("Close", ["session": Self.id])
    #expect(daemon.service.sessions.count(of: 1000) == 1)
    #expect(throws: CallError("SessionClosed")) { try append(other) }
    #expect(try append(daemon.connect(user: 1000))["nextNumber"] == 7)
  }

  @Test func sessionsOfTheSameIdSurviveARestartAndAHandOver() throws {
    let daemon = try TestDaemon()
    for user in [1000, 1001] as [UInt32] {
      let client = try daemon.connect(user: user)
      try client.call("Open", Self.opening)
      _ = try append(client)
    }
    for daemon in [daemon, try daemon.restarted()] {
      for user in [1000, 1001] as [UInt32] {
        let client = try daemon.connect(user: user)
        #expect(try client.call("Open", Self.opening) == ["session": Self.id, "nextNumber": 7, "generation": 1])
        #expect(try append(client)["nextNumber"] == 7)
      }
    }
    #expect(daemon.service.sessions.open.count == 2)
  }

  /// It was stored under the id that the caller gave: in the other user's session, or in a closed one, which the daemon
  /// could not fold and so did not survive.
  @Test func aResponseWentToTheSessionOfAnotherUserWithTheSameId() throws {
    for isClosed in [false, true] {
      let daemon = try TestDaemon()
      let first = try daemon.connect(user: 1000)
      try first.call("Open", Self.opening)
      if isClosed { try first.call("Close", ["session": Self.id]) }
      let second = try daemon.connect(user: 1001)
      try second.call("Open", Self.opening)
      _ = try daemon.connect(user: 1001).stream("Requests", ["session": Self.id])
      let request = try second.call("Scroll", ["client": "reader", "target": "top"])["position"]
      #expect(try second.call("Respond", ["session": Self.id, "request": request, "done": true]) == [:])
      try second.call("Close", ["session": Self.id])
      for daemon in [daemon, try daemon.restarted()] {
        let own = try daemon.connect(user: 1001).stream("Read", ["session": Self.id]).values("record")
        #expect(own.map { $0["kind"] } == ["open", "request", "response", "close"])
        let others = try daemon.connect(user: 1000).stream("Read", ["session": Self.id]).values("record")
        #expect(others.map { $0["kind"] } == (isClosed ? ["open", "close"] : ["open"]))
      }
    }
  }

  @Test func aListOfSessionsDidNotFindAnIdThatAnotherUserHadUsedFirst() throws {
    let daemon = try TestDaemon()
    for user in [1000, 1001] as [UInt32] {
      let client = try daemon.connect(user: user)
      try client.call("Open", Self.opening)
      _ = try append(client)
      let found = client.stream("Sessions", ["session": Self.id]).values("summary").map { $0["user"] }
      #expect(found == [.int(Int64(user))])
    }
  }

  @Test(arguments: [true, false])
  func forgettingAnIdForgetsTheSessionOfEachUserWhoGaveIt(isClosed: Bool) throws {
    let daemon = try TestDaemon()
    for user in [1000, 1001, 1002] as [UInt32] {
      let client = try daemon.connect(user: user)
      try client.call("Open", Self.opening)
      _ = try append(client)
      if isClosed { try client.call("Close", ["session": Self.id]) }
    }
    let kept = try daemon.connect(user: 1003).call("Open", ["client": "kept"])["session"]
    let root = try daemon.connect(user: 0)
    #expect(try root.call("Forget", ["session": Self.id])["records"] == 24)
    for daemon in [daemon, try daemon.restarted()] {
      let records = try daemon.connect(user: 0).stream("Read")
      #expect(records.replies.filter { $0["record"] != .null }.map { $0["session"] } == [kept])
      #expect(try daemon.connect(user: 0).stream("Sessions").values("summary").map { $0["session"] } == [kept])
    }
  }

  @Test func nobodyOccupiesTheIdThatTheLogUsesInstead() throws {
    let daemon = try TestDaemon()
    try daemon.connect(user: 1000).call("Open", Self.opening)
    let id = try #require(SessionID("0123456789abcdef0123456789abcdef"))
    let alias = SessionName(user: 1001, id: id).alias
    let taken: JSONTree = ["client": "other", "session": .string("\(alias)")]
    #expect(try daemon.connect(user: 1000).call("Open", taken)["session"] == .string("\(alias)"))
    #expect(try daemon.connect(user: 1001).call("Open", Self.opening)["session"] == Self.id)
    #expect(daemon.service.sessions.open.count == 3)
  }

  /// Two ids of one user could have the same alias. It takes a search to find such a pair.
  @Test func aUserWhoseIdsHaveTheSameAliasHarmsNobody() throws {
    let daemon = try TestDaemon()
    let first = SessionID(high: 0, low: 7)
    let second = SessionID(high: 1, low: 7 ^ 0x9E37_79B9_7F4A_7C15)
    #expect(SessionName(user: 1001, id: first).alias == SessionName(user: 1001, id: second).alias)
    for user in [1000, 1001] as [UInt32] {
      let client = try daemon.connect(user: user)
      try client.call("Open", ["client": "a", "session": .string("\(first)")])
      let other: JSONTree = ["client": "b", "session": .string("\(second)")]
      if user == 1000 {
        try client.call("Open", other)
      } else {
        #expect(throws: CallError("SessionClosed")) { try client.call("Open", other) }
      }
    }
    daemon.settle()
    #expect(daemon.service.sessions.open.count == 3)
  }

  // MARK: Importing for others

  @Test func rootImportsSessionsOfSeveralUsersWithTheSameId() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    for user in [1000, 1001] as [Int64] {
      let recording: JSONTree = ["client": "reader", "time": 5, "session": Self.id, "user": .int(user)]
      #expect(try root.call("Import", recording) == ["session": Self.id, "nextNumber": 1, "generation": 1])
      _ = try append(root)
      #expect(try root.call("Import", recording)["nextNumber"] == 7, "an interrupted import continues")
      try root.call("EndImport", ["session": Self.id, "time": 9])
      #expect(throws: CallError("SessionClosed")) { try root.call("Import", recording) }
    }
    for user in [1000, 1001] as [UInt32] {
      let client = try daemon.connect(user: user)
      #expect(client.stream("Read", ["session": Self.id]).values("record").count == 8)
      #expect(try client.call("Get", ["client": "reader"])["state"]["user"] == .int(Int64(user)))
      #expect(throws: CallError("SessionClosed")) { try client.call("Open", Self.opening) }
    }
    #expect(throws: CallError("NoSuchSession")) { try append(root) }
  }

  @Test func aUsersLimitsDoNotKeepRootFromImporting() throws {
    let daemon = try TestDaemon { $0.maximumSessionsPerUser = 1 }
    try daemon.connect(user: 1000).call("Open", ["client": "other"])
    let root = try daemon.connect(user: 0)
    try root.call("Import", ["client": "reader", "time": 5, "session": Self.id, "user": 1000])
    try root.call("EndImport", ["session": Self.id, "time": 9])
  }

  @Test func anImportForAnotherUserDoesNotMixWithTheImportersOwnSession() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    try root.call("Open", Self.opening)
    #expect(throws: CallError("InvalidParameter", ["parameter": "session"])) {
      try root.call("Import", ["client": "reader", "time": 5, "session": Self.id, "user": 1000])
    }
  }
}
