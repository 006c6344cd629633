import Foundation
import JSON
import Platform
import ScrollClientTesting
import ScrollLog
import ScrollModel
import ScrollTesting
import Testing
import Varlink

@testable import scrollctl

@Suite("forget")
struct ForgetVerbTests {
  @Test("On a full disk, forget reports that it forgot nothing, though the session may be closed")
  func fullDisk() throws {
    let daemon = try FakeDaemon { _, _, _ in .error(VarlinkError("org.scrolld.Manager.NoSpace")) }
    let failure = Failure(
      "the disk with the daemon's log is full: forgot nothing of a/b yet",
      hint: "Its open sessions may have been closed. Try again when the disk has room.")
    #expect(throws: failure) { try CapturedOutput().run(["forget", "a/b", "--yes", "--socket", daemon.address.path]) }
  }

  @Test("forget --dry-run counts what would be forgotten, and forgets nothing")
  func dryRun() throws {
    let daemon = try FakeDaemon { call, _, _ in
      guard call.parameterObject?["client"]?.asString == "a/b" else { return .stream(["{}"], ends: true) }
      return .stream(
        (1...5).map { position in
          #"{"position":\#(position),"received":4,"client":"a/b","user":0,"session":"\#(SessionID(high: 0, low: UInt64(position / 3)))","#
            + #""record":{"kind":"close","time":4}}"#
        }, ends: true)
    }
    let captured = CapturedOutput()
    #expect(try captured.run(["forget", "--dry-run", "a/b", "--socket", daemon.address.path]) == .done)
    #expect(captured.text == "Would forget 5 records of 2 sessions of “a/b”.\n")
    let json = CapturedOutput()
    #expect(try json.run(["--json", "forget", "--dry-run", "a/b", "--socket", daemon.address.path]) == .done)
    #expect(json.text == #"{"dryRun":true,"client":"a/b","records":5,"sessions":2}"# + "\n")
    #expect(throws: Failure.self) {
      try CapturedOutput().run(["forget", "--dry-run", "a/*", "--socket", daemon.address.path])
    }
    #expect(daemon.received.allSatisfy { $0.method == "Read" })
  }

  @Test("Without a terminal, forget needs --yes, and forgets nothing without it")
  func withoutTerminal() throws {
    // On a terminal, the question would wait for an answer.
    if BorrowedDescriptor.standardInput.isTerminal, BorrowedDescriptor.standardError.isTerminal { return }
    let daemon = try FakeDaemon { _, _, _ in .reply(#"{"records":3}"#) }
    let socket = ["--socket", daemon.address.path]
    let error = try thrown(UsageError.self) { try CapturedOutput().run(["forget", "a/b"] + socket) }
    #expect(error.description == "forget needs --yes to forget for good, as there is no terminal to ask on")
    #expect(daemon.received.isEmpty)
    let captured = CapturedOutput()
    #expect(try captured.run(["forget", "--yes", "a/b"] + socket) == .done)
    #expect(captured.text == "Forgot 3 records of “a/b”.\n")
    let json = CapturedOutput()
    #expect(try json.run(["--json", "forget", "--yes", "a/b"] + socket) == .done)
    #expect(json.text == #"{"client":"a/b","records":3}"# + "\n")
    let session = CapturedOutput()
    #expect(try session.run(["--json", "forget", "--yes", RecordVerbTests.session] + socket) == .done)
    #expect(session.text == #"{"session":"\#(RecordVerbTests.session)","records":3}"# + "\n")
  }

  @Test("What a list says is forgotten even if a key of it is missing, and the key is named", arguments: [true, false])
  func missingKeys(isJSON: Bool) throws {
    let (known, lost) = ("0123456789abcdef", "fedcba9876543210")
    let folder = try TemporaryDirectory(prefix: "scrollctl-forget-")
    defer { folder.remove() }
    var list = ForgottenList()
    list.add(SessionID(high: 1, low: 1), at: 5)
    for key in [known, lost] {
      let client = ForgottenList.Client(key: key, hash: String(repeating: "a", count: 64), user: nil)
      list.add(client, ForgottenList.Extent(received: 6))
    }
    let path = folder.path + "/list"
    try Data(list.text.utf8).write(to: URL(fileURLWithPath: path))
    let daemon = try FakeDaemon { call, _, _ in
      let keys = call.parameterObject?["clients"]?.asArray?.map { $0["key"]?.asString }
      if keys?.contains(lost) == true {
        return .error(
          VarlinkError("org.scrolld.Manager.UnknownKeys") {
            $0.key("keys")
            $0.beginArray()
            $0.string(lost)
            $0.endArray()
          })
      }
      return .reply(#"{"records":4}"#)
    }
    let captured = CapturedOutput()
    let arguments = (isJSON ? ["--json"] : []) + ["forget", "--from", path, "--yes", "--socket", daemon.address.path]
    let failure = try thrown(Failure.self) { try captured.run(arguments) }
    #expect(failure.message.contains(lost) && !failure.message.contains(known))
    try captured.output.flush()
    #expect(captured.text == (isJSON ? #"{"records":4}"# : "Forgot 4 records of what the list names.") + "\n")
    let last = try #require(daemon.received.last)
    #expect(last.method == "ForgetListed")
    #expect(last.parameters.contains(known) && !last.parameters.contains(lost))
    #expect(last.parameters.contains("\(SessionID(high: 1, low: 1))"))
  }

  /// A daemon whose log has one session of a/b, which is open or closed.
  private func daemon(isOpen: Bool) throws -> FakeDaemon {
    let session = RecordVerbTests.session
    return try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Observer.Read":
        guard
          call.parameterObject?["client"]?.asString == "a/b"
            || call.parameterObject?["session"]?.asString == session
        else { return .stream(["{}"], ends: true) }
        let records = [#"{"kind":"open","time":4,"client":"a/b"}"#] + (isOpen ? [] : [#"{"kind":"close","time":4}"#])
        return .stream(
          records.enumerated().map { index, record in
            #"{"position":\#(index + 1),"received":4,"client":"a/b","user":0,"session":"\#(session)","record":\#(record)}"#
          }, ends: true)
      default: return .reply(#"{"records":\#(call.parameterObject?["session"]?.asString == session ? 2 : 0)}"#)
      }
    }
  }

  @Test("A dry run counts the record that closing an open session makes, and says whose session it is")
  func openSession() throws {
    let session = RecordVerbTests.session
    for (isOpen, ending) in [(false, ""), (true, ", which is open and closed first")] {
      let daemon = try daemon(isOpen: isOpen)
      for (name, subject) in [
        ("a/b", "1 session of “a/b”"), (session, "the session \(session) of “a/b”"),
      ] {
        let captured = CapturedOutput()
        #expect(try captured.run(["forget", "--dry-run", name, "--socket", daemon.address.path]) == .done)
        #expect(captured.text == "Would forget 2 records of \(subject)\(ending).\n")
      }
    }
  }

  @Test("forget says that a name of which the log has nothing is listed as forgotten all the same")
  func nothing() throws {
    let daemon = try daemon(isOpen: false)
    let listed =
      "“scrollctl forgotten” lists it as forgotten all the same, so that “restore” leaves it out of earlier backups."
    for (name, hint) in [("typo", listed), ("0123abcd", "the whole id")] {
      let failure = try thrown(Failure.self) {
        try CapturedOutput().run(["forget", "--yes", name, "--socket", daemon.address.path])
      }
      #expect(failure.message == "the log has nothing of “\(name)”")
      #expect(failure.hint?.contains(hint) == true && failure.hint?.hasSuffix(listed) == true)
      let preview = try thrown(Failure.self) {
        try CapturedOutput().run(["forget", "--dry-run", name, "--socket", daemon.address.path])
      }
      #expect(preview.hint?.contains("all the same") != true)
    }
  }
}
