import ScrollModel
import Testing

@testable import ScrollService

/// The limits on sessions, at each method that begins one.
@Suite struct EntryLimitTests {
  enum Entry: String, CaseIterable {
    case open = "Open"
    case `import` = "Import"

    /// Begins a session with this method.
    func begin(_ client: TestClient, _ name: String, _ parameters: JSONTree = [:]) throws -> JSONTree {
      var parameters = parameters
      parameters["client"] = .string(name)
      if self == .import { parameters["time"] = 1 }
      return try client.call(rawValue, parameters)["session"]
    }
  }

  /// A manager that is not root, since root has no limits.
  private func manager(_ daemon: TestDaemon) throws -> TestClient { try daemon.connect(user: 900) }

  @Test(arguments: Entry.allCases, Entry.allCases)
  func theSessionTooManyIsRefusedHoweverTheOthersBegan(first: Entry, second: Entry) throws {
    let daemon = try TestDaemon { $0.maximumSessionsPerUser = 2 }
    let client = try manager(daemon)
    let session = try first.begin(client, "a")
    _ = try second.begin(client, "b")
    for entry in Entry.allCases {
      #expect(throws: CallError("TooManySessions", ["limit": 2])) { try entry.begin(client, "c") }
      // One that is open continues.
      #expect(try first.begin(client, "a", ["session": session]) == session)
    }
    try client.call("Close", ["session": session])
    _ = try second.begin(client, "c")
    #expect(throws: CallError("TooManySessions", ["limit": 2])) { try first.begin(client, "d") }
    // Another user has limits of its own, and root none.
    _ = try Entry.open.begin(try daemon.connect(user: 1001), "a")
    let root = try daemon.connect(user: 0)
    for name in ["a", "b", "c"] { _ = try second.begin(root, name) }
  }

  @Test(arguments: Entry.allCases)
  func textsTakeAtMostTheMemoryOfTheirUser(entry: Entry) throws {
    let daemon = try TestDaemon {
      $0.maximumMessageSize = 64 << 10
      $0.maximumBufferPerUser = 512 << 10
    }
    let client = try manager(daemon)
    let title = JSONTree.string(String(repeating: "t", count: 4096))
    var count = 0
    var refusal: CallError?
    while refusal == nil, count < 1000 {
      do {
        _ = try entry.begin(client, "client/\(count)", ["title": title, "application": title])
        count += 1
      } catch let error as CallError { refusal = error }
    }
    #expect(refusal?.name == "TooManySessions", "after \(count) sessions")
    #expect(count > 1)
  }

  @Test(arguments: Entry.allCases, ["application", "title"])
  func aTextThatIsTooLongIsRefusedWithTheLimitAndItsLength(entry: Entry, parameter: String) throws {
    let daemon = try TestDaemon()
    let client = try manager(daemon)
    // Two bytes a character: the limit is in bytes.
    for (count, isAccepted) in [(2048, true), (2049, false)] {
      let text = JSONTree.string(String(repeating: "ä", count: count))
      let parameters = JSONTree.object([parameter: text])
      if isAccepted {
        _ = try entry.begin(client, "c", parameters)
        try daemon.connect(user: 0).call("Forget", ["client": "c"])
      } else {
        let error = CallError("TextTooLong", ["parameter": .string(parameter), "limit": 4096, "given": 4098])
        #expect(throws: error) { try entry.begin(client, "c", parameters) }
      }
    }
  }

  @Test(
    arguments: Entry.allCases,
    [
      ("", "is empty: it must have 1 to 255 bytes"),
      (String(repeating: "ä", count: 128), "has 256 bytes of UTF-8: it must have 1 to 255"),
      ("a\u{7}b", "has the control character U+0007 at character 2"),
    ])
  func anInvalidNameIsRefusedWithTheReason(entry: Entry, name: (text: String, reason: String)) throws {
    let daemon = try TestDaemon()
    let error = CallError("InvalidClient", ["reason": .string(name.reason)])
    #expect(throws: error) { try entry.begin(try manager(daemon), name.text) }
    #expect(daemon.service.lastPosition == 0)
    _ = try entry.begin(try manager(daemon), String(repeating: "a", count: 255))
  }

  @Test func aPolicyNameAndAResponseHaveTheSameLimit() throws {
    let daemon = try TestDaemon()
    let client = try manager(daemon)
    let long = JSONTree.string(String(repeating: "x", count: 4097))
    #expect(throws: CallError("TextTooLong", ["parameter": "policy", "limit": 4096, "given": 4097])) {
      try client.call("Import", ["client": "a", "time": 1, "policy": long, "rule": "safari"])
    }
    let session = try client.call("Open", ["client": "a"])["session"]
    #expect(throws: CallError("TextTooLong", ["parameter": "reason", "limit": 4096, "given": 4097])) {
      try client.call("Respond", ["session": session, "request": 1, "done": false, "reason": long])
    }
  }

  @Test(arguments: Entry.allCases)
  func anIDThatWasUsedBeginsNoOtherSession(entry: Entry) throws {
    let daemon = try TestDaemon()
    let client = try manager(daemon)
    let other = try daemon.connect(user: 1001)
    let taken = try Entry.open.begin(other, "theirs")
    // Another user's id is no obstacle: ids are per user.
    #expect(try entry.begin(client, "theirs", ["session": taken]) == taken)
    let session = try entry.begin(client, "mine")
    #expect(throws: CallError("InvalidParameter", ["parameter": "client"])) {
      try entry.begin(client, "another", ["session": session])
    }
    try client.call("Close", ["session": session])
    #expect(throws: CallError("SessionClosed")) { try entry.begin(client, "mine", ["session": session]) }
  }

  /// Once, EndImport closed any session of its caller, at any time and for any reason.
  @Test func onlyAnImportedSessionEndsAsItWasRecorded() throws {
    for isRestarted in [false, true] {
      let daemon = try TestDaemon()
      let client = try manager(daemon)
      let opened = try Entry.open.begin(client, "opened")
      let imported = try Entry.import.begin(client, "imported")
      if isRestarted { try daemon.restart() }
      #expect(throws: CallError("NotImported")) {
        try client.call("EndImport", ["session": opened, "time": 5, "reason": "idle"])
      }
      #expect(throws: CallError("ClientOpen", ["session": opened])) {
        try Entry.import.begin(client, "opened", ["session": opened])
      }
      #expect(try client.call("Get", ["client": "opened"])["state"]["session"] == opened)
      #expect(try Entry.import.begin(client, "imported", ["session": imported]) == imported)
      try client.call("EndImport", ["session": imported, "time": 5, "reason": "idle"])
      let closings = try daemon.connect(user: 0).stream("Read").values("record").filter { $0["kind"] == "close" }
      #expect(closings.map { $0["time"] } == [5])
      #expect(closings.map { $0["reason"] } == ["idle"])
    }
  }
}
