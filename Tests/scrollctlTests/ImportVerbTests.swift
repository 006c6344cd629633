import Foundation
import JSON
import Platform
import ScrollClient
import ScrollClientTesting
import ScrollTesting
import Testing
import Varlink

@testable import scrollctl

/// Imports into a daemon that knows the session already, with as many events as the file, with fewer, or with more.
@Suite("import")
struct ImportVerbTests {
  /// The id that its content gives the recording.
  private static let session = "f98c6fb7419cf9df3cb35fa24970d737"
  private static let path = Fixtures.root.appendingPathComponent("recordings/article-pinch.ndjson").path
  private static let count = Fixtures.count(of: "article-pinch")

  /// A daemon that has some events of every session, open or closed.
  private func daemon(having stored: Int, isOpen: Bool, lists: Bool) throws -> FakeDaemon {
    try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Observer.Sessions":
        return lists
          ? .stream([Self.summary(stored, isOpen: isOpen)], ends: true)
          : .error(VarlinkError("org.varlink.service.MethodNotFound") { $0.member("method", "Sessions") })
      case "org.scrolld.Manager.Import":
        return isOpen
          ? .reply(#"{"session":"\#(Self.session)","nextNumber":\#(stored + 1),"generation":1}"#)
          : .error(VarlinkError("org.scrolld.Recorder.SessionClosed"))
      case "org.scrolld.Recorder.Append":
        let next =
          (call.parameterObject?["number"]?.asInt64 ?? 0) + Int64(call.parameterObject?["events"]?.asArray?.count ?? 0)
        return .reply(#"{"position":\#(next),"nextNumber":\#(next),"durable":true,"generation":1}"#)
      case "org.scrolld.Observer.Read":
        let records = (1...stored).map { number in
          #"{"position":\#(number),"received":1,"client":"a","user":0,"session":"\#(Self.session)","number":\#(number),"record":{"kind":"scroll","time":1,"x":0,"y":0}}"#
        }
        return .stream(records, ends: true)
      default: return .reply("{}")
      }
    }
  }

  private static func summary(_ stored: Int, isOpen: Bool) -> String {
    #"{"summary":{"client":"a","user":\#(CurrentProcess.effectiveUser),"session":"\#(session)","policy":"safari","#
      + #""position":1,"opened":1,"received":1,"lastReceived":2,\#(isOpen ? "" : #""closed":2,"#)"#
      + #""whole":true,"events":\#(stored)}}"#
  }

  private func run(_ daemon: FakeDaemon, _ options: [String] = []) throws -> (scrollctl.ExitStatus, CapturedOutput) {
    let captured = CapturedOutput()
    return (try captured.run(["import", Self.path, "--socket", daemon.address.path] + options), captured)
  }

  @Test(
    "An open session that has some or all of the events is completed", arguments: [0, 1, count - 1, count],
    [true, false])
  func completed(stored: Int, lists: Bool) throws {
    let daemon = try daemon(having: stored, isOpen: true, lists: lists)
    let (status, captured) = try run(daemon)
    #expect(status == .done)
    #expect(captured.text.contains("imported \(Self.count) events as session \(Self.session)"))
    let methods = daemon.received.map(\.method)
    #expect(methods.last == "EndImport")
    #expect(methods.contains("Append") == (stored < Self.count))
  }

  /// Once, it was closed, and reported as imported with the daemon's number of events.
  @Test(
    "An open session with more events than the file is left as it is, with status 1", arguments: [[], ["--json"]],
    [true, false])
  func longer(options: [String], lists: Bool) throws {
    let daemon = try daemon(having: Self.count + 1, isOpen: true, lists: lists)
    let (status, captured) = try run(daemon, options)
    #expect(status == .failed)
    #expect(captured.text == "")
    #expect(daemon.received.map(\.method) == ["Sessions", "Import"])
  }

  @Test(
    "A closed session is known if it has as many events as the file, and otherwise left out with status 1",
    arguments: [true, false])
  func closed(lists: Bool) throws {
    for (stored, expected) in [
      (Self.count - 1, scrollctl.ExitStatus.failed), (Self.count, .done), (Self.count + 1, .failed),
    ] {
      let daemon = try daemon(having: stored, isOpen: false, lists: lists)
      let (status, captured) = try run(daemon)
      #expect(status == expected, "\(stored) events in the log, \(Self.count) in the file")
      #expect(captured.text.contains("is already in the log") == (expected == .done))
      #expect(daemon.received.map(\.method) == (lists ? ["Sessions"] : ["Sessions", "Import", "Read"]))
    }
  }

  @Test("import goes on after a file that is no recording, and sums up several files")
  func severalFiles() throws {
    let folder = try TemporaryDirectory(prefix: "scrollctl-import-")
    defer { folder.remove() }
    let (bad, half) = (folder.path + "/bad.ndjson", folder.path + "/half.ndjson")
    let opening = #"{"kind":"open","time":1,"client":"a"}"# + "\n"
    try Data("time,y\n1,2\n".utf8).write(to: URL(fileURLWithPath: bad))
    try Data((opening + #"{"kind":"scroll","time":2,"x":0,"y":5}"# + "\nnonsense\n").utf8).write(
      to: URL(fileURLWithPath: half))
    for (isFirst, isOpen) in [(true, true), (false, true), (true, false)] {
      let daemon = try daemon(having: isOpen ? 0 : Self.count, isOpen: isOpen, lists: true)
      let missing = folder.path + "/missing.ndjson"
      let files = isFirst ? [bad, half, missing, Self.path] : [Self.path, bad, half, missing]
      let captured = CapturedOutput()
      #expect(try captured.run(["import", "--socket", daemon.address.path] + files) == .failed)
      let sum =
        isOpen
        ? "imported 1 session with \(Self.count) events" : "imported 0 sessions with 0 events, 1 already in the log"
      #expect(captured.lines.count == 2)
      #expect(captured.lines.last == "4 files: \(sum), nothing of 3 files.")
      #expect(daemon.received.filter { $0.method == "Sessions" }.count == 1)
      #expect(daemon.received.filter { $0.method == "Import" }.count == (isOpen ? 1 : 0))
      // A single file, and a program, get no sum.
      let single = CapturedOutput()
      #expect(throws: Failure.self) { try single.run(["import", "--socket", daemon.address.path, half]) }
      #expect(single.text == "")
    }
    let daemon = try daemon(having: Self.count, isOpen: false, lists: true)
    let (_, captured) = try run(daemon, ["--json", Self.path])
    #expect(captured.lines.count == 2 && captured.lines.allSatisfy { $0.hasPrefix("{") })
  }

  /// Two users may have given their sessions the same id.
  @Test("What the log has of a session counts for the user whose session it is", arguments: [true, false])
  func owners(keepsUsers: Bool) throws {
    let own = CurrentProcess.effectiveUser
    for knownUser in [4711, own] {
      let folder = try TemporaryDirectory(prefix: "scrollctl-import-")
      defer { folder.remove() }
      let path = folder.path + "/recording.ndjson"
      try Data(
        (#"{"kind":"open","time":1,"client":"a","policy":"safari","session":"\#(Self.session)","user":4711}"#
          + "\n" + #"{"kind":"scroll","time":2,"x":0,"y":5}"# + "\n").utf8
      ).write(to: URL(fileURLWithPath: path))
      let summary = Self.summary(1, isOpen: false).replacing(#""user":\#(own),"#, with: #""user":\#(knownUser),"#)
      let daemon = try FakeDaemon { call, _, _ in
        switch call.method {
        case "org.scrolld.Observer.Sessions": .stream([summary], ends: true)
        case "org.scrolld.Manager.Import":
          .reply(#"{"session":"\#(Self.session)","nextNumber":1,"generation":1}"#)
        case "org.scrolld.Recorder.Append": .reply(#"{"position":2,"nextNumber":2,"durable":true,"generation":1}"#)
        default: .reply("{}")
        }
      }
      var isKnown: [Bool] = []
      try ImportPlan(path, name: path, givesNewIDs: false, keepsUsers: keepsUsers).send(
        to: ServiceConnection(daemon.address), knowing: KnownSessions(of: ServiceConnection(daemon.address))
      ) { outcome in
        if case .known = outcome { isKnown.append(true) } else { isKnown.append(false) }
      }
      #expect(isKnown == [knownUser == (keepsUsers ? 4711 : own)], "user \(knownUser)")
      #expect(daemon.received.contains { $0.method == "Import" } != isKnown[0])
    }
  }

  @Test("A session that comes twice is sent once, and then known")
  func twice() throws {
    let daemon = try FakeDaemon { call, _, _ in
      switch call.method {
      case "org.scrolld.Observer.Sessions":
        let other = Self.summary(1, isOpen: false).replacingOccurrences(
          of: Self.session, with: String(repeating: "1", count: 32))
        return .stream([other], ends: true)
      case "org.scrolld.Manager.Import":
        return .reply(#"{"session":"\#(Self.session)","nextNumber":1,"generation":1}"#)
      case "org.scrolld.Recorder.Append":
        return .reply(#"{"position":\#(Self.count + 1),"nextNumber":\#(Self.count + 1),"durable":true,"generation":1}"#)
      default: return .reply("{}")
      }
    }
    let captured = CapturedOutput()
    #expect(try captured.run(["import", Self.path, Self.path, "--socket", daemon.address.path]) == .done)
    #expect(captured.lines.dropFirst().first == "chromium/article-pinch: session \(Self.session) is already in the log")
    #expect(daemon.received.count { $0.method == "Import" } == 1)
  }
}

extension Fixtures {
  /// How many events a recording has.
  fileprivate static func count(of name: String) -> Int {
    (try? recording(name, in: "recordings").events.count) ?? 0
  }
}
