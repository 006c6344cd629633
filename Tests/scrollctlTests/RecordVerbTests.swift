import Foundation
import JSON
import ScrollClient
import ScrollClientTesting
import ScrollTesting
import Testing
import Varlink

@testable import scrollctl

@Suite("record")
struct RecordVerbTests {
  static let session = "0123456789abcdef0123456789abcdef"

  /// A daemon that stores events, after `stored` events that it already has.
  private func recorder(stored: Int = 0) throws -> FakeDaemon {
    try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Recorder.Open":
        return .reply(#"{"session":"\#(Self.session)","nextNumber":\#(stored + 1),"generation":1}"#)
      case "org.scrolld.Recorder.Append":
        let object = call.parameterObject
        let next = (object?["number"]?.asInt64 ?? 0) + Int64(object?["events"]?.asArray?.count ?? 0)
        return .reply(#"{"position":\#(next),"nextNumber":\#(next),"durable":true,"generation":1}"#)
      default:
        return .reply("{}")
      }
    }
  }

  private func fixture(_ name: String) -> String {
    Fixtures.root.appendingPathComponent("recordings/\(name).ndjson").path
  }

  /// Runs `body` with a recording, and removes the file afterwards.
  private func withFile(_ lines: String..., body: (String) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).ndjson")
    defer { try? FileManager.default.removeItem(at: file) }
    try lines.map { $0 + "\n" }.joined().write(to: file, atomically: true, encoding: .utf8)
    try body(file.path)
  }

  private func failure(_ arguments: [String]) -> Failure? {
    do {
      _ = try CapturedOutput().run(arguments)
      return nil
    } catch {
      return error as? Failure
    }
  }

  private let open = #"{"kind":"open","time":1,"client":"a","title":"T"}"#
  private let scroll = #"{"kind":"scroll","time":2,"x":0,"y":1}"#
  private let bad = #"{"kind":"scroll","time":3,"x":0}"#
  private let close = #"{"kind":"close","time":9}"#

  @Test("record opens a session, appends events in numbered calls of at most 256, and closes it")
  func atOnce() throws {
    let daemon = try recorder()
    let captured = CapturedOutput()
    #expect(
      try captured.run(["record", "--json", "--socket", daemon.address.path, fixture("article-to-bottom")]) == .done)
    #expect(daemon.received.map(\.method) == ["Open", "Append", "Append", "Close"])
    #expect(daemon.received[0].parameters.hasPrefix(#"{"client":"chromium/article-to-bottom","application":"Chromium"#))
    #expect(daemon.received[1].parameters.hasPrefix(#"{"session":"\#(Self.session)","number":1,"events":[{"kind":"#))
    #expect(daemon.received[2].parameters.contains(#""number":257,"#))
    // Both times are the recording's.
    #expect(daemon.received[0].parameters.contains(#","time":17"#))
    #expect(daemon.received[3].parameters.hasPrefix(#"{"session":"\#(Self.session)","time":17"#))
    #expect(
      captured.text
        == #"{"client":"chromium/article-to-bottom","session":"\#(Self.session)","events":413,"position":414}"# + "\n")
  }

  @Test("--client replaces the client's name, and makes the open line optional")
  func client() throws {
    let daemon = try recorder()
    try withFile(scroll) { file in
      #expect(try CapturedOutput().run(["record", "--client", "b/1", "--socket", daemon.address.path, file]) == .done)
      #expect(daemon.received.first?.parameters == #"{"client":"b/1"}"#)
      let failure = try #require(self.failure(["record", "--socket", daemon.address.path, file]))
      #expect(failure.message == "\(file):1: no open line before this event: use --client NAME")
    }
  }

  @Test("record sends nothing of a file with a bad line")
  func badFile() throws {
    let daemon = try recorder()
    try withFile(open, scroll, bad, close) { file in
      let failure = try #require(self.failure(["record", "--socket", daemon.address.path, file]))
      #expect(failure.message == "\(file):3: y is missing: a scroll needs it")
      #expect(daemon.received.isEmpty)
    }
  }

  @Test("A bad line on standard input ends the session, and its call is not sent")
  func badStream() throws {
    let daemon = try recorder()
    let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).fifo").path
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    let text = [open, scroll, bad, scroll].map { $0 + "\n" }.joined()
    Thread.detachNewThread {
      guard let file = FileHandle(forWritingAtPath: pipe) else { return }
      file.write(Data(text.utf8))
      try? file.close()
    }
    let failure = try #require(self.failure(["record", "--socket", daemon.address.path, pipe]))
    #expect(failure.message == "\(pipe):3: y is missing: a scroll needs it")
    #expect(failure.hint == "0 events before it are stored as session \(Self.session), which is closed.")
    #expect(daemon.received.map(\.method) == ["Open", "Close"])
  }

  @Test("--session sends only the events that the session lacks")
  func resume() throws {
    let daemon = try recorder(stored: 300)
    let captured = CapturedOutput()
    let arguments = [
      "record", "--session", Self.session, "--socket", daemon.address.path, fixture("article-to-bottom"),
    ]
    #expect(try captured.run(arguments) == .done)
    #expect(daemon.received.map(\.method) == ["Open", "Append", "Close"])
    #expect(daemon.received[0].parameters.contains(#""session":"\#(Self.session)""#))
    #expect(daemon.received[1].parameters.contains(#""number":301,"#))
    #expect(captured.text.contains("413 events stored as session \(Self.session)"))
  }

  @Test("Events from a pipe are appended to the session, and none is skipped")
  func resumeStream() throws {
    let daemon = try recorder(stored: 300)
    let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).fifo").path
    try #require(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    let text = [open, scroll, scroll].map { $0 + "\n" }.joined()
    Thread.detachNewThread {
      guard let file = FileHandle(forWritingAtPath: pipe) else { return }
      file.write(Data(text.utf8))
      try? file.close()
    }
    let captured = CapturedOutput()
    #expect(try captured.run(["record", "--session", Self.session, "--socket", daemon.address.path, pipe]) == .done)
    #expect(daemon.received.map(\.method) == ["Open", "Append", "Close"])
    #expect(daemon.received[1].parameters.contains(#""number":301,"#))
    #expect(captured.text.contains("302 events stored as session \(Self.session)"))
  }

  @Test("After a lost connection, the message has the number of stored events and how to continue")
  func goneAway() throws {
    let daemon = try FakeDaemon { call, count, _ in
      switch count {
      case 0: .reply(#"{"session":"\#(Self.session)","nextNumber":1,"generation":1}"#)
      case 1: .reply(#"{"position":256,"nextNumber":257,"durable":true,"generation":1}"#)
      default: .hangUp
      }
    }
    let failure = try #require(self.failure(["record", "--socket", daemon.address.path, fixture("article-to-bottom")]))
    #expect(failure.message.contains("lost the connection to"))
    #expect(
      failure.hint == "At least 256 events are stored as session \(Self.session).\n"
        + "To continue, repeat the command with --session \(Self.session).")
  }

  @Test("The error about a refused event names its line")
  func refused() throws {
    let daemon = try FakeDaemon { call, count, _ in
      count == 0
        ? .reply(#"{"session":"\#(Self.session)","nextNumber":1,"generation":1}"#)
        : .error(
          VarlinkError("org.scrolld.Recorder.InvalidEvent") {
            $0.member("index", 1)
            $0.member("field", "y")
            $0.member("reason", "is too far out")
          })
    }
    try withFile(open, scroll, "", scroll, close) { file in
      let failure = try #require(self.failure(["record", "--socket", daemon.address.path, file]))
      #expect(failure.message == "\(file):4: y is too far out")
    }
  }

  @Test("record skips requests and responses, and sends consecutive sessions separately")
  func several() throws {
    let daemon = try recorder()
    let request = #"{"kind":"request","time":3,"target":"top"}"#
    let response = #"{"kind":"response","time":3,"request":4,"done":true}"#
    try withFile(open, scroll, request, response, close, open, close) { file in
      let captured = CapturedOutput()
      let status = try captured.run(["record", "--json", "--socket", daemon.address.path, file])
      #expect(status == .done)
      #expect(daemon.received.map(\.method) == ["Open", "Append", "Close", "Open", "Close"])
      #expect(captured.lines.count == 2)
      #expect(captured.lines[1] == #"{"client":"a","session":"\#(Self.session)","events":0}"#)
    }
  }

  @Test("Invalid names, sessions and speeds are usage errors")
  func usage() {
    for arguments in [
      ["--client", "a\u{7}"], ["--client", ""], ["--session", "12"], ["--speed", "0"], ["--speed", "fast"],
      ["--session", Self.session, "b"],
    ] {
      #expect(throws: UsageError.self, "\(arguments)") { try CapturedOutput().run(["record", "a"] + arguments) }
    }
    let empty = UsageError.badValue(option: "socket", text: "", expected: "the path of a daemon's socket")
    #expect(throws: empty) { try CapturedOutput().run(["list", "--socket", ""]) }
  }

  @Test("Without a daemon, the error has the path and how to start one")
  func noDaemon() throws {
    let missing = ServiceError.cannotConnect(ServiceAddress("/nowhere/s"), code: 2)
    #expect(throws: missing) {
      try CapturedOutput().run(["record", "--socket", "/nowhere/s", fixture("short-page")])
    }
    #expect(
      Hints.hint(for: missing)
        == "No daemon is running there. Start it:  scrolld --socket /nowhere/s --state-directory DIR")
    #expect(Hints.hint(for: .cannotConnect(.system, code: 111))?.contains("systemctl start scrolld.socket") == true)
    #expect(
      Hints.hint(for: .cannotConnect(ServiceAddress("/etc/passwd"), code: 111)) == "/etc/passwd is not a socket.")
    #expect(Hints.hint(for: .cannotConnect(ServiceAddress("/"), code: 111)) == "/ is not a socket, but a directory.")
  }

  @Test("A recording that has only an open line is a session without events, which ends when it began")
  func onlyOpen() throws {
    let daemon = try recorder()
    try withFile(open) { path in
      let captured = CapturedOutput()
      let status = try captured.run(["record", path, "--socket", daemon.address.path])
      #expect(status == .done)
      #expect(captured.text == "a: opened and closed session \(Self.session), which has no events\n")
    }
    let last = try #require(daemon.received.last)
    #expect(last.method == "Close" && last.parameters.contains(#""time":1"#))
  }
}
