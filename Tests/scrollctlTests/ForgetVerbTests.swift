import ScrollClientTesting
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
}
