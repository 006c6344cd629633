import Foundation
import ScrollTesting
import Testing

@testable import scrollctl

@Suite("compare, sweep and fold --expect")
struct TuningVerbTests {
  private func path(_ name: String, in folder: String = "recordings") -> String {
    Fixtures.root.appendingPathComponent("\(folder)/\(name).ndjson").path
  }

  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).ndjson")
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    try body(file.path)
  }

  @Test("compare without --policy compares the built-in policies")
  func presets() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["compare", "--summary", path("article-read")]) == .done)
    let names = captured.lines.dropFirst().prefix { !$0.isEmpty }.compactMap { $0.split(separator: " ").first }
    #expect(names == ["safari", "safari-arrival", "classic", "headroom", "material", "chrome"])
  }

  @Test("compare with --set alone compares the default with a variant that is named after it")
  func variant() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["compare", "--summary", "--set", "hideDistance=40", path("article-read")]) == .done)
    #expect(captured.lines.count == 5)
    #expect(captured.lines[1].hasPrefix("safari  "))
    #expect(captured.lines[2].hasPrefix("safari hideDistance=40  "))
    let named = CapturedOutput()
    let policies = ["--policy", "safari", "--policy", "safari hideDistance=40"]
    #expect(try named.run(["compare", "--summary"] + policies + [path("article-read")]) == .done)
    #expect(named.text == captured.text)
  }

  @Test("compare says how many sessions it compared")
  func sessionCount() throws {
    let two =
      #"{"kind":"open","time":1,"client":"a"}"# + "\n" + #"{"kind":"scroll","time":2,"x":0,"y":5}"# + "\n"
      + #"{"kind":"close","time":3}"# + "\n"
    try withFile(two + two) { file in
      for (files, expected) in [
        ([path("article-read")], "1 session from 1 file."), ([file], "2 sessions from 1 file."),
        ([file, path("article-read")], "3 sessions from 2 files."),
      ] {
        for options in [[], ["--summary"]] {
          let captured = CapturedOutput()
          #expect(
            try captured.run(["compare", "--policy", "safari", "--policy", "classic"] + options + files) == .done)
          #expect(captured.lines.suffix(2) == ["", Substring(expected)])
        }
      }
      let json = CapturedOutput()
      let status = try json.run(["compare", "--json", "--policy", "safari", file, path("article-read")])
      #expect(status == .done)
      #expect(try JSONLine(#require(json.lines.last)).integer("sessions") == 3)
    }
  }

  /// Once, lines were cut at the terminal's edge, also in the middle of a number.
  @Test(
    "In a narrow terminal compare leaves out columns and names them, and cuts no number",
    arguments: [40, 60, 80], [[], ["--summary"]])
  func narrow(columns: Int, options: [String]) throws {
    let policies = ["safari", "safari hideDistance=24 showDistance=17", "headroom", "material", "chrome", "classic"]
    let arguments =
      policies.flatMap { ["--policy", $0] } + options + [path("article-read"), path("article-to-bottom")]
    let (wide, narrow) = (CapturedOutput(), CapturedOutput())
    #expect(try wide.run(["compare"] + arguments) == .done)
    var style = Style()
    style.columns = columns
    #expect(try narrow.run(["compare"] + arguments, style: style) == .done)
    #expect(narrow.lines.allSatisfy { String($0).columnWidth <= columns })
    let numbers = { (line: Substring) in
      line.split(separator: " ").filter { $0.allSatisfy { $0.isNumber || $0 == "." } }
    }
    let known = Set(wide.lines.flatMap(numbers))
    let end = try #require(narrow.lines.firstIndex { $0.hasPrefix("No room for ") || $0.hasSuffix(" files.") })
    for line in narrow.lines[..<end] { #expect(known.isSuperset(of: numbers(line)), "\(line)") }
    let note = narrow.lines[end...].joined(separator: " ")
    #expect(note.contains("2 sessions from 2 files."))
    if columns < 80 || options.isEmpty { #expect(note.contains("No room for ")) }
    if options.isEmpty, columns == 60 {
      let headings = narrow.lines[0].split(separator: " ").dropFirst(2).map(String.init)
      for policy in policies.dropFirst() where !headings.contains(policy) && !policy.contains(" ") {
        #expect(note.contains(policy), "\(policy)")
      }
    }
  }

  /// Once, the column of a whole policy was left out, although there was room for shorter names.
  @Test("A narrow terminal shortens all names before compare leaves out a policy", arguments: [40, 60, 80])
  func policiesStay(columns: Int) throws {
    var style = Style()
    style.columns = columns
    let files = [path("article-read"), path("article-to-bottom")]
    for other in ["classic", "safari hideDistance=24 showDistance=28"] where columns > 40 || other != "classic" {
      let captured = CapturedOutput()
      #expect(try captured.run(["compare", "--policy", "headroom", "--policy", other] + files, style: style) == .done)
      #expect(captured.lines.allSatisfy { String($0).columnWidth <= columns }, "\(captured.text)")
      let words = captured.lines[0].split(separator: " ")
      #expect(words.dropFirst(2).starts(with: ["headroom", other.split(separator: " ")[0]]), "\(captured.text)")
      #expect(!captured.text.contains("No room for \(other)"))
    }
  }

  @Test("In the narrowest rows, short names of fields stand for their values, and are explained")
  func shortFields() throws {
    var style = Style()
    style.columns = 75
    let captured = CapturedOutput()
    let arguments = ["compare", "--policy", "classic", "--policy", "headroom", path("article-to-bottom")]
    #expect(try captured.run(arguments, style: style) == .done)
    style.columns = 50
    let narrow = CapturedOutput()
    #expect(try narrow.run(arguments, style: style) == .done)
    #expect(captured.text.contains("hidden ↓ bottomLatch=false") && !captured.text.contains("latch−"))
    #expect(narrow.text.contains("hidden ↓ latch−") && narrow.text.contains("latch− bottomLatch=false"))
  }

  /// Once, overlapping patterns of a shell made a count of flickers double.
  @Test("A file that is given twice counts once, by whatever names", arguments: ["compare", "sweep", "reading"])
  func twice(verb: String) throws {
    let file = path("article-read")
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    let arguments =
      switch verb {
      case "compare": ["compare", "--summary", "--policy", "headroom"]
      case "sweep": ["sweep", "--policy", "headroom", "showDistance=1..4"]
      default: ["reading"]
      }
    let (once, twice) = (CapturedOutput(), CapturedOutput())
    #expect(try once.run(arguments + [file]) == .done)
    #expect(try twice.run(arguments + [file, file, "\(folder)/./article-read.ndjson"]) == .done)
    #expect(twice.text == once.text)
  }

  @Test("sweep names the policy with the parameters of --set, and the last one of each")
  func sweepOfAVariant() throws {
    let captured = CapturedOutput()
    let sets = ["--set", "hideDistance=9", "--set", "hideDistance=3"]
    #expect(
      try captured.run(["sweep", "--policy", "headroom", "showDistance=1..4", path("article-read")] + sets) == .done)
    #expect(captured.text.hasSuffix(", under the policy headroom hideDistance=3.\n"))
    let named = CapturedOutput()
    #expect(
      try named.run(["sweep", "--policy", "headroom hideDistance=3", "showDistance=1..4", path("article-read")])
        == .done)
    #expect(named.text == captured.text)
  }

  @Test("sweep fits into a narrow terminal, and names the columns that do not", arguments: [40, 60, 80])
  func narrowSweep(columns: Int) throws {
    var style = Style()
    style.columns = columns
    let captured = CapturedOutput()
    #expect(try captured.run(["sweep", "showDistance=1..4", path("article-read")], style: style) == .done)
    #expect(captured.lines.allSatisfy { String($0).columnWidth <= columns }, "\(captured.text)")
    #expect(captured.text.contains("No room for ") == (columns < 60))
  }

  @Test("A misspelled policy is reported with the one that it may mean, also before parameters")
  func misspelledPolicy() throws {
    for name in ["hedroom", "hedroom showDistance=4"] {
      let error = try thrown(UsageError.self) {
        try CapturedOutput().run(["compare", "--policy", name, path("article-read")])
      }
      #expect("\(error)".hasPrefix("--policy is “hedroom”: it must be one of safari, "), "\(error)")
      #expect("\(error)".contains(" (did you mean headroom?)"))
    }
  }

  @Test("explain says first which state it explains, and calls the lines of a file lines")
  func explainedPlace() throws {
    let file = path("article-read")
    func text(_ arguments: [String]) throws -> String {
      let captured = CapturedOutput()
      #expect(try captured.run(["explain", file] + arguments) == .done)
      return captured.text
    }
    let explained = try text(["--at", "365"])
    #expect(explained.hasPrefix("article-read, after line 365, at +10.621 s\nThe toolbar is hidden"))
    #expect(explained.contains("(3 events, lines 357 to 365)"))
    let first = try text(["--at", "1"])
    #expect(first.hasPrefix("article-read, before its first event\n"))
    let json = try text(["--at", "365", "--json"])
    #expect(json.contains(#""flip":{"line":261,"#) && json.contains("(3 events, lines 357 to 365)"))
  }

  @Test("A misspelled parameter is reported with the one that it may mean")
  func misspelledParameter() throws {
    let expected = "the rule safari has no parameter “hideDistanse” (did you mean hideDistance?): it has hideDistance, "
    for (arguments, prefix) in [
      (["compare", "--policy", "safari hideDistanse=24"], "--policy: "),
      (["fold", "--set", "hideDistanse=24"], "--set: "),
      (["sweep", "hideDistanse=1..2"], "“hideDistanse=1..2”: "),
    ] {
      let error = try thrown(UsageError.self) { try CapturedOutput().run(arguments + [path("article-read")]) }
      #expect("\(error)".hasPrefix(prefix + expected), "\(error)")
    }
    let other = try thrown(UsageError.self) {
      try CapturedOutput().run(["fold", "--set", "x=1", path("article-read")])
    }
    #expect("\(other)".hasPrefix("--set: the rule safari has no parameter “x”: it has "))
  }

  @Test("compare --max-flickers fails above the limit, and at it succeeds")
  func maxFlickers() throws {
    let session = #"""
      {"kind":"scroll","time":1000000,"x":0,"y":300}
      {"kind":"scroll","time":2000000,"x":0,"y":320}
      {"kind":"scroll","time":2200000,"x":0,"y":300}
      """#
    try withFile(session + "\n") { file in
      let run = { try CapturedOutput().run(["compare", "--policy", "safari", "--max-flickers", $0, file]) }
      let (above, at) = (try run("0"), try run("1"))
      #expect(above == .failed)
      #expect(at == .done)
      #expect(throws: UsageError.self) { try CapturedOutput().run(["compare", "--max-flickers", "x", file]) }
    }
  }

  @Test("compare --expect-same needs two policies")
  func expectSame() throws {
    for arguments in [["--policy", "safari"], ["--policy", "safari", "--set", "hideDistance=90"]] {
      #expect(throws: UsageError.self) {
        try CapturedOutput().run(["compare", "--expect-same"] + arguments + [path("article-read")])
      }
    }
  }

  @Test("explain refuses a line that the file does not have")
  func explainBeyondTheEnd() throws {
    #expect(try CapturedOutput().run(["explain", "--at", "394", path("article-read")]) == .done)
    #expect(throws: Failure.self) { try CapturedOutput().run(["explain", "--at", "999", path("article-read")]) }
  }

  @Test("explain takes an event of a recording by its number or its line, and refuses those of others")
  func explainByNumber() throws {
    func lines(_ moment: String) throws -> [Substring] {
      let captured = CapturedOutput()
      #expect(try captured.run(["explain", "--at", moment, path("article-to-bottom")]) == .done)
      return captured.lines
    }
    // The first line is the opening.
    let client = "chromium/article-to-bottom"
    for moment in ["#371", "\(client)#371", "\(client)@0123abcd#371", "article-to-bottom:372", ":372"] {
      #expect(try lines(moment) == lines("372"), "\(moment)")
    }
    #expect(try lines("#372") == lines("373"))
    for moment in ["other#371", "#9999", "other:372", "article-to-bottom:9999"] {
      #expect(throws: Failure.self) { try lines(moment) }
    }
  }

  @Test("sweep refuses to set the parameter that it sweeps")
  func sweepOfASetParameter() throws {
    let arguments = ["sweep", "--set", "showDistance=3", "--set", "hideDistance=3", "hideDistance=10..12"]
    let error = try thrown(UsageError.self) { try CapturedOutput().run(arguments + [path("article-read")]) }
    #expect(
      "\(error)" == "--set: “hideDistance=3” sets the parameter that is swept: leave it out")
    let other = ["sweep", "--set", "showDistance=3", "hideDistance=10..12", path("article-read")]
    #expect(try CapturedOutput().run(other) == .done)
  }

  @Test("sweep prints a row for each value and the smallest without flickers")
  func sweep() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["sweep", "hideDistance=10..30:10", path("article-read")]) == .done)
    #expect(captured.lines.count == 6)
    #expect(captured.lines[0].hasPrefix("hideDistance  flips"))
    #expect(captured.lines[1...3].map { $0.split(separator: " ")[0] } == ["10", "20", "30"])
    let json = CapturedOutput()
    #expect(try json.run(["--json", "sweep", "hideDistance=10..30:10", path("article-read")]) == .done)
    #expect(json.lines.count == 3)
    #expect(json.lines[0].hasPrefix(#"{"policy":"safari","parameter":"hideDistance","value":10,"flips":"#))
  }

  @Test(
    "sweep says what a range looks like",
    arguments: ["hideDistance", "hideDistance=", "hideDistance=9..5", "nothing=1..2", "revealAtBottom=1..2"])
  func badSweep(_ range: String) {
    #expect(throws: UsageError.self) { try CapturedOutput().run(["sweep", range, path("article-read")]) }
  }

  @Test("fold --expect accepts what fold --json printed, and finds a change, a loss and an addition")
  func expect() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "fold", path("article-to-bottom")]) == .done)
    let lines = captured.lines.map(String.init)
    let fold = { (expected: [String]) throws -> (scrollctl.ExitStatus, String) in
      var result = (scrollctl.ExitStatus.done, "")
      try withFile(expected.joined(separator: "\n") + "\n") { file in
        let output = CapturedOutput()
        let status = try output.run(["fold", "--expect", file, path("article-to-bottom")])
        result = (status, output.text.replacing(file, with: "FILE"))
      }
      return result
    }
    #expect(try fold(lines) == (.done, ""))
    // Members that a line leaves out don't count.
    #expect(try fold(Array(repeating: "{}", count: lines.count)) == (.done, ""))

    var changed = lines
    changed[1] = changed[1].replacing(#""toolbar":"hidden""#, with: #""toolbar":"shown""#)
    #expect(changed[1] != lines[1])
    let difference = try fold(changed)
    #expect(difference.0 == .failed)
    #expect(difference.1.hasPrefix("FILE:2: “toolbar” differs at "))
    #expect(difference.1.contains("expected  toolbar shown\n  folded    toolbar hidden\n"))

    let lost = try fold(Array(lines.dropLast()))
    #expect(lost.0 == .failed)
    #expect(lost.1.hasPrefix("FILE:\(lines.count): a transition too many at "))
    let added = try fold(lines + ["{}"])
    #expect(added.0 == .failed)
    #expect(added.1.hasPrefix("FILE:\(lines.count + 1): a transition is missing\n"))
    #expect(throws: Failure.self) { try fold(["nonsense"]) }
    #expect(throws: Failure.self) { try fold(["[]"]) }
  }

  /// Once, the objects of several files named these, and --expect missed the names.
  @Test("fold --expect accepts what fold --json printed for several files")
  func expectationsOfSeveralFiles() throws {
    let paths = ["article-to-bottom", "article-read"].map { path($0) }
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "fold"] + paths) == .done)
    try withFile(captured.text) { file in
      let output = CapturedOutput()
      let status = try output.run(["fold", "--expect", file] + paths)
      #expect(status == .done && output.text == "")
      // The files' order counts.
      let reversed = try CapturedOutput().run(["fold", "--expect", file] + paths.reversed())
      #expect(reversed == .failed)
    }
  }

  /// Once, a flicker after an hour was printed as `1:01:40.532`, and --at took that for a time of day.
  @Test(
    "explain --at takes the time that compare prints, after seconds, minutes, hours and days",
    arguments: [0, 75, 3700, 180_000])
  func comparedTime(pause: Int64) throws {
    let lines = [(0, 0), (1, 5), (200, 40), (350, 10)].map { milliseconds, y in
      let time = 1_000_000 + (y == 0 ? 0 : pause * 1_000_000) + Int64(milliseconds) * 1000
      return #"{"kind":"scroll","time":\#(time),"x":0,"y":\#(y)}"# + "\n"
    }
    try withFile(lines.joined()) { file in
      let compared = CapturedOutput()
      _ = try compared.run(["compare", "--policy", "safari", file])
      let row = try #require(compared.lines.first { $0.hasPrefix("safari  ") && $0.contains(":4 ") })
      let time = try #require(row.firstRange(of: "+").map { row[$0.lowerBound...].split(separator: "  ")[0] })
      for text in [String(time), String(time.dropFirst())] where pause != 3700 || text.hasPrefix("+") {
        let (byTime, byLine) = (CapturedOutput(), CapturedOutput())
        _ = try byTime.run(["explain", file, "--at", text])
        _ = try byLine.run(["explain", file, "--at", "4"])
        #expect(byTime.text == byLine.text, "\(text)")
        #expect(byTime.text.contains("Line 4, a scroll at \(time), showed it"))
      }
    }
  }

  @Test(
    "timeline takes the times of its own axis, and those that compare prints",
    arguments: ["0:01", "+1.000 s", "+0:01.000", "1"])
  func timelineAxis(from: String) throws {
    let (captured, expected) = (CapturedOutput(), CapturedOutput())
    #expect(try captured.run(["timeline", "--from", from, "--to", "0:02", path("article-read")]) == .done)
    #expect(try expected.run(["timeline", "--from", "1s", "--to", "2s", path("article-read")]) == .done)
    #expect(captured.text == expected.text)
  }

  @Test("timeline refuses a part that the session does not have")
  func timelinePart() throws {
    #expect(throws: Failure.self) { try CapturedOutput().run(["timeline", "--from", "1h", path("article-read")]) }
    #expect(throws: UsageError.self) {
      try CapturedOutput().run(["timeline", "--from", "3s", "--to", "2s", path("article-read")])
    }
    #expect(throws: UsageError.self) { try CapturedOutput().run(["timeline", "--from", "soon", path("article-read")]) }
    #expect(try CapturedOutput().run(["timeline", "--from", "1s", "--to", "2s", path("article-read")]) == .done)
  }

  @Test("policies says what each parameter of each rule means")
  func meanings() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["policies"]) == .done)
    #expect(captured.text.contains("    hideDistance         how far the user scrolls down before the toolbar hides\n"))
    #expect(captured.text.contains("Parameters of the rule classic\n"))
  }

  @Test("A line in ASCII has substitutes for what ASCII lacks")
  func ascii() throws {
    let captured = CapturedOutput()
    captured.output.isASCII = true
    try captured.output.line("● a — “b” ≤ c … é")
    try captured.output.flush()
    #expect(captured.text == "* a -- \"b\" <= c ... ?\n")
  }
}
