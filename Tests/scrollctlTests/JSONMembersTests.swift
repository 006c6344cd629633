import JSON
import Platform
import ScrollClientTesting
import ScrollLog
import ScrollModel
import ScrollTesting
import Testing

@testable import scrollctl

/// `--json` with every member that may be absent, and without all of them.
@Suite("Optional members of --json")
struct JSONMembersTests {
  private static let session = RecordVerbTests.session

  /// A state with all members, in the order of the documentation.
  private static let state =
    #"{"client":"a","user":7,"session":"\#(session)","position":7,"time":5,"toolbar":"hidden","trigger":"scrollDown","#
    + #""reachBottom":true,"bottomLatch":true,"topButton":true,"x":1.5,"y":12.5,"zoomScale":1.25,"pageIndex":2,"pageCount":3,"#
    + #""indicatorOffset":20.5,"indicatorWidth":10.25,"policy":"safari"}"#
  private static let transition =
    state.dropLast() + #","changed":["toolbar","trigger"],"reason":"travelDown 12.5 ≥ hideDistance 10"}"#
  /// A state of a session without events.
  private static let bareState =
    #"{"client":"a","user":7,"session":"\#(session)","position":1,"toolbar":"shown","reachBottom":false,"bottomLatch":false,"#
    + #""topButton":false,"policy":"safari"}"#
  private static let bareTransition = state.dropLast() + #","changed":["pageIndex"]}"#
  private static let openings = [
    #"{"position":1,"opened":{"client":"a","user":7,"session":"\#(session)","time":4,"application":"A 1","title":"T","policy":"p"}}"#,
    #"{"position":1,"opened":{"client":"a","user":7,"session":"\#(session)","time":4,"policy":"p"}}"#,
  ]
  private static let closings = [
    #"{"position":9,"closed":{"client":"a","user":7,"session":"\#(session)","time":8,"reason":"reopened"}}"#
  ]
  private static let ends = [
    #"{"position":9,"caughtUp":true,"generation":4}"#, #"{"position":9,"caughtUp":true}"#,
  ]

  private func lines(_ arguments: [String], _ handler: @escaping FakeDaemon.Handler) throws -> [String] {
    let daemon = try FakeDaemon(handler)
    let captured = CapturedOutput()
    #expect(try captured.run(arguments + ["--json", "--socket", daemon.address.path]) == .done)
    return captured.lines.map(String.init)
  }

  @Test("The sample has every field of a state")
  func complete() throws {
    let names = try JSONLine(Self.state).names
    let fields = Set(FoldState.Field.allCases.map { "\($0.name)" })
    #expect(names == fields.union(["client", "user", "session", "position", "policy"]))
    #expect(fields.subtracting(try JSONLine(Self.bareState).names).count > 5)
  }

  @Test("list and status print a state as the daemon sends it", arguments: [state, bareState])
  func states(state: String) throws {
    #expect(try lines(["list"]) { _, _, _ in .stream([#"{"state":\#(state)}"#], ends: true) } == [state])
    #expect(try lines(["status", "a", "--at", "3"]) { _, _, _ in .reply(#"{"state":\#(state)}"#) } == [state])
  }

  @Test("watch prints openings, closings, states, transitions and the end of the past as flat objects of their kind")
  func watch() throws {
    let inner = [Self.state, Self.bareState]
    let changes = [String(Self.transition), String(Self.bareTransition)]
    let replies =
      Self.openings + inner.map { #"{"position":7,"state":\#($0)}"# }
      + changes.map { #"{"position":7,"transition":\#($0)}"# } + Self.closings + Self.ends
    let printed = try lines(["watch", "--no-reconnect", "--after", "0", "--frames"]) { _, _, _ in
      .stream(replies, ends: true)
    }
    func flat(_ kind: String, _ text: String) -> String {
      #"{"kind":"\#(kind)","# + text.dropFirst().dropLast().replacing("\"\(kind)\":{", with: "")
    }
    var expected = Self.openings.map { flat("opened", $0) }
    expected += inner.map { #"{"kind":"state","# + $0.dropFirst() }
    expected += changes.map { #"{"kind":"transition","# + $0.dropFirst() }
    expected += Self.closings.map { flat("closed", $0) }
    expected += Self.ends.map { #"{"kind":"caughtUp","# + $0.dropFirst().replacing(#","caughtUp":true"#, with: "") }
    #expect(printed == expected)
  }

  @Test("log prints records of every kind as the daemon sends them")
  func log() throws {
    let records = [
      #"{"kind":"open","time":4,"client":"a","application":"A","title":"T","policy":"p","rule":"safari","parameters":[{"name":"hideDistance","value":"20"}]}"#,
      #"{"kind":"open","time":4,"client":"a","policy":"p"}"#,
      #"{"kind":"layout","time":5,"contentWidth":1.5,"contentHeight":2,"frameWidth":3,"frameHeight":4,"insetTop":5,"insetLeft":6,"insetBottom":7,"insetRight":8,"minimumZoomScale":1,"maximumZoomScale":2,"rightToLeft":true,"pageWidth":9,"toolbarPinned":false,"x":10,"y":11}"#,
      #"{"kind":"layout","time":5}"#,
      #"{"kind":"scroll","time":5,"x":1,"y":2,"translationX":3,"translationY":4,"source":"program"}"#,
      #"{"kind":"scroll","time":5,"x":1,"y":2}"#,
      #"{"kind":"dragEnd","time":5,"x":1,"y":2,"translationX":3,"translationY":4,"willDecelerate":true}"#,
      #"{"kind":"zoom","time":5,"zoomScale":1.5,"x":1,"y":2}"#,
      #"{"kind":"request","time":6,"target":"page","page":3}"#,
      #"{"kind":"request","time":6,"target":"offset","x":1,"y":2.5}"#,
      #"{"kind":"request","time":6,"target":"top"}"#,
      #"{"kind":"response","time":6,"request":5,"done":false,"reason":"busy"}"#,
      #"{"kind":"response","time":6,"request":5,"done":true}"#, #"{"kind":"close","time":7,"reason":"idle"}"#,
    ]
    let replies = records.enumerated().map { index, record in
      let number = record.contains("\"time\":5") ? #""number":\#(index),"# : ""
      return
        #"{"position":\#(index + 1),"received":9,"client":"a","user":7,"session":"\#(Self.session)",\#(number)"record":\#(record)}"#
    }
    #expect(try lines(["log"]) { _, _, _ in .stream(replies, ends: true) } == replies)
  }

  @Test("statistics prints every metric, with and without its kind")
  func statistics() throws {
    let text =
      #"{"version":"1.0","generation":1,"firstPosition":1,"lastPosition":9,"syncedPosition":8,"sessions":2,"#
      + #""connections":3,"subscribers":1,"metrics":[{"name":"calls","value":5,"kind":"counter"},"#
      + #"{"name":"log_bytes","value":6,"kind":"gauge"},{"name":"unsorted","value":7}]}"#
    #expect(try lines(["statistics"]) { _, _, _ in .reply(text) } == [text])
  }

  // MARK: Without a daemon

  @Test("explain has the last decision and the last flip, and both are absent before there is one")
  func explain() throws {
    func object(_ arguments: [String]) throws -> JSONLine {
      let captured = CapturedOutput()
      #expect(try captured.run(["explain", "--json"] + arguments) == .done)
      return try JSONLine(try #require(captured.lines.first))
    }
    let path = Fixtures.root.appendingPathComponent("recordings/article-pinch.ndjson").path
    #expect(
      try object([path]).names.isSuperset(of: [
        "toolbar", "policy", "decision", "flip", "uncounted", "ways", "obstacles",
      ]))
    let early = try object([path, "--at", "2"])
    #expect(early.names.isDisjoint(with: ["decision", "flip"]))
  }

  private func object(_ arguments: [String]) throws -> JSONLine {
    let captured = CapturedOutput()
    _ = try captured.run(["--json"] + arguments)
    return try JSONLine(try #require(captured.lines.first))
  }

  @Test("forgotten has a client's user and the sessions that were kept, if there are any")
  func forgotten() throws {
    let folder = try TemporaryDirectory(prefix: "scrollctl-json-")
    defer { folder.remove() }
    let (hash, kept) = (String(repeating: "ab", count: 32), "fedcba9876543210fedcba9876543210")
    let list = """
      scrolld-forgotten 1
      session \(Self.session) 5
      client 89abcdef01234567 \(hash) 1000 6
      client 89abcdef01234567 \(hash) * 7 \(kept)
      end 3

      """
    try Array(list.utf8).withUnsafeBytes { try POSIXFileSystem().create(folder.path + "/forgotten").write($0, at: 0) }
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "forgotten", folder.path]) == .done)
    #expect(
      Set(captured.lines.map(String.init)) == [
        #"{"session":"\#(Self.session)","time":5}"#,
        #"{"key":"89abcdef01234567","hash":"\#(hash)","user":1000,"received":6}"#,
        #"{"key":"89abcdef01234567","hash":"\#(hash)","received":7,"except":["\#(kept)"]}"#,
      ])
  }

  @Test("reading has the session's names and the bands, if they are known, and a group what it is of")
  func reading() throws {
    let folder = try TemporaryDirectory(prefix: "scrollctl-json-")
    defer { folder.remove() }
    func recording(_ name: String, _ opening: String, _ events: [String]) throws -> String {
      let path = folder.path + "/" + name
      let lines =
        [#"{"kind":"open","time":1,"client":"a"\#(opening)}"#] + events + [#"{"kind":"close","time":9000000}"#]
      let text = lines.joined(separator: "\n") + "\n"
      try Array(text.utf8).withUnsafeBytes { try POSIXFileSystem().create(path).write($0, at: 0) }
      return path
    }
    let layout = #"{"kind":"layout","time":2,"contentHeight":4000,"frameHeight":800}"#
    let scroll = #"{"kind":"scroll","time":2000000,"x":0,"y":500}"#
    let whole = try recording("whole", #","application":"A","title":"T""#, [layout, scroll])
    let bare = try recording("bare", "", [#"{"kind":"scroll","time":2,"x":0,"y":0}"#])
    let optional: Set = ["application", "title", "bands"]
    #expect(try object(["reading", whole]).names.isSuperset(of: optional.union(["file", "line", "client", "policy"])))
    let names = try object(["reading", bare]).names
    #expect(names.isDisjoint(with: optional) && names.isSuperset(of: ["file", "line", "client", "policy", "events"]))
    func population(_ arguments: [String]) throws -> JSONLine {
      let captured = CapturedOutput()
      _ = try captured.run(["--json", "reading", whole, bare] + arguments)
      return try JSONLine(try #require(captured.lines.map(String.init).first { $0.contains("\"population\"") }))
    }
    #expect(try !population([]).names.contains("by"))
    #expect(try population(["--by", "client"]).names.contains("by"))
  }

  @Test("compare has a reason where a trigger fired, and flips a minute where somebody scrolled")
  func compare() throws {
    let path = Fixtures.root.appendingPathComponent("recordings/article-pinch.ndjson").path
    func printed(_ path: String) throws -> [String] {
      let captured = CapturedOutput()
      #expect(
        try captured.run(["--json", "compare", "--policy", "safari", "--policy", "classic", path]) == .done)
      return captured.lines.map(String.init)
    }
    let lines = try printed(path)
    let rows = lines.filter { $0.contains("\"policies\":[") }
    let cells = rows.flatMap { $0.components(separatedBy: "{\"policy\":").dropFirst() }
    // A reason belongs to a trigger that changed.
    #expect(cells.contains { $0.contains("\"reason\":") } && cells.contains { !$0.contains("\"reason\":") })
    #expect(cells.allSatisfy { $0.contains("\"changed\":[") && $0.contains("\"toolbar\":") })
    let tallies = lines.filter { $0.contains("\"flickered\":") }
    #expect(tallies.count == 2 && tallies.allSatisfy { $0.contains("\"flipsPerMinute\":") })
    let folder = try TemporaryDirectory(prefix: "scrollctl-json-")
    defer { folder.remove() }
    let still = folder.path + "/still"
    let text = #"{"kind":"open","time":1,"client":"a"}"# + "\n" + #"{"kind":"layout","time":2}"# + "\n"
    try Array(text.utf8).withUnsafeBytes { try POSIXFileSystem().create(still).write($0, at: 0) }
    #expect(try printed(still).allSatisfy { !$0.contains("\"flipsPerMinute\":") })
  }

  @Test("restore names what is missing, left out or damaged, each only if there is some")
  func restore() throws {
    let folder = try TemporaryDirectory(prefix: "scrollctl-json-")
    defer { folder.remove() }
    let optional: Set = ["gaps", "unfinished", "derivedDamage", "missing", "missingKeys"]
    var count = 0
    func restored(_ change: (_ path: String, _ ends: [Int64]) throws -> Void, _ more: [String] = []) throws -> Set<
      String
    > {
      count += 1
      let (backup, state) = ("\(folder.path)/backup\(count)", "\(folder.path)/state\(count)")
      let ends = try Self.makeLog(backup, isSealed: true)
      try change(backup + "/log/00000000000000000001.scrolllog", ends)
      return try object(["restore", backup, "-D", state] + more).names.intersection(optional)
    }
    func overwrite(_ path: String, _ offset: Int64) throws {
      let file = try POSIXFileSystem().openForWriting(path)
      try Array("Z".utf8).withUnsafeBytes { try file.write($0, at: offset) }
    }
    #expect(try restored { _, _ in }.isEmpty)
    #expect(try restored { path, _ in try overwrite(path, FileStatus(path).size + 8) } == ["derivedDamage"])
    let repaired = try restored { path, ends in
      try overwrite(path, ends[0] + 60)
      let state = String(path.dropLast("/log/00000000000000000001.scrolllog".count))
      let captured = CapturedOutput()
      #expect(try captured.run(["--json", "repair", state]) == .done)
      #expect(
        captured.text.contains(#""sealedRepairs":[{"#) && captured.text.contains(#""gaps":[{"first":2,"last":2}]"#))
    }
    #expect(repaired == ["gaps"])
    let last = "00000000000000000004.scrolllog"
    let missing = try restored { path, _ in
      try POSIXFileSystem().remove(path.replacing("00000000000000000001.scrolllog", with: last))
    }
    #expect(missing == ["missing"])
    let unfinished = try restored { path, _ in
      let path = path.replacing("00000000000000000001.scrolllog", with: last)
      try overwrite(path, FileStatus(path).size)
    }
    #expect(unfinished == ["unfinished"])
    let list = folder.path + "/list"
    let text = "scrolld-forgotten 1\nclient 89abcdef01234567 \(String(repeating: "ab", count: 32)) * 7\nend 1\n"
    try Array(text.utf8).withUnsafeBytes { try POSIXFileSystem().create(list).write($0, at: 0) }
    let captured = CapturedOutput()
    let backup = folder.path + "/backup1"
    // The restore is done, and the message about the key comes after its report.
    #expect(throws: Failure.self) {
      try captured.run(["--json", "restore", backup, "-D", folder.path + "/keys", "--list", list])
    }
    #expect(captured.text.contains(#""missingKeys":["89abcdef01234567"]"#))
  }

  @Test("verify names an unfinished end, and repair what it has lost and begun")
  func damage() throws {
    let folder = try TemporaryDirectory(prefix: "scrollctl-json-")
    defer { folder.remove() }
    let state = folder.path + "/state"
    let ends = try Self.makeLog(state)
    #expect(try !object(["verify", state]).names.contains("unfinished"))
    func overwrite(_ offset: Int64) throws {
      let file = try POSIXFileSystem().openForWriting(state + "/log/00000000000000000001.scrolllog")
      try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
        byte[0] = 0x5A
        try file.write(UnsafeRawBufferPointer(byte), at: offset)
      }
    }
    try overwrite(ends[2] + 5)
    #expect(try object(["verify", state]).names.contains("unfinished"))
    #expect(try !object(["repair", "--dry-run", state]).names.contains("repaired"))
    try overwrite(ends[0] + 120)
    let repaired = CapturedOutput()
    #expect(try repaired.run(["--json", "repair", state]) == .done)
    for name in [
      "\"repaired\":{", "\"keptThrough\":3", "\"gaps\":[{\"first\":2,\"last\":2}]", "\"generation\":",
      "\"lostSessions\":[",
    ] {
      #expect(repaired.text.contains(name), "\(name) in \(repaired.text)")
    }
  }

  /// Makes a log of three blocks, as a killed daemon leaves it, or followed by another segment, and returns where they end.
  private static func makeLog(_ state: String, isSealed: Bool = false) throws -> [Int64] {
    let log = try EventLog.open(
      directory: state, fileSystem: POSIXFileSystem(), options: LogOptions(syncMode: .commit, boot: BootID.current()))
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    var ends: [Int64] = []
    for index in 1...3 as ClosedRange<UInt64> {
      let client = ClientID(user: 1, name: ClientName("c\(index)"))
      builder.append(Opening(client: client, time: 1, policy: .safari), of: SessionID(high: 1, low: index))
      let finished = builder.finish(received: 1)
      let block = try #require(finished)
      try log.writer.write(block)
      var observer = NoObserver()
      try log.projection.apply(block.view, observer: &observer)
      ends.append(log.writer.status.segmentBytes)
    }
    if isSealed {
      try log.writer.roll(log.projection.checkpoint())
      try log.writer.stop()
    }
    return ends
  }
}
