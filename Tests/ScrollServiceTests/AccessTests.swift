// Who may do what.

import Testing

@testable import ScrollService

@Suite struct AccessTests {
  @Test(arguments: ["Append", "Close", "Respond", "Requests", "Open"], [1001, 0, 900] as [UInt32])
  func aSessionIsItsUsersAlone(method: String, user: UInt32) throws {
    let daemon = try TestDaemon()
    let session = try daemon.connect().call("Open", ["client": "reader"])["session"]
    let other = try daemon.connect(user: user, groups: [77])
    let parameters: [String: JSON] = [
      "Append": ["session": session, "events": .array(Gestures.flips(1))],
      "Close": ["session": session],
      "Respond": ["session": session, "request": 1, "done": true],
      "Requests": ["session": session],
      "Open": ["client": "reader", "session": session],
    ]
    let call = other.stream(method, parameters[method] ?? [:])
    #expect(call.error == CallError("PermissionDenied"))
    #expect(daemon.service.lastPosition == 1)
    #expect(daemon.service.metrics.permissionsDenied == 1)
  }

  @Test func toObserveIsNotToControl() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    _ = try daemon.connect().stream("Requests", ["session": session])
    let scroll: JSON = ["client": "reader", "user": 1000, "target": "top"]
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

  @Test func whoMayNotSeeAUserIsDenied() throws {
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
  func managingIsForRootAndManagers(method: String) throws {
    let daemon = try TestDaemon()
    let observer = try daemon.connect(user: 1002, groups: [77])
    #expect(throws: CallError("PermissionDenied")) { try observer.call(method) }
    for user in [0, 900] as [UInt32] {
      let manager = try daemon.connect(user: user)
      try manager.call(method)
      #expect(throws: CallError("InvalidParameter", ["parameter": "extra"])) { try manager.call(method, ["extra": 1]) }
    }
  }

  @Test func theUserThatTheDaemonRunsAsMayManage() {
    var configuration = Configuration()
    configuration.managers = ["900", "nobody-of-this-name"]
    var unknown: [String] = []
    let access = AccessRules(configuration, ownUser: 61_234, unknownUsers: &unknown)
    #expect([0, 900, 61_234, 1000].map { access.mayManage(Peer(user: $0, groups: [])) } == [true, true, true, false])
    #expect(unknown == ["nobody-of-this-name"])
    #expect(!access.maySeeEveryone(Peer(user: 61_234, groups: [])), "to manage is not to observe")
  }
}
