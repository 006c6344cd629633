import ScrollClientTesting
import ScrollModel
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
    #expect(throws: failure) { try CapturedOutput().run(["forget", "a/b", "--socket", daemon.address.path]) }
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
    #expect(json.text == #"{"dryRun":true,"records":5,"sessions":2}"# + "\n")
    #expect(throws: Failure.self) {
      try CapturedOutput().run(["forget", "--dry-run", "a/*", "--socket", daemon.address.path])
    }
    #expect(daemon.received.allSatisfy { $0.method == "Read" })
  }
}
