import ScrollModel
import Testing

@testable import ScrollService

@Suite struct ImportTests {
  private static let id: JSONTree = "0123456789abcdef0123456789abcdef"
  private static let recording: JSONTree = [
    "client": "reader", "time": 5, "application": "App 1", "title": "A title", "session": id, "policy": "odd",
    "rule": "safari", "parameters": [["name": "hideDistance", "value": "33"]],
  ]

  /// A recording with some members changed.
  private static func changed(_ changes: [String: JSONTree]) -> JSONTree {
    .object(recording.members.merging(changes) { _, new in new }.filter { $0.value != .null })
  }

  @Test func anImportedSessionEqualsTheRecordedOne() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    let opened = try root.call("Import", Self.recording)
    #expect(opened == ["session": Self.id, "nextNumber": 1, "generation": 1])
    try root.call("Append", ["session": Self.id, "number": 1, "events": .array(Gestures.flips(6))])
    #expect(try root.call("EndImport", ["session": Self.id, "time": 99, "reason": "idle"]) == [:])
    let records = root.stream("Read").values("record")
    #expect(records.count == 8)
    #expect(records.first?["time"] == 5)
    #expect(records.first?["application"] == "App 1")
    #expect(records.first?["title"] == "A title")
    #expect(records.first?["policy"] == "odd")
    guard case .array(let parameters) = records.first?["parameters"] else {
      Issue.record("the opening has no parameters")
      return
    }
    #expect(parameters.first == ["name": "hideDistance", "value": "33"])
    #expect(parameters.contains(["name": "showDistance", "value": "10"]))
    #expect(records.last == ["kind": "close", "time": 99, "reason": "idle"])
    #expect(try root.call("Get", ["client": "reader"])["state"]["policy"] == "odd")
    #expect(throws: CallError("SessionClosed")) { try root.call("Import", Self.recording) }
  }

  @Test func anInterruptedImportContinuesWhereItStopped() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    try root.call("Import", Self.recording)
    try root.call("Append", ["session": Self.id, "number": 1, "events": .array(Gestures.flips(6))])
    root.hangUp()
    for daemon in [daemon, try daemon.restarted()] {
      let again = try daemon.connect(user: 0)
      #expect(try again.call("Import", Self.recording)["nextNumber"] == 7)
      let resend: JSONTree = ["session": Self.id, "number": 1, "events": .array(Gestures.flips(6))]
      #expect(try again.call("Append", resend)["position"] == 7)
      #expect(daemon.service.lastPosition == 7)
    }
  }

  @Test func anImportWithoutAPolicyUsesTheConfiguredOne() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    let bare = try root.call("Import", ["client": "reader", "time": 1])
    #expect(bare["session"].string?.count == 32)
    #expect(try root.call("Get", ["client": "reader"])["state"]["policy"] == "safari")
    try root.call("EndImport", ["session": bare["session"], "time": 2])
    #expect(root.stream("Read").values("record").last?["reason"] == "asked")
  }

  /// An import must not close a client that is in use.
  @Test func anImportDoesNotCloseAnOpenClient() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    let open = try root.call("Open", ["client": "reader"])["session"]
    #expect(throws: CallError("ClientOpen", ["session": open])) { try root.call("Import", Self.recording) }
    // The same name of another user is another client.
    #expect(try daemon.connect(user: 900).call("Import", Self.recording)["nextNumber"] == 1)
    #expect(throws: CallError("ClientOpen", ["session": open])) { try root.call("Import", Self.recording) }
    #expect(throws: CallError("PermissionDenied")) { try root.call("EndImport", ["session": Self.id, "time": 1]) }
    try root.call("Close", ["session": open])
  }

  @Test func onlyManagersImport() throws {
    let daemon = try TestDaemon()
    for groups: [UInt32] in [[], [77]] {
      let client = try daemon.connect(groups: groups)
      #expect(throws: CallError("PermissionDenied")) { try client.call("Import", Self.recording) }
      let session = try client.call("Open", ["client": "own"])["session"]
      #expect(throws: CallError("PermissionDenied")) { try client.call("EndImport", ["session": session, "time": 1]) }
    }
    #expect(daemon.service.lastPosition == 3)
  }

  @Test(
    arguments: [
      ("time", -1, "time"), ("time", 9_007_199_254_740_993, "time"), ("session", "12", "session"),
      ("rule", .null, "rule"), ("policy", .null, "policy"), ("rule", "other", "rule"),
      ("parameters", [["name": "other", "value": "1"]], "parameters"),
      ("parameters", [["name": "hideDistance", "value": "x"]], "parameters"), ("parameters", [1], "parameters"),
      ("parameters", "x", "parameters"), ("extra", 1, "extra"), ("user", -1, "user"), ("user", 4_294_967_295, "user"),
    ] as [(String, JSONTree, String)])
  func anInvalidRecordingIsRefused(member: String, value: JSONTree, parameter: String) throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    #expect(throws: CallError("InvalidParameter", ["parameter": .string(parameter)])) {
      try root.call("Import", Self.changed([member: value]))
    }
    #expect(daemon.service.lastPosition == 0)
  }

  @Test func anInvalidEndIsRefused() throws {
    let daemon = try TestDaemon()
    let root = try daemon.connect(user: 0)
    #expect(throws: CallError("NoSuchSession")) { try root.call("EndImport", ["session": Self.id, "time": 1]) }
    try root.call("Import", Self.recording)
    #expect(throws: CallError("InvalidParameter", ["parameter": "time"])) {
      try root.call("EndImport", ["session": Self.id, "time": -1])
    }
    #expect(throws: CallError("InvalidParameter", ["parameter": "reason"])) {
      try root.call("EndImport", ["session": Self.id, "time": 1, "reason": "tired"])
    }
    #expect(throws: CallError("InvalidClient")) {
      do {
        try root.call("Import", Self.changed(["client": "a\nb"]))
      } catch let error as CallError {
        throw CallError(error.name)
      }
    }
    #expect(daemon.service.lastPosition == 1)
  }
}
