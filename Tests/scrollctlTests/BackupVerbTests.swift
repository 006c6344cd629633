import JSON
import Platform
import ScrollClient
import ScrollClientTesting
import ScrollLog
import ScrollModel
import Testing
import Varlink

@testable import scrollctl

@Suite("backup")
final class BackupVerbTests {
  private let folder: TemporaryDirectory
  private var state: String { folder.path + "/state" }
  private var target: String { folder.path + "/backup" }

  /// Opens a log of one session, as a running or killed daemon leaves it.
  init() throws {
    folder = try TemporaryDirectory(prefix: "scrollctl-test-")
    let log = try open()
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    let opening = Opening(client: ClientID(user: 1, name: "reader"), time: 1, policy: .safari)
    builder.append(opening, of: SessionID(high: 1, low: 1))
    let block = builder.finish(received: 1)
    try log.writer.write(#require(block))
  }

  deinit { folder.remove() }

  private func open() throws -> OpenedLog {
    try EventLog.open(
      directory: state, fileSystem: POSIXFileSystem(), options: LogOptions(syncMode: .commit, boot: BootID.current()))
  }

  /// A daemon that reports its log in a directory.
  private func daemon(at directory: String, isDisturbed: Bool = false) throws -> FakeDaemon {
    let file = #"{"name":"log/00000000000000000001.scrolllog","firstPosition":1,"bytes":500}"#
    return try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Manager.Sync": .reply(#"{"position":1}"#)
      default:
        .stream(
          [
            #"{"directory":"\#(directory)","files":[\#(file)],"firstPosition":1,"lastPosition":1,"generation":1}"#,
            "{}",
          ], ends: isDisturbed)
      }
    }
  }

  @Test("backup has a running daemon sync and keep its files, and reports what it copied")
  func running() throws {
    let log = try open()
    let daemon = try daemon(at: state)
    let captured = CapturedOutput()
    #expect(try captured.run(["backup", target, "--socket", daemon.address.path]) == .done)
    #expect(daemon.received.map(\.method) == ["Sync", "Backup"])
    let bytes = try POSIXFileSystem().openForReading(target + "/log/00000000000000000001.scrolllog").size()
    #expect(captured.text == "\(target): 1 record in 1 file, positions 1 to 1, \(ByteSize.text(bytes))\n")
    withExtendedLifetime(log.lock) {}
  }

  @Test("backup --directory copies the log of a stopped daemon, and --json prints the report as an object")
  func stopped() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "backup", "--directory", state, target]) == .done)
    #expect(captured.text.hasPrefix(#"{"directory":"\#(target)","records":1,"firstPosition":1,"lastPosition":1,"#))
    let log = try open()
    let failure = Failure(
      "a daemon has the log open and holds the lock \(state)/lock",
      hint: "To back up the log of a running daemon, omit --directory.")
    #expect(throws: failure) { try CapturedOutput().run(["backup", "-D", state, target + "2"]) }
    withExtendedLifetime(log.lock) {}
  }

  @Test("The error about files that only the daemon sees has a hint")
  func elsewhere() throws {
    let daemon = try daemon(at: folder.path + "/elsewhere")
    #expect {
      try CapturedOutput().run(["backup", target, "--socket", daemon.address.path])
    } throws: {
      guard let failure = $0 as? Failure else { return false }
      return failure.message.hasSuffix("/elsewhere/log/00000000000000000001.scrolllog: No such file or directory")
        && failure.hint?.hasPrefix("The path is the daemon's.") == true
    }
    #expect(!Files.exists(target))
  }

  @Test("backup removes an incomplete copy when the daemon no longer keeps the files")
  func disturbed() throws {
    let daemon = try daemon(at: state, isDisturbed: true)
    #expect(throws: ServiceError.refused(.backupDisturbed)) {
      try CapturedOutput().run(["backup", target, "--socket", daemon.address.path])
    }
    #expect(!Files.exists(target))
  }

  @Test("A failed backup leaves a directory that was there before")
  func ownDirectory() throws {
    #expect(try Directory.make(target, permissions: 0o700))
    let daemon = try daemon(at: state, isDisturbed: true)
    #expect(throws: ServiceError.refused(.backupDisturbed)) {
      try CapturedOutput().run(["backup", target, "--socket", daemon.address.path])
    }
    #expect(try Directory.names(in: target) == [])
  }

  @Test("verify fails for what a backup leaves that was killed before its first file")
  func killed() throws {
    #expect(try Directory.make(target, permissions: 0o700))
    #expect(try Directory.make(target + "/log", permissions: 0o700))
    for arguments in [["verify", target], ["--json", "verify", target]] {
      #expect {
        try CapturedOutput().run(arguments)
      } throws: {
        ($0 as? Failure)?.message == "\(target) has no log: its directory “log” is empty"
      }
    }
  }

  @Test(
    "Sizes are printed short",
    arguments: [
      (0, "0B"), (1023, "1023B"), (1024, "1.0K"), (1_048_575, "1023.9K"), (1_258_291, "1.1M"), (5 << 30, "5.0G"),
      (3 << 50, "3072.0T"),
    ])
  func sizes(bytes: Int64, text: String) {
    #expect(ByteSize.text(bytes) == text)
  }
}
