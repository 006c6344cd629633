import JSON
import Platform
import ScrollClientTesting
import ScrollLog
import ScrollModel
import ScrollTesting
import Testing
import Varlink

@testable import scrollctl

/// Every verb, for each outcome that it can have: 0 done, 1 it failed or found a problem, 2 bad usage.
@Suite("Exit status")
final class ExitStatusTests {
  private static let session = RecordVerbTests.session
  private static let state = ObserverVerbTests.state

  private let folder: TemporaryDirectory
  private var log: String { folder.path + "/state" }
  private var damaged: String { folder.path + "/damaged" }

  init() throws {
    folder = try TemporaryDirectory(prefix: "scrollctl-status-")
    for directory in [log, damaged] { try Self.makeLog(directory, damages: directory == damaged) }
  }

  deinit { folder.remove() }

  /// Makes a log of a sealed segment and an empty one.
  private static func makeLog(_ directory: String, damages: Bool) throws {
    let opened = try EventLog.open(
      directory: directory, fileSystem: POSIXFileSystem(),
      options: LogOptions(syncMode: .commit, boot: BootID.current()))
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    builder.append(
      Opening(client: ClientID(user: 1, name: "reader"), time: 1, policy: .safari), of: SessionID(high: 1, low: 1))
    let finished = builder.finish(received: 1)
    let block = try #require(finished)
    try opened.writer.write(block)
    var observer = NoObserver()
    try opened.projection.apply(block.view, observer: &observer)
    let end = opened.writer.status.segmentBytes
    try opened.writer.roll(opened.projection.checkpoint())
    try opened.writer.stop()
    if !damages { return }
    let file = try POSIXFileSystem().openForWriting(directory + "/log/00000000000000000001.scrolllog")
    try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
      byte[0] = 0x5A
      try file.write(UnsafeRawBufferPointer(byte), at: end - 20)
    }
  }

  /// A daemon that carries every call out.
  private static func willing(_ call: Call, _: Int, _: ServerConnection) -> FakeDaemon.Answer {
    switch call.method.string.split(separator: ".").last {
    case "List": .stream([#"{"state":\#(state)}"#], ends: true)
    case "Get": .reply(#"{"state":\#(state)}"#)
    case "Subscribe": .stream([#"{"position":7,"caughtUp":true,"generation":1}"#], ends: true)
    case "Read":
      .stream(
        [
          #"{"position":1,"received":4,"client":"a","user":0,"session":"\#(session)","record":{"kind":"open","time":4,"client":"a","policy":"safari","rule":"safari","parameters":[]}}"#,
          #"{"position":7,"received":5,"client":"a","user":0,"session":"\#(session)","record":{"kind":"response","time":2,"request":5,"done":true}}"#,
          #"{"position":8,"received":5,"client":"a","user":0,"session":"\#(session)","record":{"kind":"close","time":6,"reason":"asked"}}"#,
        ], ends: true)
    case "Scroll": .reply(#"{"position":5}"#)
    case "Open", "Import": .reply(#"{"session":"\#(session)","nextNumber":1,"generation":1}"#)
    case "Append":
      .reply(
        #"{"position":2,"nextNumber":\#((call.parameterObject?["number"]?.asInt64 ?? 1) + Int64(call.parameterObject?["events"]?.asArray?.count ?? 0)),"durable":true,"generation":1}"#
      )
    case "Statistics":
      .reply(
        #"{"version":"1.0","generation":1,"firstPosition":1,"lastPosition":9,"syncedPosition":8,"sessions":2,"connections":3,"subscribers":1,"metrics":[]}"#
      )
    case "Sync": .reply(#"{"position":1}"#)
    case "Vacuum": .reply(#"{"firstPosition":1,"freed":0}"#)
    case "Forget", "ForgetListed": .reply(#"{"records":3}"#)
    default: .reply("{}")
    }
  }

  private static func recording(_ name: String, in part: String = "recordings") -> String {
    Fixtures.root.appendingPathComponent("\(part)/\(name).ndjson").path
  }

  /// The command lines that need a daemon, by verb.
  private static let online: [String: [String]] = [
    "list": [], "status": ["a", "--at", "3"], "watch": ["--no-reconnect"], "log": [],
    "record": [recording("article-read")],
    "scroll-to": ["a", "top"], "statistics": [], "reload": [], "sync": [], "rotate": [], "vacuum": ["--max-use", "1G"],
    // Without --yes it would wait for the answer of somebody who runs the tests on a terminal.
    "forget": ["a", "--yes"], "sessions": [], "reading": [], "export": [], "import": [recording("article-read")],
    "explain": ["a"],
  ]

  /// The command lines that need none.
  private func offline() -> [String: [String]] {
    let article = Self.recording("article-read")
    return [
      "fold": [article], "compare": ["--policy", "safari", "--policy", "classic", article], "timeline": [article],
      "check": [article], "sweep": ["hideDistance=10..20", article],
      "report": ["-o", folder.path + "/report.html", article], "policies": [], "verify": [log], "repair": [log],
      "forgotten": [log],
      "backup": ["-D", log, folder.path + "/backup"],
      "restore": [log, "-D", folder.path + "/restored"],
    ]
  }

  private func status(_ arguments: [String]) -> scrollctl.ExitStatus {
    do {
      return try CapturedOutput().run(arguments)
    } catch is UsageError {
      return .usage
    } catch {
      return .failed
    }
  }

  @Test("Every verb is in these tables")
  func complete() {
    let names = Set(Self.online.keys).union(offline().keys)
    // demo starts a daemon itself, and convert has a table of its own in ConvertVerbTests.
    #expect(Set(Verb.all.map(\.name)).subtracting(names) == ["convert", "demo"])
  }

  /// The verbs that need no log which fits their question. The own suites of the others have one.
  private static let answered = online.keys.sorted().filter { !["explain", "scroll-to", "reading"].contains($0) }

  // A closure among the arguments is more than the compiler of Swift 6.0 can take.
  @Test("A verb that the daemon carries out ends with 0", arguments: answered)
  func carriedOut(verb: String) throws {
    let daemon = try FakeDaemon(Self.willing)
    let arguments = [verb] + (Self.online[verb] ?? []) + ["--socket", daemon.address.path]
    #expect(status(arguments) == .done)
    if verb != "watch" && verb != "import" { #expect(status(arguments + ["--json"]) == .done) }
  }

  @Test(
    "A verb that the daemon refuses, or that ends half way or without an answer, ends with 1",
    arguments: online.keys.sorted(), ["no daemon", "refused", "hung up", "nonsense"])
  func notCarriedOut(verb: String, why: String) throws {
    let daemon = try FakeDaemon { call, count, connection in
      switch why {
      case "refused": .error(.permissionDenied)
      case "hung up": .hangUp
      default: .reply(#"{"position":"x","state":5,"session":1,"records":"many"}"#)
      }
    }
    // Some methods return nothing, so that any reply is right.
    if why == "nonsense", ["reload", "rotate", "watch", "log", "export", "list", "sessions"].contains(verb) { return }
    let socket = why == "no daemon" ? folder.path + "/nothing" : daemon.address.path
    #expect(status([verb] + (Self.online[verb] ?? []) + ["--socket", socket]) == .failed)
  }

  @Test("A verb without a daemon ends with 0 if it found nothing wrong")
  func offlineDone() {
    for (verb, arguments) in offline() {
      #expect(status([verb] + arguments) == .done, "\(verb)")
    }
  }

  @Test("A verb without a daemon ends with 1 if it failed or found something")
  func offlineFailed() throws {
    let (article, nowhere) = (Self.recording("article-read"), folder.path + "/nowhere")
    let failing: [String: [[String]]] = [
      "fold": [[nowhere], [damaged]],
      "compare": [
        ["--policy", "safari", "--policy", "classic", nowhere],
        ["--policy", "safari", "--policy", "classic", "--expect-same", article],
      ],
      "sweep": [["hideDistance=10..20", nowhere]],
      "report": [["-o", folder.path + "/failed.html", nowhere], ["-o", folder.path + "/nowhere/r.html", article]],
      "timeline": [[nowhere]], "check": [[nowhere], [Self.recording("X08", in: "cases")]],
      "policies": [["--config", nowhere]],
      "verify": [[damaged], [nowhere]], "repair": [[nowhere]], "forgotten": [[article]],
      "backup": [
        // Once, a backup with damaged records passed for a good one.
        ["-D", damaged, folder.path + "/damaged-backup"], ["-D", nowhere, folder.path + "/b"], ["-D", log, log],
        ["-D", log, log + "/inside"], ["-D", log, folder.path],
      ],
      "restore": [
        [damaged, "-D", folder.path + "/r1"], [nowhere, "-D", folder.path + "/r2"], [log, "-D", damaged],
        [log, "-D", log], [log, "-D", log + "/r3"],
      ],
    ]
    #expect(Set(failing.keys) == Set(offline().keys))
    for (verb, lines) in failing {
      for arguments in lines { #expect(status([verb] + arguments) == .failed, "\(verb) \(arguments)") }
    }
  }

  /// Whether the missing one comes first or last.
  @Test("A verb that can load only some of its recordings shows these, and ends with 1", arguments: [true, false])
  func someMissing(isFirst: Bool) throws {
    let (article, nowhere) = (Self.recording("article-read"), folder.path + "/nowhere")
    let recordings = isFirst ? [nowhere, article] : [article, nowhere]
    let report = ["report", "-o", folder.path + "/some.html"]
    for verb in [["compare"], ["sweep", "hideDistance=10..20"], ["check"], ["reading"], report] {
      let captured = CapturedOutput()
      #expect(try captured.run(verb + recordings) == .failed, "\(verb)")
      #expect(verb == report || captured.text != "", "\(verb)")
    }
  }

  @Test("A restore that fails leaves nothing behind, and works when the backup is repaired")
  func failedRestore() throws {
    let (state, existing) = (folder.path + "/restored", folder.path + "/existing")
    _ = try POSIXFileSystem().makeDirectory(existing)
    for _ in 1...2 {
      #expect(status(["restore", damaged, "-D", state]) == .failed)
      #expect(!Files.exists(state))
      #expect(status(["restore", damaged, "-D", existing]) == .failed)
      #expect(try POSIXFileSystem().list(existing).allSatisfy { !$0.hasPrefix("log") })
    }
    #expect(status(["repair", damaged]) == .done)
    for place in [state, existing] { #expect(status(["restore", damaged, "-D", place]) == .done) }
    #expect(status(["verify", state]) == .done)
  }

  @Test("A repair that cannot fix everything ends with 1")
  func incompleteRepair() throws {
    let directory = folder.path + "/short"
    try Self.makeLog(directory, damages: false)
    try Self.extend(directory, isPacked: true)
    try POSIXFileSystem().remove(directory + "/log/00000000000000000002.scrolllog")
    #expect(status(["repair", directory]) == .failed)
    // Something other than a file in the place of one is left alone.
    try POSIXFileSystem().remove(log + "/lock")
    _ = try POSIXFileSystem().makeDirectory(log + "/lock")
    let error = try thrown(OpenError.self) { try CapturedOutput().run(["repair", self.log]) }
    #expect(
      error.description.hasSuffix(
        "/lock: it is a directory, not a regular file; move it away; the daemon makes a new file"))
  }

  @Test("A backup that ends in the middle of a write is restored up to there, with 1")
  func incompleteBackup() throws {
    let backup = folder.path + "/backup"
    #expect(status(["backup", "-D", log, backup]) == .done)
    let last = try #require(try POSIXFileSystem().list(backup + "/log").max())
    let file = try POSIXFileSystem().openForWriting(backup + "/log/" + last)
    try file.truncate(to: file.size() - 10)
    let captured = CapturedOutput()
    #expect(try captured.run(["restore", backup, "-D", folder.path + "/restored"]) == .failed)
    #expect(captured.text.contains("restored 1 record"))
  }

  @Test(
    "A backup that lacks a file is copied and restored as far as it goes, with 1",
    arguments: ["newest", "middle"], [false, true])
  func backupWithoutAFile(missing: String, isPacked: Bool) throws {
    let directory = folder.path + "/short"
    try Self.makeLog(directory, damages: false)
    try Self.extend(directory, isPacked: isPacked)
    let files = try POSIXFileSystem().list(directory + "/log").filter { $0.hasSuffix(".scrolllog") }.sorted()
    try #require(files.count == 3)
    try POSIXFileSystem().remove(directory + "/log/" + files[missing == "newest" ? 2 : 1])
    #expect(status(["verify", directory]) == .failed)
    let captured = CapturedOutput()
    #expect(try captured.run(["restore", directory, "-D", folder.path + "/restored"]) == .failed)
    #expect(captured.text.contains("restored \(missing == "newest" ? "2 records" : "1 record")"))
    #expect(status(["backup", "-D", directory, folder.path + "/short-backup"]) == .failed)
  }

  /// Adds a record and another segment to a log.
  private static func extend(_ directory: String, isPacked: Bool) throws {
    let opened = try EventLog.open(
      directory: directory, fileSystem: POSIXFileSystem(),
      options: LogOptions(syncMode: .commit, boot: BootID.current()))
    var builder = BlockBuilder(nextPosition: 2, received: 2)
    builder.append(Closing(time: 2, reason: .asked), of: SessionID(high: 1, low: 1))
    let finished = builder.finish(received: 2)
    let block = try #require(finished)
    try opened.writer.write(block)
    var observer = NoObserver()
    try opened.projection.apply(block.view, observer: &observer)
    try opened.writer.roll(opened.projection.checkpoint())
    try opened.writer.stop()
    if isPacked { for first in [1, 2] as [Position] { _ = opened.upkeep.perform(.pack(first)) } }
  }

  @Test("Bad usage of any verb ends with 2", arguments: Verb.all.map(\.name))
  func usage(verb: String) throws {
    let socket = ["--socket", folder.path + "/nothing"]
    #expect(status([verb, "--unheard-of"] + socket) == .usage)
    let required = try #require(Verb.all.named(verb)).arguments.contains(where: \.isRequired)
    if required { #expect(status([verb] + socket) == .usage) }
    if ["sync", "rotate", "reload", "statistics", "policies"].contains(verb) {
      #expect(status([verb, "too-many"] + socket) == .usage)
    }
  }

  @Test("A verb whose daemon carries out a part, or finds nothing, ends with 1")
  func parts() throws {
    let daemon = try FakeDaemon { call, _, connection in
      switch call.method.string.split(separator: ".").last {
      case "Forget", "ForgetListed": .reply(#"{"records":0}"#)
      case "Read": .stream([], ends: true)
      case "Import": .error(VarlinkError("org.scrolld.Manager.ClientOpen") { $0.member("session", Self.session) })
      case "Get": .error(VarlinkError("org.scrolld.Observer.NoSuchClient"))
      default: Self.willing(call, 0, connection)
      }
    }
    let socket = ["--socket", daemon.address.path]
    for arguments in [["forget", "a", "--yes"], ["import", Self.recording("article-read")], ["status", "a"]] {
      #expect(status(arguments + socket) == .failed, "\(arguments)")
    }
    // What a list says was forgotten is gone, as it should be.
    let list = folder.path + "/list"
    try Array("scrolld-forgotten 1\nend 0\n".utf8).withUnsafeBytes {
      try POSIXFileSystem().create(list).write($0, at: 0)
    }
    #expect(status(["forget", "--from", list, "--yes"] + socket) == .done)
    #expect(status(["forget", "--from", folder.path + "/nowhere"] + socket) == .failed)
    #expect(status(["forget", "--from", list, "a"] + socket) == .usage)
    #expect(status(["forget", "--from", list, "--uid", "5"] + socket) == .usage)
    #expect(status(["forget"] + socket) == .usage)
  }
}
