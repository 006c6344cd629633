import Testing

@testable import ScrollService

@Suite struct AccessTests {
  @Test(arguments: ["Append", "Close", "Respond", "Requests"], [1001, 0, 900] as [UInt32])
  func aSessionIsItsUsersAlone(method: String, user: UInt32) throws {
    let daemon = try TestDaemon()
    let session = try daemon.connect().call("Open", ["client": "reader"])["session"]
    let other = try daemon.connect(user: user, groups: [77])
    let parameters: [String: JSONTree] = [
      "Append": ["session": session, "events": .array(Gestures.flips(1))],
      "Close": ["session": session],
      "Respond": ["session": session, "request": 1, "done": true],
      "Requests": ["session": session],
    ]
    let call = other.stream(method, parameters[method] ?? [:])
    #expect(call.error == CallError("PermissionDenied"))
    #expect(daemon.service.lastPosition == 1)
    #expect(daemon.service.connections.counters.permissionsDenied == 1)
  }

  @Test func observingDoesNotPermitControl() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    _ = try daemon.connect().stream("Requests", ["session": session])
    let scroll: JSONTree = ["client": "reader", "user": 1000, "target": "top"]
    let observer = try daemon.connect(user: 1002, groups: [77])
    #expect(throws: CallError("PermissionDenied")) { try observer.call("Scroll", scroll) }
    #expect(throws: CallError("PermissionDenied")) {
      try observer.call("Scroll", ["client": "reader", "target": "top"])
    }
    let stranger = try daemon.connect(user: 1003)
    #expect(throws: CallError("PermissionDenied")) { try stranger.call("Scroll", scroll) }
    #expect(throws: CallError("NoSuchClient")) {
      try stranger.call("Scroll", ["client": "reader", "target": "top"])
    }
    for user in [1000, 0, 900] as [UInt32] {
      let who = try daemon.connect(user: user)
      #expect(try who.call("Scroll", scroll)["position"] != .null)
      #expect(try who.call("Scroll", ["client": "reader", "target": "top"])["position"] != .null)
    }
  }

  @Test func callersThatMayNotSeeAUserAreDenied() throws {
    let daemon = try TestDaemon()
    try daemon.connect().call("Open", ["client": "reader"])
    let stranger = try daemon.connect(user: 1003)
    #expect(throws: CallError("PermissionDenied")) {
      try stranger.call("Get", ["client": "reader", "user": 1000])
    }
    let manager = try daemon.connect(user: 900)
    #expect(throws: CallError("PermissionDenied")) { try manager.call("Get", ["client": "reader", "user": 1000]) }
    let root = try daemon.connect(user: 0)
    #expect(try root.call("Get", ["client": "reader", "user": 1000])["state"]["client"] == "reader")
  }

  @Test(arguments: ["Statistics", "Sync", "Rotate", "Reload"])
  func onlyRootAndManagersManage(method: String) throws {
    let daemon = try TestDaemon()
    let observer = try daemon.connect(user: 1002, groups: [77])
    #expect(throws: CallError("PermissionDenied")) { try observer.call(method) }
    for user in [0, 900] as [UInt32] {
      let manager = try daemon.connect(user: user)
      try manager.call(method)
      #expect(throws: CallError("InvalidParameter", ["parameter": "extra"])) { try manager.call(method, ["extra": 1]) }
    }
  }

  @Test func theUserThatTheDaemonRunsAsMayManageAndFeed() {
    var configuration = Configuration()
    configuration.managers = ["900", "nobody-of-this-name"]
    configuration.feeders = ["900"]
    var warnings: [ConfigurationError] = []
    let access = AccessRules(configuration, ownUser: 61_234, warnings: &warnings)
    #expect([0, 900, 61_234, 1000].map { access.mayManage(Peer(user: $0, groups: [])) } == [true, true, true, false])
    #expect([0, 900, 61_234, 1000].map { access.mayFeed(Peer(user: $0, groups: [])) } == [true, true, true, false])
    #expect(!access.maySeeEveryone(Peer(user: 61_234, groups: [])), "managers must not see everyone")
  }

  @Test(arguments: ["Open", "Append", "Close", "Respond", "Requests"])
  func onlyFeedersFeed(method: String) throws {
    let feeders = PeerSet(users: [1001], groups: [55])
    let daemon = try TestDaemon(access: AccessRules(feeders: feeders, observersGroup: 77))
    let parameters: [String: JSONTree] = [
      "Open": ["client": "reader"], "Append": ["session": "0", "events": []], "Close": ["session": "0"],
      "Respond": ["session": "0"], "Requests": ["session": "0"],
    ]
    for (user, groups) in [(1000, []), (1000, [77]), (900, [54, 56])] as [(UInt32, [UInt32])] {
      let call = try daemon.connect(user: user, groups: groups).stream(method, parameters[method] ?? [:])
      #expect(call.error == CallError("PermissionDenied"))
      #expect(try daemon.connect(user: user, groups: groups).stream("Subscribe").error == nil)
    }
    #expect(daemon.service.connections.counters.permissionsDenied == 3)
    for (user, groups) in [(1001, []), (1000, [54, 55]), (0, [])] as [(UInt32, [UInt32])] {
      let call = try daemon.connect(user: user, groups: groups).stream(method, parameters[method] ?? [:])
      #expect(call.error != CallError("PermissionDenied"))
    }
    #expect(daemon.service.lastPosition == (method == "Open" ? 3 : 0))
  }

  @Test func aFeederThatAReloadRemovesFeedsNoMore() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    var configuration = daemon.service.settings.configuration
    configuration.feeders = ["1001"]
    daemon.nextConfiguration = .success(configuration)
    try daemon.connect(user: 0).call("Reload")
    let append: JSONTree = ["session": session, "events": .array(Gestures.flips(1))]
    #expect(throws: CallError("PermissionDenied")) { try client.call("Append", append) }
    configuration.feeders = []
    daemon.nextConfiguration = .success(configuration)
    try daemon.connect(user: 0).call("Reload")
    try client.call("Append", append)
  }

  @Test func unknownNamesAreReportedWithTheirPlaceInTheFile() throws {
    var configuration = Configuration()
    let place = SettingPlace(file: "/etc/scrolld/scrolld.conf", line: 7)
    configuration.feeders = ["root", "1001", "@root", "@77"] + [AccountName("no one", at: place)]
    configuration.managers = [AccountName("@no-one", at: place), AccountName("noone", at: place)]
    configuration.observersGroup = AccountName("no-one", at: place)
    var warnings: [ConfigurationError] = []
    let rules = AccessRules(configuration, ownUser: 5, warnings: &warnings)
    #expect(rules.feeders == PeerSet(users: [0, 5, 1001], groups: [0, 77]))
    #expect(rules.managers == PeerSet(users: [5]))
    #expect(rules.observersGroup == nil)
    #expect(
      warnings.map(\.description) == [
        "/etc/scrolld/scrolld.conf:7: Feeders=: unknown user “no one”",
        "/etc/scrolld/scrolld.conf:7: Managers=: unknown group “no-one”",
        "/etc/scrolld/scrolld.conf:7: Managers=: unknown user “noone”",
        "/etc/scrolld/scrolld.conf:7: ObserversGroup=: unknown group “no-one”",
      ])
    // A list of unknown names admits nobody, rather than everybody.
    configuration.feeders = ["noone"]
    #expect(AccessRules(configuration, ownUser: 5, warnings: &warnings).feeders == PeerSet(users: [5]))
    // The default group is missing on many machines, and the configuration does not name it.
    warnings = []
    _ = AccessRules(Configuration(), warnings: &warnings)
    #expect(warnings.isEmpty)
  }

  @Test func aReloadLogsUnknownNames() throws {
    let daemon = try TestDaemon()
    var configuration = daemon.service.settings.configuration
    configuration.managers = [AccountName("noone", at: SettingPlace(file: "/a.conf", line: 2))]
    daemon.nextConfiguration = .success(configuration)
    let warning = "/a.conf:2: Managers=: unknown user “noone”"
    #expect(try daemon.connect(user: 0).call("Reload") == ["warnings": [.string(warning)]])
    #expect(daemon.journal.messages.contains(warning))
  }
}
