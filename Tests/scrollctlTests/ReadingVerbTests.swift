import Foundation
import JSON
import ScrollAnalysis
import ScrollClientTesting
import ScrollModel
import ScrollTesting
import Testing
import Varlink

@testable import scrollctl

@Suite("reading and report")
final class ReadingVerbTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory(prefix: "scrollctl-test-") }

  deinit { folder.remove() }

  private static func recording(_ name: String) -> String {
    Fixtures.root.appendingPathComponent("recordings/\(name).ndjson").path
  }

  private func file(_ name: String, _ lines: [String]) throws -> String {
    let path = "\(folder.path)/\(name)"
    try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  // MARK: Files

  @Test("reading prints a line for each session, and the quartiles over all")
  func table() throws {
    let captured = CapturedOutput()
    #expect(
      try captured.run(["reading", Self.recording("article-read"), Self.recording("article-to-bottom")]) == .done)
    #expect(
      captured.lines.prefix(5).map(String.init) == [
        "session            duration    active   reach  bottom after  distance  back  flips  depth",
        "article-read       11.790 s  11.790 s  29.9 %             -      3833   119      4  shallow",
        "article-to-bottom  14.451 s  14.451 s   100 %       7.866 s      9202    19      4  complete", "",
        "all: 2 sessions",
      ])
    #expect(
      captured.lines.suffix(2).map(String.init) == [
        "seen to    10 %   20 %  30 %  40 %  50 %  60 %  70 %  80 %  90 %  100 %",
        "sessions  100 %  100 %  50 %  50 %  50 %  50 %  50 %  50 %  50 %   50 %",
      ])
  }

  /// Once, they were “all”, “all:4” and “all:7”, and one had to look up whose lines these are.
  @Test("The sessions of a file of several clients are named after these, with their lines if a client has several")
  func clientsOfAFile() throws {
    let sessions = { (clients: [String]) in
      clients.flatMap { client in
        [
          #"{"kind":"open","time":1,"client":"\#(client)"}"#, #"{"kind":"scroll","time":2,"x":0,"y":5}"#,
          #"{"kind":"close","time":3}"#,
        ]
      }
    }
    let names = { (clients: [String]) throws -> [Substring] in
      let captured = CapturedOutput()
      let path = try self.file("all.ndjson", sessions(clients))
      #expect(try captured.run(["reading", path]) == .done)
      return captured.lines[1...clients.count].map { $0.split(separator: " ")[0] }
    }
    #expect(try names(["A", "B", "C"]) == ["all:A", "all:B", "all:C"])
    #expect(try names(["A", "B", "A"]) == ["all:A:1", "all:B", "all:A:7"])
    #expect(try names(["A", "A"]) == ["all", "all:4"])
    #expect(try names(["A"]) == ["all"])
  }

  @Test("Files with times that run backwards are named once, with the number of times")
  func backwards() throws {
    var note = ClockNote()
    for (name, times) in [("a", [5, 3, 1]), ("b", [1, 2, 3]), ("a", [9, 8]), ("c", [2, 1])] as [(String, [Int64])] {
      var disorder = DisorderedTimes()
      for time in times { disorder.add(time * 1_000_000) }
      note.add(disorder, of: name)
    }
    #expect(
      note.messages.map(\.message) == [
        "a: 3 times are before the previous one, so durations and turns may be wrong",
        "c: 1 time is before the previous one, so durations and turns may be wrong",
      ])
    // What callbacks of the same frame do is no disorder, as for check.
    var frame = DisorderedTimes()
    for time: Int64 in [60_000, 10_000, 20_000] { frame.add(time) }
    #expect(frame.count == 0)
  }

  @Test("The help of reading says what each measure is, and which column has it")
  func glossary() throws {
    let verb = try #require(Verb.all.named("reading"))
    let text = HelpText(verbs: Verb.all, width: 500).verb(verb).joined(separator: "\n")
    for measure in Reading.Measure.allCases {
      #expect(text.contains(measure.name) && text.contains(measure.meaning), "\(measure)")
    }
    for column in ["active", "back", "bottom after"] { #expect(text.contains("(column “\(column)”)")) }
  }

  @Test("A flat export is recognized, and the message says what to do")
  func flat() throws {
    let path = try file(
      "flat.ndjson",
      [
        #"{"kind":"open","time":1,"client":"a"}"#,
        #"{"kind":"scroll","time":2,"x":0,"y":5,"client":"a","session":"\#(RecordVerbTests.session)"}"#,
      ])
    let failure = try thrown(Failure.self) { try CapturedOutput().run(["reading", path]) }
    #expect(failure.message == "\(path):2: client is not a field of an event")
    #expect(failure.hint?.hasPrefix("This looks like an “export --flat”") == true)
  }

  @Test("The report of a file numbers its lines, and says whose flips its tiles are")
  func reportOfAFile() throws {
    func page(_ policies: [String]) throws -> String {
      let captured = CapturedOutput()
      let options = policies.flatMap { ["--policy", $0] }
      #expect(try captured.run(["report"] + options + [Self.recording("article-read")]) == .done)
      return captured.text
    }
    let both = try page(["safari", "headroom"])
    #expect(both.contains(#"<th scope="col" class="n">Line</th>"#) && !both.contains(#">Event</th>"#))
    #expect(both.contains("<dt>Line</dt>") && both.contains(#""numbered":"line""#))
    #expect(both.contains("<dt>Flickers, safari</dt>") && both.contains("<dt>Toolbar flips, safari</dt>"))
    let one = try page(["safari"])
    #expect(one.contains("<dt>Flickers</dt>"))
  }

  @Test("On a terminal, the tables fit with whole values, and name the columns that do not", arguments: [60, 80])
  func widths(columns: Int) throws {
    var style = Style()
    style.columns = columns
    let captured = CapturedOutput()
    let files = ["article-read", "article-to-bottom", "article-programmatic"].map(Self.recording)
    #expect(try captured.run(["reading"] + files, style: style) == .done)
    for line in captured.lines { #expect(String(line).columnWidth <= columns, "\(line)") }
    #expect(!captured.text.contains("…"))
    #expect(captured.lines[1].hasPrefix("article-read  ") && captured.lines[1].hasSuffix("shallow"))
    #expect(captured.lines.contains { $0.hasPrefix("No room for ") })
    let heading = captured.lines[0]
    let note = captured.lines[4...].prefix { !$0.isEmpty }.joined(separator: " ")
    for name in ["bottom after", "distance", "back", "flips"] { #expect(heading.contains(name) != note.contains(name)) }
  }

  @Test("compare and the report's tallies end where reading ends: at the closing")
  func oneEnd() throws {
    let path = try file(
      "bounce.ndjson",
      [
        #"{"kind":"open","time":1000000,"client":"a"}"#, #"{"kind":"scroll","time":1000000,"x":0,"y":300}"#,
        #"{"kind":"scroll","time":2000000,"x":0,"y":340}"#, #"{"kind":"close","time":101000000}"#,
      ])
    let (compared, read, swept, page) = (CapturedOutput(), CapturedOutput(), CapturedOutput(), CapturedOutput())
    #expect(try compared.run(["compare", "--json", "--policy", "safari", path]) == .done)
    #expect(try read.run(["reading", "--json", path]) == .done)
    #expect(try swept.run(["sweep", "--json", "hideDistance=10..10", path]) == .done)
    #expect(try page.run(["report", path]) == .done)
    for line in [try #require(compared.lines.last), try #require(swept.lines.last)] {
      let tally = try JSONLine(line)
      #expect(tally.integer("duration") == 100_000_000)
      #expect(tally.integer("hidden") == 99_000_000)
    }
    let reading = try JSONLine(read.lines[0])
    #expect(reading.integer("duration") == 100_000_000)
    #expect(reading.number("toolbarHidden") == 0.99)
    #expect(page.text.contains(#"<data value="99000000" data-tally="hidden">"#))
  }

  @Test("reading --json prints all measures of each session, then the groups")
  func json() throws {
    let path = Self.recording("article-to-bottom")
    let captured = CapturedOutput()
    let copy = "\(folder.path)/copy.ndjson"
    try String(contentsOfFile: path, encoding: .utf8).write(toFile: copy, atomically: true, encoding: .utf8)
    #expect(try captured.run(["reading", "--json", "--by", "title", "--bands", "10", path, copy]) == .done)
    #expect(captured.lines.count == 4)
    let session = try JSONLine(captured.lines[0])
    #expect(session.text("file") == path && session.text("title") == "article-to-bottom")
    #expect(session.integer("line") == 1 && session.text("policy") == "safari")
    #expect(session.number("reach") == 1 && session.text("depth") == "complete")
    #expect(session.integer("bottomReached") == 7_866_000)
    #expect(captured.lines[0].contains(#""bands":["#))
    let group = try JSONLine(captured.lines[2])
    #expect(group.text("population") == "article-to-bottom" && group.text("by") == "title")
    #expect(group.integer("sessions") == 2)
    #expect(
      captured.lines[3].hasPrefix(
        #"{"population":"all","sessions":2,"sessionsWithReach":2,"measures":{"duration":{"count":2"#))
  }

  @Test("reading --csv follows RFC 4180")
  func csv() throws {
    let title = #"{"kind":"open","time":1000000,"client":"a","title":"one, \"two\"\nthree"}"#
    let path = try file("a.ndjson", [title, #"{"kind":"scroll","time":2000000,"x":0,"y":5}"#])
    let captured = CapturedOutput()
    #expect(try captured.run(["reading", "--csv", "--bands", "2", path]) == .done)
    let rows = captured.text.components(separatedBy: "\r\n")
    #expect(rows.count == 3 && rows[2].isEmpty)
    #expect(rows[0].hasPrefix("file,line,client,user,session,application,title,policy,events,duration,activeTime,"))
    #expect(rows[0].hasSuffix(",flips,flickers,band1,band2"))
    #expect(rows[1].hasPrefix("\(path),1,a,,,,\"one, \"\"two\"\"\nthree\",safari,1,0,0,0,,,"))
    // The sizes are unknown, so that there are no bands.
    #expect(rows[1].hasSuffix(",0,0,,"))
  }

  @Test("A recording without an open line, and several in one file, are sessions of their own")
  func severalSessions() throws {
    let scroll = #"{"kind":"scroll","time":2000000,"x":0,"y":5}"#
    let path = try file(
      "a.ndjson",
      [scroll, #"{"kind":"close","time":3000000}"#, #"{"kind":"open","time":4000000,"client":"b"}"#, scroll, scroll])
    let captured = CapturedOutput()
    #expect(try captured.run(["reading", "--json", path]) == .done)
    let sessions = try captured.lines.prefix(2).map { try JSONLine($0) }
    #expect(sessions.map { $0.integer("line") } == [1, 3])
    #expect(sessions.map { $0.integer("events") } == [1, 2])
    #expect(sessions.map { $0.integer("duration") } == [1_000_000, 0])
  }

  @Test("A bad line, an empty file and a bad option are errors that name them")
  func badInput() throws {
    let bad = try file(
      "bad.ndjson", [#"{"kind":"scroll","time":1,"x":0,"y":0}"#, #"{"kind":"scroll","time":2,"x":0}"#])
    #expect(throws: Failure("\(bad):2: y is missing: a scroll needs it")) {
      try CapturedOutput().run(["reading", bad])
    }
    let empty = try file("empty.ndjson", [#"{"kind":"open","time":2,"client":"a"}"#])
    #expect(throws: Failure("no session is selected; left out 1 session: 1 without events")) {
      try CapturedOutput().run(["reading", empty])
    }
    let both = CapturedOutput()
    #expect(try both.run(["reading", "--json", empty, Self.recording("pager")]) == .done)
    #expect(both.lines.count == 2)
    #expect(throws: Failure("/dev/null has no events")) { try CapturedOutput().run(["reading", "/dev/null"]) }
    let path = Self.recording("pager")
    #expect(throws: UsageError.badValue(option: "by", text: "page", expected: "client, application or title")) {
      try CapturedOutput().run(["reading", "--by", "page", path])
    }
    #expect(throws: UsageError.conflict("json", "csv")) {
      try CapturedOutput().run(["reading", "--json", "--csv", path])
    }
    for (option, text) in [("bands", "0"), ("bands", "10001"), ("idle", "soon"), ("since", "soon")] {
      #expect(throws: UsageError.self) { try CapturedOutput().run(["reading", "--\(option)", text, path]) }
    }
    #expect(throws: UsageError.self) {
      try CapturedOutput().run(["reading", "--since", "today", "--until", "yesterday", path])
    }
  }

  // MARK: The log

  private static func id(_ number: UInt64) -> SessionID { SessionID(high: number, low: number) }

  private static func entry(_ position: Int, _ client: String, _ session: UInt64, _ record: String, number: Int? = nil)
    -> String
  {
    #"{"position":\#(position),"received":\#(position * 1_000_000),"client":"\#(client)","user":0,"session":"\#(id(session))","#
      + (number.map { #""number":\#($0),"# } ?? "") + #""record":\#(record)}"#
  }

  private static func opening(_ client: String) -> String {
    let parameters = Policy.classic.parameters.map { #"{"name":"\#($0.name)","value":"\#($0.value)"}"# }
    return #"{"kind":"open","time":1000000,"client":"\#(client)","policy":"classic","rule":"classic","parameters":["#
      + parameters.joined(separator: ",") + "]}"
  }

  private static let event = #"{"kind":"scroll","time":2000000,"x":0,"y":5}"#
  private static let closing = #"{"kind":"close","time":3000000,"reason":"asked"}"#

  /// Two interleaved sessions, an open one, one without events, and the rest of a trimmed one.
  private static let records = [
    entry(10, "late", 9, event, number: 7),
    entry(11, "a/1", 1, opening("a/1")), entry(12, "a/2", 2, opening("a/2")), entry(13, "a/1", 1, event, number: 1),
    entry(14, "a/2", 2, event, number: 1), entry(15, "a/1", 1, closing), entry(16, "b", 3, opening("b")),
    entry(17, "b", 3, closing), entry(18, "a/2", 2, event, number: 2),
  ]

  private static func clients(_ captured: CapturedOutput) throws -> [String?] {
    try captured.lines.dropLast().map { try JSONLine($0).text("client") }
  }

  @Test("reading measures the log's sessions in one pass, and says which it left out")
  func log() throws {
    let daemon = try FakeDaemon { _, _, _ in .stream(Self.records, ends: true) }
    let captured = CapturedOutput()
    #expect(
      try captured.run(["reading", "--json", "--socket", daemon.address.path]) == .failed, "a session was trimmed")
    #expect(try Self.clients(captured) == ["a/1", "a/2"])
    let first = try JSONLine(captured.lines[0])
    #expect(first.text("session") == "\(Self.id(1))" && first.integer("user") == 0 && first.text("policy") == "classic")
    #expect(first.integer("duration") == 1_000_000)
    #expect(daemon.received.count == 1)
    let matching = CapturedOutput()
    #expect(try matching.run(["reading", "--json", "a/*", "--socket", daemon.address.path]) == .done)
    #expect(try Self.clients(matching) == ["a/1", "a/2"])
    #expect(throws: Failure("no session of the log is left; left out 1 session: 1 without events")) {
      try CapturedOutput().run(["reading", "b*", "--socket", daemon.address.path])
    }
  }

  @Test("--since and --until select sessions by when their records were received, and read them completely")
  func times() throws {
    let daemon = try FakeDaemon { _, _, _ in .stream(Self.records, ends: true) }
    let captured = CapturedOutput()
    #expect(
      try captured.run(["reading", "--json", "--since", "@17.5", "--socket", daemon.address.path, "a/*"]) == .done)
    #expect(try Self.clients(captured) == ["a/2"])
    #expect(try JSONLine(captured.lines[0]).integer("events") == 2)
  }

  @Test(
    "A damaged log is read again without the sessions that lost records there, with status 1",
    arguments: [(2, ["a/1", "a/2"]), (3, ["a/1"])])
  func damage(number: Int, whole: [String]) throws {
    let damage = VarlinkError("org.scrolld.Observer.LogDamaged") {
      $0.member("file", "/log/4.scrolllog")
      $0.member("offset", 99)
      $0.member("next", 18)
    }
    let daemon = try FakeDaemon { call, _, _ in
      let after = call.parameterObject?["after"]?.asInt64
      return after == 17
        ? .stream([Self.entry(18, "a/2", 2, Self.event, number: number)], ends: true)
        : .broken(Array(Self.records[1..<6]), damage)
    }
    let captured = CapturedOutput()
    #expect(try captured.run(["reading", "--json", "--socket", daemon.address.path]) == .failed)
    #expect(try Self.clients(captured) == whole)
    // Nothing is left of a table that had been begun with all sessions.
    let database = "\(folder.path)/log.db"
    #expect(try CapturedOutput().run(["export", "--sqlite", database, "--socket", daemon.address.path]) == .failed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["log.db"])
  }

  // MARK: Tables

  /// Once, the rename put a file in the place of a device.
  @Test("--force replaces regular files only", arguments: [["export", "--sqlite"], ["report", "--output"]])
  func replacing(verb: [String]) throws {
    let good = Self.recording("article-read")
    let (target, link) = ("\(folder.path)/mine", "\(folder.path)/link")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    for path in [link, "/dev/null"] {
      #expect(throws: Failure("\(path) is not a regular file")) {
        try CapturedOutput().run(verb + [path, "--force", good])
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("mine".utf8))
    #expect(try CapturedOutput().run(verb + [target, "--force", good]) == .done)
  }

  @Test("export refuses an existing file, and leaves nothing behind when it fails", arguments: ["--sqlite", "--csv"])
  func tables(option: String) throws {
    let (good, target) = (Self.recording("article-read"), "\(folder.path)/out")
    #expect(try CapturedOutput().run(["export", option, target, good]) == .done)
    let hint = "Use --force to replace it, or choose another name."
    #expect(throws: Failure("\(target) exists already", hint: hint)) {
      try CapturedOutput().run(["export", option, target, good])
    }
    #expect(try CapturedOutput().run(["export", option, target, "--force", good]) == .done)
    let bad = try file("bad.ndjson", [#"{"kind":"scroll","time":2,"x":0,"y":0}"#, "{}"])
    #expect(throws: Failure.self) { try CapturedOutput().run(["export", option, target, "--force", good, bad]) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["bad.ndjson", "out"])
  }

  @Test("export --csv --force replaces only an earlier export")
  func foreignDirectory() throws {
    _ = try file("precious.txt", ["keep me"])
    #expect(throws: Failure("\(folder.path) has other files, such as precious.txt: --force won't replace it")) {
      try CapturedOutput().run(["export", "--csv", folder.path, "--force", Self.recording("pager")])
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["precious.txt"])
  }

  @Test("The options of tables don't go with each other, nor --force alone")
  func tableOptions() throws {
    #expect(throws: UsageError.conflict("sqlite", "csv")) {
      try CapturedOutput().run(["export", "--sqlite", "a", "--csv", "b"])
    }
    #expect(throws: UsageError.conflict("output", "sqlite")) {
      try CapturedOutput().run(["export", "--sqlite", "a", "--output", "b"])
    }
    #expect(throws: UsageError.self) { try CapturedOutput().run(["export", "--force"]) }
  }

  @Test("A CSV number reads back as the same number, and a text as the same text")
  func csvValues() throws {
    var row = CSVWriter()
    for value in [0, -1.5, 1e300, 0.1, 1_700_000_000_000_000, -0.0] { row.number(value) }
    for value in [Int64.min, 0, .max] { row.integer(value) }
    row.text("")
    row.text("a;b")
    row.text("a\rb")
    // Programs get what the client sent, as SQLite does.
    row.text("\u{1B}[2J\u{202E}\\u{7}")
    row.endRow()
    #expect(
      String(decoding: row.buffer, as: UTF8.self)
        == "0,-1.5,1e+300,0.1,1700000000000000.0,0,-9223372036854775808,0,9223372036854775807,,a;b,\"a\rb\",\"\u{1B}[2J\u{202E}\\u{7}\"\r\n"
    )
    var shown = CSVWriter(isForTerminal: true)
    shown.text("\u{1B}[2J\u{202E}a\tb\nc")
    #expect(String(decoding: shown.buffer, as: UTF8.self) == "\"\\u{1B}[2J\\u{202E}a\tb\nc\"")
  }

  @Test("reading --csv escapes titles on a terminal only")
  func csvOnTerminal() throws {
    let path = try file(
      "a.ndjson", [#"{"kind":"open","time":1000000,"client":"a","title":"\u001b[2J"}"#, Self.event])
    for isTerminal in [false, true] {
      var style = Style()
      style.isTerminal = isTerminal
      let captured = CapturedOutput()
      #expect(try captured.run(["reading", "--csv", path], style: style) == .done)
      #expect(captured.text.contains("\u{1B}[2J") != isTerminal)
      #expect(captured.text.contains("\\u{1B}[2J") == isTerminal)
    }
  }

  @Test("Any text in a CSV file reads back as it was, and the lines after it have their numbers")
  func csvTexts() throws {
    let parts = ["a", ",", "\"", "\n", "\r", "\r\n", ";", " ", "ä"]
    let texts = parts.flatMap { first in
      parts.flatMap { second in parts.map { first + second + $0 } }
    }
    var writer = CSVWriter()
    var expected: [DelimitedText.Record] = []
    var line = 1
    for text in texts {
      writer.text(text)
      writer.text("x")
      writer.endRow()
      expected.append(DelimitedText.Record(line: line, fields: [text, "x"]))
      // A carriage return and a line feed are one character.
      line += 1 + text.count { $0.isNewline }
    }
    var reader = DelimitedText(writer.buffer, separator: UInt8(ascii: ","))
    for record in expected { #expect(try reader.next() == record) }
    #expect(try reader.next() == nil)
  }

  // MARK: The report

  @Test("report writes one page for one session, and another for many")
  func report() throws {
    let captured = CapturedOutput()
    #expect(
      try captured.run(["report", "--policy", "safari", "--policy", "classic", Self.recording("article-read")]) == .done
    )
    #expect(captured.text.hasPrefix("<!DOCTYPE html>") && captured.text.contains("<h1><bdi>article-read</bdi></h1>"))
    let path = "\(folder.path)/many.html"
    let written = CapturedOutput()
    let recordings = ["article-read", "pager"].map(Self.recording)
    #expect(try written.run(["report", "-o", path] + recordings) == .done)
    #expect(written.text == "\(path): 2 sessions\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("How far 2 sessions were read"))
    #expect(throws: Failure.self) { try CapturedOutput().run(["report", "-o", path] + recordings) }
    #expect(throws: UsageError.noJSON(verb: "report", instead: "reading --json")) {
      try CapturedOutput().run(["report", "--json"] + recordings)
    }
  }

  @Test("report of several sessions shows them under the policy that is named, and refuses several")
  func reportUnderAPolicy() throws {
    let recordings = ["article-read", "article-wheel"].map(Self.recording)
    func page(_ options: String...) throws -> String {
      let captured = CapturedOutput()
      #expect(try captured.run(["report"] + options + recordings) == .done)
      return captured.text
    }
    let own = try page()
    let same = try page("--policy", "safari")
    #expect(!own.contains("toolbar under the policy") && same.contains("toolbar under the policy safari"))
    #expect(same.replacing(" · toolbar under the policy safari", with: "") == own)
    let classic = try page("--policy", "classic")
    #expect(classic.contains("toolbar under the policy classic"))
    #expect(classic.replacing(" · toolbar under the policy classic", with: "") != own)
    #expect(try page("--set", "hideDistance=300") != own)
    let refusal = try thrown(Failure.self) {
      try CapturedOutput().run(["report", "--policy", "safari", "--policy", "classic"] + recordings)
    }
    #expect(refusal.message == "a page of several sessions shows one policy, and 2 are given")
    #expect(refusal.hint?.contains("scrollctl compare") == true)
  }
}
