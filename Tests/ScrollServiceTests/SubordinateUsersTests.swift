import Testing

@testable import ScrollService

@Suite struct SubordinateUsersTests {
  private func list(_ text: String) -> SubordinateUsers {
    SubordinateUsers(text) { ["root": 0, "anna": 1001, "ben": 1002][$0] }
  }

  @Test func everyIdOfARangeBelongsToItsOwner() {
    let list = list("anna:100000:65536\nben:165536:65536\n1003:300000:1\n")
    let owners: [(id: UInt32, owner: UInt32)] = [
      (0, 0), (1001, 1001), (99_999, 99_999), (100_000, 1001), (165_535, 1001), (165_536, 1002), (231_071, 1002),
      (231_072, 231_072), (300_000, 1003), (300_001, 300_001), (.max, .max),
    ]
    for (id, owner) in owners { #expect(list.owner(of: id) == owner, "\(id)") }
  }

  @Test func rootsIdsAreNotRoot() {
    let list = list("root:100000:65536\n0:200000:65536\n")
    #expect(list.owner(of: 100_000) == 100_000)
    #expect(list.owner(of: 200_000) == 200_000)
  }

  @Test func badLinesAndIdsThatAreGivenTwiceAreSkipped() {
    let list = list(
      "anna\n:::\nanna:1:2:3\nstranger:10:5\nanna:x:5\nanna:20:0\nanna:4294967295:2\nanna:30:5\nben:34:5\n")
    for id in [1, 10, 20, .max, 35] as [UInt32] { #expect(list.owner(of: id) == id) }
    #expect(list.owner(of: 34) == 1001)
  }

  @Test func sessionsAndSubscriptionsOfSubordinateIdsCountForTheirOwner() throws {
    var access = AccessRules()
    access.subordinates = list("anna:100000:65536")
    let daemon = try TestDaemon(access: access) {
      $0.maximumSessionsPerUser = 2
      $0.maximumSubscriptionsPerUser = 2
    }
    let clients = try ([1001, 100_000, 100_001] as [UInt32]).map { try daemon.connect(user: $0) }
    for (index, client) in clients.enumerated() {
      let isRefused = index == 2
      let stream = try daemon.connect(user: client.user).stream("Subscribe")
      #expect((stream.error?.name == "TooManySubscriptions") == isRefused)
      if isRefused {
        #expect(throws: CallError.self) { try client.call("Open", ["client": "c"]) }
      } else {
        try client.call("Open", ["client": "c"])
      }
    }
    // For access, they are different users.
    let opened = try clients[0].call("Open", ["client": "c"])
    #expect(throws: CallError.self) { try clients[1].call("Close", ["session": opened["session"]]) }
  }

  @Test func whatASubordinateIdEndsMakesRoomForItsOwner() throws {
    var access = AccessRules()
    access.subordinates = list("anna:100000:65536")
    let daemon = try TestDaemon(access: access) {
      $0.maximumSessionsPerUser = 1
      $0.maximumSubscriptionsPerUser = 1
    }
    for user in [100_000, 1001, 100_001, 1001] as [UInt32] {
      let client = try daemon.connect(user: user)
      let session = try client.call("Open", ["client": "c"])["session"]
      try client.call("Close", ["session": session])
      #expect(client.stream("Subscribe").error == nil)
      client.hangUp()
    }
    #expect(daemon.service.subscriptions.count == 0)
  }
}
