import ScrollLog
import ScrollModel
import ScrollTesting
import Testing

@testable import scrollctl

@Suite("convert")
final class ConvertVerbTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory(prefix: "scrollctl-test-") }

  deinit { folder.remove() }

  private func file(_ name: String, _ text: String) throws -> String { try file(name, Array(text.utf8)) }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder.path + "/" + name
    let file = try POSIXFileSystem().create(path)
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    return path
  }

  /// Converts a file, and returns the lines.
  private func convert(_ name: String, _ text: String, _ arguments: String...) throws -> [String] {
    let captured = CapturedOutput()
    #expect(try captured.run(["convert"] + arguments + [try file(name, text)]) == .done)
    return captured.lines.map(String.init)
  }

  /// Runs a conversion that fails, and returns the failure's message without the file's directory.
  private func failure(_ name: String, _ text: String, _ arguments: String...) throws -> String? {
    do {
      _ = try CapturedOutput().run(["convert"] + arguments + [try file(name, text)])
    } catch let failure as Failure {
      return failure.message.split(separator: folder.path + "/").joined()
    }
    return nil
  }

  private static let first = 1_790_000_000_000

  @Test("An empty file and a finished recording are called what they are")
  func nothingToConvert() throws {
    #expect(try failure("empty.csv", " \n") == "empty.csv is empty: it has nothing to convert")
    let recording = #"""
      {"kind":"open","time":1700000000000000,"client":"a"}
      {"kind":"scroll","time":1700000000000001,"x":0,"y":0}

      """#
    #expect(try failure("a.ndjson", recording) == "a.ndjson is a recording already: there is nothing to convert")
  }

  @Test("A text in another encoding is refused, since names that differ would become the same")
  func otherEncodings() throws {
    let latin = Array("time,y,client\n1,2,a\n3,4,J".utf8) + [0xFC] + Array("rgen\n".utf8)
    let path = try file("latin.csv", latin)
    #expect(
      throws: Failure(
        "\(path):3: the line is not UTF-8",
        hint: "If it is WINDOWS-1252:  iconv -f WINDOWS-1252 -t UTF-8 \(path) | scrollctl convert -")
    ) { try CapturedOutput().run(["convert", path]) }
    let wide: [UInt8] = [0xFF, 0xFE] + Array("time,y\n1,2\n".utf8).flatMap { [$0, 0] }
    let second = try file("wide.csv", wide)
    #expect(
      throws: Failure(
        "\(second) is UTF-16, not UTF-8",
        hint: "If it is UTF-16:  iconv -f UTF-16 -t UTF-8 \(second) | scrollctl convert -")
    ) { try CapturedOutput().run(["convert", second]) }
  }

  @Test("Numbers that would be less than a millisecond apart need a unit")
  func improbableUnit() throws {
    let text = "time,y\n0.0,0\n0.1,10\n0.2,20\n0.3,30\n5.2,40\n"
    let message =
      "most samples would be less than 1 ms apart if the times were milliseconds: choose their unit with --time-unit"
    #expect(try failure("relative.csv", text) == "relative.csv: \(message)")
    #expect(try convert("seconds.csv", text, "--time-unit", "s").last == #"{"kind":"close","time":5200000}"#)
    #expect(try convert("milliseconds.csv", text, "--time-unit", "ms").last == #"{"kind":"close","time":5200}"#)
  }

  @Test("--gap ends sessions where nothing is reported for longer")
  func gaps() throws {
    let text = "time,y,participant\n0,0,a\n10,5,b\n1000,10,a\n2001,20,a\n2010,30,b\n"
    func opens(_ arguments: String...) throws -> [String] {
      let captured = CapturedOutput()
      #expect(
        try captured.run(
          ["convert"] + arguments + [try file("visits\(arguments.count)\(arguments.last ?? "").csv", text)]) == .done)
      return captured.lines.map(String.init).filter { $0.hasPrefix(#"{"kind":"open""#) }
    }
    let (first, second) = (#"{"kind":"open","time":0,"client":"a"}"#, #"{"kind":"open","time":10000,"client":"b"}"#)
    #expect(try opens() == [first, second])
    let third = #"{"kind":"open","time":2001000,"client":"a"}"#
    let fourth = #"{"kind":"open","time":2010000,"client":"b"}"#
    #expect(try opens("--gap", "1s") == [first, second, third, fourth])
    #expect(try opens("--gap", "1001ms") == [first, second, fourth])
    #expect(throws: UsageError.self) { try opens("--gap", "0") }
  }

  @Test("The window's height of a recording of rrweb counts, whatever the option says")
  func rrwebHeight() throws {
    let text = "[" + Self.rrweb.joined(separator: ",") + "]"
    let lines = try convert("own.json", text, "--content-height", "5000", "--frame-height", "10")
    #expect(
      lines.contains { $0.contains(#""frameHeight":600"#) } && !lines.contains { $0.contains(#""frameHeight":10,"#) })
  }

  @Test("--start refuses times that do not count from it, which would lie in another century")
  func absoluteTimesWithStart() throws {
    for (name, row) in [("number.csv", "\(Self.first),0"), ("date.csv", "2026-11-30T09:15:02Z,0")] {
      #expect(
        try CapturedOutput().run(["convert", "--start", "2026-11-30", file(name, "time,y\n\(row)\n")]) == .failed)
    }
    let scale = TimeScale(start: 1_796_000_000_000_000)
    #expect(try scale.microseconds(.number(1500)) == 1_796_000_001_500_000)
    let problem = try thrown(EventProblem.self) { try scale.microseconds(.number(Double(Self.first))) }
    #expect(problem.reason.contains("--start is for times that count from the moment it names"))
  }

  @Test("A time and a y for each line are enough; pauses end the scrolling")
  func minimal() throws {
    let lines = try convert(
      "page.csv", "time,y\n1000,0\n1016.5,40\n1033,40\n2000,0\n", "--content-height", "900", "--frame-height", "300")
    #expect(
      lines == [
        #"{"kind":"open","time":1000000,"client":"page"}"#,
        #"{"kind":"layout","time":1000000,"contentHeight":900,"frameHeight":300}"#,
        #"{"kind":"scroll","time":1000000,"x":0,"y":0}"#,
        #"{"kind":"scroll","time":1016500,"x":0,"y":40}"#,
        #"{"kind":"scrollEnd","time":1016500,"x":0,"y":40}"#,
        #"{"kind":"scroll","time":2000000,"x":0,"y":0}"#,
        #"{"kind":"scrollEnd","time":2000000,"x":0,"y":0}"#,
        #"{"kind":"close","time":2000000}"#,
      ])
    let unended = try convert("unended.csv", "time,y\n1000,0\n2000,5\n", "--pause", "0")
    #expect(!unended.contains { $0.contains("scrollEnd") })
    // What it writes is a recording.
    #expect(try LoadedSession.load(file: file("made.ndjson", lines.joined(separator: "\n"))).map(\.events.count) == [6])
  }

  @Test("CSV may have quotes, a byte order mark, CRLF, semicolons, and columns by number")
  func csv() throws {
    let expected = [
      #"{"kind":"open","time":5000,"client":"c"}"#, #"{"kind":"scroll","time":5000,"x":0,"y":-1.5}"#,
      #"{"kind":"scrollEnd","time":5000,"x":0,"y":-1.5}"#, #"{"kind":"close","time":5000}"#,
    ]
    let texts = [
      "\u{FEFF}time,y\r\n5,-1.5\r\n", "note;time;y\n\"a;\"\"b\"\"\nc\";5;-1.5\n",
      "\"time\",\"note, long\",\"y\"\r5,x,-1.5\r",
      "y,timestamp\n-1.5,5", "\n\ntime,y\n\n5,-1.5\n\n",
    ]
    for (index, text) in texts.enumerated() {
      #expect(try convert("\(index).csv", text, "--client", "c") == expected, "\(text)")
    }
    #expect(try convert("numbers", "-1.5,5\n", "--from", "csv", "--columns", "time=2,y=1", "--client", "c") == expected)
    #expect(try convert("names", "ms\tpos\n5\t-1.5\n", "--columns", "time=ms,y=pos", "--client", "c") == expected)
  }

  @Test(
    "Decimal commas are read where nothing else separates fields by commas",
    arguments: [
      "time;y\n5;-1,5\n", "time\ty\n5,0\t-1,5\n", "time;y\n\"5,000\";-1,500\n", "5,0;-1,5\n",
      "time\ty\n0005\t-01,500\n",
    ])
  func decimalCommas(text: String) throws {
    let columns = text.hasPrefix("5") ? ["--columns", "time=1,y=2"] : []
    let captured = CapturedOutput()
    let path = try file("comma.csv", text)
    #expect(try captured.run(["convert", "--client", "c"] + columns + [path]) == .done)
    #expect(
      captured.lines.prefix(2) == [
        #"{"kind":"open","time":5000,"client":"c"}"#, #"{"kind":"scroll","time":5000,"x":0,"y":-1.5}"#,
      ])
  }

  @Test("Points are before decimals where no number has a decimal comma, and dates may have points in any table")
  func points() throws {
    for (index, (text, y)) in [
      ("time;y\n5;3.9\n", "3.9"), ("time\ty\n5\t3.9\n", "3.9"), ("time;y\n1970-01-01T00:00:00.005Z;3,9\n", "3.9"),
    ].enumerated() {
      let captured = CapturedOutput()
      let path = try file("\(index).csv", text)
      #expect(try captured.run(["convert", "--client", "c", path]) == .done)
      #expect(captured.lines[1] == #"{"kind":"scroll","time":5000,"x":0,"y":\#(y)}"#)
    }
  }

  @Test("convert takes several files, and a bad one does not hide the others")
  func severalFiles() throws {
    let paths = try ["a", "b"].map { try file("\($0).csv", "time,y\n5,1\n") }
    let bad = try file("bad.csv", "time,y\n5,x\n")
    let captured = CapturedOutput()
    #expect(try captured.run(["convert"] + paths) == .done)
    let clients = captured.lines.filter { $0.contains("open") }
    #expect(
      clients == [#"{"kind":"open","time":5000,"client":"a"}"#, #"{"kind":"open","time":5000,"client":"b"}"#])
    let others = CapturedOutput()
    #expect(try others.run(["convert", paths[0], bad, "/nowhere.csv", paths[1]]) == .failed)
    #expect(others.text == captured.text)
  }

  @Test("Commas that may be something else than decimal points are refused, and the message says what to write")
  func otherCommas() throws {
    let hint = ", with a point before its decimals and nothing between its thousands, such as 1234.5"
    // Once, 3.900 became 3.9, also between numbers with decimal commas.
    let comma =
      ", with a comma before its decimals, as this file has elsewhere, and nothing between its thousands, such as 1234,5"
    for (text, reason) in [
      ("time,y\n5,\"1,5\"\n", "y is “1,5”: it must be a number\(hint)"),
      ("time\ty\n5\t1,234\n", "y is “1,234”: it must be a number\(hint)"),
      ("time;y\n5;1.234,5\n", "y is “1.234,5”: it must be a number\(hint)"),
      ("time;y\n5;1,234,567\n", "y is “1,234,567”: it must be a number\(hint)"),
      (
        "time\ty\n1,234\t5\n",
        "time is “1,234”: it must be a number\(hint), or a date and time such as 2026-11-30T09:15:02.125Z"
      ),
      ("time;y\n5;3.900\n6;12,5\n", "y is “3.900”: it must be a number\(comma)"),
      ("time\ty\n5\t3.900\n6\t0,5\n", "y is “3.900”: it must be a number\(comma)"),
      ("time;y\n5;3.900\n6,5;1\n", "y is “3.900”: it must be a number\(comma)"),
      (
        "time,y\n5,1,5\n",
        "the line has 3 fields, and the first line 2: put a field that has a separator in quotes, and a point before decimals"
      ),
    ] {
      let format = text.contains("\t") ? SourceFormat.tsv : .csv
      let conversion = Conversion(Conversion.Settings(file: "f", client: "c"))
      _ = try TableSource(file: "f", choices: []).convert(Array(text.utf8), format, into: conversion)
      #expect(conversion.badLines == [.init(line: 2, reason: reason)])
    }
  }

  @Test("Bad lines are named, and nothing is converted without --skip-bad")
  func badLines() throws {
    let text = "time,y\n1,1\nx,2\n3\n4,\"a\nb\"\n6,5\n"
    let path = try file("bad.csv", text)
    let captured = CapturedOutput()
    #expect(try captured.run(["convert", path]) == .failed)
    #expect(captured.text == "")
    let conversion = Conversion(Conversion.Settings(file: path, client: "c"))
    _ = try TableSource(file: path, choices: []).convert(Array(text.utf8), .csv, into: conversion)
    #expect(
      conversion.badLines == [
        .init(
          line: 3, reason: "time is “x”: it must be a number, or a date and time such as 2026-11-30T09:15:02.125Z"),
        .init(line: 4, reason: "the line has 1 field: it must have at least 2"),
        .init(line: 5, reason: "y is “a\nb”: it must be a number"),
      ])
    #expect(try captured.run(["convert", "--skip-bad", path]) == .done)
    #expect(captured.lines.count == 5)
    #expect(try failure("open.csv", "time,y\n1,\"2") == nil)
    #expect(try failure("empty.csv", "", "--from", "csv") == "empty.csv is empty: it has nothing to convert")
    #expect(
      try failure("other.csv", "when,y\n1,2\n") == "other.csv: no column for time; the first line has “when”, “y”")
    #expect(
      try failure("names.csv", "a,b\n1,2\n", "--columns", "time=c,y=b")
        == "names.csv: no column is called “c”; the first line has “a”, “b”")
  }

  @Test(
    "Times have a unit, or are dates",
    arguments: [
      ("1790000000.25", ["--time-unit", "s"]), ("1790000000250", []), ("1790000000250000", ["--time-unit", "us"]),
      ("2026-09-21T14:13:20.25Z", []), ("\"2026-09-21 14:13:20,250\"", []), ("2026-09-21 16:13:20.250+02:00", []),
      ("2026-09-21T11:43:20.250-02:30", []), ("2026-09-22T00:13:20.25+1000", []), ("2026-09-20T16:13:20.25-2200", []),
      ("250", ["--start", "@1790000000"]),
    ])
  func times(text: String, arguments: [String]) throws {
    let captured = CapturedOutput()
    let path = try file("t.csv", "time,y\n\(text),1\n")
    #expect(try captured.run(["convert"] + arguments + [path]) == .done)
    #expect(captured.lines.first?.hasPrefix(#"{"kind":"open","time":1790000000250000,"#) == true, "\(captured.text)")
  }

  @Test(
    "A time that looks like another unit is not taken for milliseconds", arguments: ["1790000000", "1790000000250000"])
  func guesses(time: String) throws {
    let path = try file("t.csv", "time,y\n\(time),1\n")
    #expect(try CapturedOutput().run(["convert", path]) == .failed)
    #expect(
      try CapturedOutput().run(["convert", "--time-unit", "ms", path]) == (time.utf8.count > 12 ? .failed : .done))
  }

  @Test("Rows of different clients, titles or sessions are different sessions, also when they alternate")
  func sessions() throws {
    let lines = try convert("log.csv", "time,y,session,title\n1,1,a,T\n2,2,b,\n3,3,a,T\n")
    #expect(
      lines.filter { $0.contains("open") } == [
        #"{"kind":"open","time":1000,"client":"log/a","title":"T"}"#, #"{"kind":"open","time":2000,"client":"log/b"}"#,
      ])
    #expect(lines.count == 9)
  }

  @Test("Lines with a kind are that event, with the fields that it has")
  func kinds() throws {
    let lines = try convert(
      "k.csv", "time,kind,y,translationY,contentHeight\n1,layout,,,900\n2,dragBegin,0,0,900\n3,scroll,5,-5,900\n")
    #expect(
      lines.dropFirst().dropLast() == [
        #"{"kind":"layout","time":1000,"contentHeight":900}"#, #"{"kind":"dragBegin","time":2000,"x":0,"y":0}"#,
        #"{"kind":"scroll","time":3000,"x":0,"y":5,"translationY":-5}"#,
      ])
  }

  @Test("JSON lines have names, also of members in members")
  func jsonLines() throws {
    let text = #"{"ts":1,"data":{"top":5}}"# + "\n" + #"{"ts":"2","data":{"top":"6"}}"# + "\n"
    let lines = try convert("j.jsonl", text, "--columns", "y=data.top")
    let conversion = Conversion(Conversion.Settings(file: "j", client: "c"))
    let named = JSONLinesSource(file: "j", choices: [])
      .convert(Array(#"{"time":1,"scrollTop":2,"page":3,"data":4}"#.utf8), into: conversion)
    #expect(named.ignored == ["page", "data"] && named.recognized == ["y from “scrollTop”"])
    #expect(lines[1] == #"{"kind":"scroll","time":1000,"x":0,"y":5}"#)
    #expect(lines[2] == #"{"kind":"scroll","time":2000,"x":0,"y":6}"#)
  }

  private static let rrweb = [
    #"{"type":4,"data":{"href":"https://a.example/p#one","width":800,"height":600},"timestamp":\#(first)}"#,
    #"{"type":2,"data":{"node":{"id":9,"childNodes":["#
      + String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
      + #",{"t":"\"}]\\"}]},"initialOffset":{"left":0,"top":20}},"timestamp":\#(first + 1)}"#,
    #"{"type":3,"data":{"source":3,"id":9,"x":0,"y":50},"timestamp":\#(first + 100)}"#,
    #"{"type":3,"data":{"source":1,"positions":[{"x":1,"y":2}]},"timestamp":\#(first + 150)}"#,
    #"{"type":3,"data":{"source":4,"width":600,"height":800},"timestamp":\#(first + 200)}"#,
    #"{"type":3,"data":{"source":3,"id":45,"x":0,"y":7},"timestamp":\#(first + 300)}"#,
    #"{"type":4,"data":{"href":"https://a.example/p#two","width":600,"height":800},"timestamp":\#(first + 400)}"#,
    #"{"type":4,"data":{"href":"https://a.example/q","width":600,"height":800},"timestamp":\#(first + 500)}"#,
    #"{"type":3,"data":{"source":3,"id":9,"x":0,"y":1},"timestamp":\#(first + 600)}"#,
  ]

  @Test("A recording of rrweb has offsets, the window's size, and a session for each page")
  func rrweb() throws {
    let array = "[" + Self.rrweb.joined(separator: ",\n ") + "]"
    let lines = try convert("r.json", array, "--content-height", "5000")
    let time = "179000000000"
    #expect(
      lines == [
        #"{"kind":"open","time":\#(time)1000,"client":"r","title":"https://a.example/p#one"}"#,
        #"{"kind":"layout","time":\#(time)1000,"x":0,"y":20,"contentHeight":5000,"frameWidth":800,"frameHeight":600}"#,
        #"{"kind":"scroll","time":\#(Self.first + 100)000,"x":0,"y":50}"#,
        #"{"kind":"layout","time":\#(Self.first + 200)000,"frameWidth":600,"frameHeight":800}"#,
        #"{"kind":"scrollEnd","time":\#(Self.first + 200)000,"x":0,"y":50}"#,
        #"{"kind":"close","time":\#(Self.first + 200)000}"#,
        #"{"kind":"open","time":\#(Self.first + 600)000,"client":"r","title":"https://a.example/q"}"#,
        #"{"kind":"layout","time":\#(Self.first + 600)000,"contentHeight":5000,"frameWidth":600,"frameHeight":800}"#,
        #"{"kind":"scroll","time":\#(Self.first + 600)000,"x":0,"y":1}"#,
        #"{"kind":"scrollEnd","time":\#(Self.first + 600)000,"x":0,"y":1}"#,
        #"{"kind":"close","time":\#(Self.first + 600)000}"#,
      ])
    let spaced = array.replacing("\":", with: "\" :\n ").replacing(",\"", with: " , \"")
    for (name, text) in [
      ("spaced", spaced), ("lines", Self.rrweb.joined(separator: "\n")), ("object", #"{"v":[1],"events":\#(array)}"#),
    ] {
      #expect(try convert(name, text, "--from", "rrweb", "--client", "r", "--content-height", "5000") == lines)
    }
  }

  @Test("Another part of a page is the same page, and another address is another one, also on the way back")
  func rrwebPages() throws {
    let addresses = ["p#one", "p#two", "p", "q", "p", "p#one"]
    let events = addresses.enumerated().flatMap { index, address in
      let time = Self.first + 10 * index
      return [
        #"{"type":4,"data":{"href":"https://a.example/\#(address)","width":800,"height":600},"timestamp":\#(time)}"#,
        #"{"type":3,"data":{"source":3,"id":1,"x":0,"y":\#(index + 1)},"timestamp":\#(time + 1)}"#,
      ]
    }
    let lines = try convert("pages.json", "[" + events.joined(separator: ",") + "]", "--content-height", "5000")
    let titles = lines.filter { $0.contains(#""kind":"open""#) }.map { $0.split(separator: #""title":""#).last }
    #expect(titles == [#"https://a.example/p#one"}"#, #"https://a.example/q"}"#, #"https://a.example/p"}"#])
    #expect(lines.count { $0.contains(#""kind":"scroll","#) } == addresses.count)
  }

  @Test("A visit without scrolling is converted, with the place where the document was")
  func rrwebWithoutScrolls() throws {
    let text = "[" + Self.rrweb[...1].joined(separator: ",") + "]"
    let layout =
      #"{"kind":"layout","time":\#(Self.first + 1)000,"x":0,"y":20,"contentHeight":5000,"frameWidth":800,"frameHeight":600}"#
    let lines = try convert("quiet.json", text, "--content-height", "5000")
    #expect(lines.count == 3 && lines[1] == layout, "\(lines)")
    // Without a snapshot, nobody knows where it was.
    #expect(
      try failure("blind.json", "[" + Self.rrweb[0] + "]", "--from", "rrweb")
        == "blind.json: no scroll events: the document (node 1) did not scroll")
  }

  @Test(
    "A line with more fields than the first one is refused, since its fields may be shifted",
    arguments: [
      ("time,y\n1,9,5\n2,2\n", false), ("time,y\n1,2\n2,3\n", true),
      // Spreadsheets write empty fields at the end.
      ("time,y\n1,2,,\n2,3\n", true), ("1,2\n2,3,4\n", false), ("1,2\n2,3\n", true),
    ] as [(String, Bool)])
  func shiftedFields(text: String, isConverted: Bool) throws {
    let path = try file("t.csv", text)
    let arguments = ["convert", "--from", "csv", "--columns", "time=1,y=2", path]
    #expect(try CapturedOutput().run(arguments) == (isConverted ? .done : .failed))
  }

  @Test("--id chooses a pane, and an error names the nodes that scrolled")
  func panes() throws {
    let text = "[" + Self.rrweb.joined(separator: ",") + "]"
    let lines = try convert("p.json", text, "--id", "45", "--frame-height", "300")
    #expect(
      lines.dropFirst().prefix(2) == [
        #"{"kind":"layout","time":\#(Self.first + 1)000,"frameHeight":300}"#,
        #"{"kind":"scroll","time":\#(Self.first + 300)000,"x":0,"y":7}"#,
      ])
    #expect(
      throws: Failure(
        "\(folder.path)/p.json: the node 46 did not scroll",
        hint: "These nodes did: 9 (2 times), 45 (once). Choose one with --id.")
    ) { try CapturedOutput().run(["convert", "--id", "46", folder.path + "/p.json"]) }
    #expect(
      try failure("cut.json", String(text.dropLast(30)), "--from", "rrweb")?.hasPrefix("cut.json:1: byte ") == true)
  }

  @Test("Every cut of a recording of rrweb is an error with its place", .timeLimit(.minutes(1)))
  func cuts() throws {
    let text = Array(("[" + Self.rrweb.joined(separator: ",") + "]").utf8)
    for length in stride(from: 1, to: text.count - 1, by: 7) {
      let conversion = Conversion(Conversion.Settings(file: "f", client: "c"))
      var source = RRWebSource(conversion, node: nil)
      #expect(throws: Failure.self) { try source.convert(Array(text[..<length])) }
    }
  }

  @Test(
    "A file that is no recording gets an error that says what one looks like, and how to convert it",
    arguments: [
      ("time,y\n1,2\n", "csv"), ("time\ty\n1\t2\n", "tsv"), ("{\"t\":1,\"y\":2}\n", "json-lines"),
      ("[{\"type\":4,\"data\":{},\"timestamp\":1}]", "rrweb"),
      ("[{\"type\":4,\"data\":{},\"timestamp\":1}," + String(repeating: "[],", count: 400_000) + "[]]", "rrweb"),
      ("Dear reader", nil), ("\u{1}\u{2}", nil),
    ] as [(String, String?)])
  func noRecording(text: String, format: String?) throws {
    let path = try file("f", text)
    for verb in ["fold", "check", "explain"] {
      do {
        _ = try CapturedOutput().run([verb, "\(path)"])
        if verb != "check" { Issue.record("\(verb) read it") }
      } catch let failure as Failure {
        let hint = try #require(failure.hint)
        #expect(hint.hasPrefix("A recording has one JSON object per line"))
        #expect(hint.contains("convert --from \(format ?? "")") == (format != nil))
      }
    }
  }

  @Test("A database of SQLite and the flat form of an export are called what they are")
  func exports() throws {
    let database = try file("log.db", "SQLite format 3\0\u{10}\0\u{1}\u{1}")
    let flat = try file(
      "flat.ndjson",
      #"{"kind":"open","time":1,"client":"a"}\#n{"kind":"scroll","time":2,"x":0,"y":1,"client":"a","session":"s"}\#n"#)
    let notSQLite =
      "This is a database of SQLite. If it is from “export --sqlite”, export the sessions without --sqlite."
    #expect(try thrown(Failure.self) { try CapturedOutput().run(["fold", "\(database)"]) }.hint == notSQLite)
    for verb in [["fold"], ["convert"], ["convert", "--time-unit", "us"]] {
      let failure = try thrown(Failure.self) { try CapturedOutput().run(verb + ["\(flat)"]) }
      #expect(failure.hint?.hasPrefix("This looks like an “export --flat”") == true, "\(verb)")
      #expect(failure.message.hasSuffix("flat.ndjson:2: client is not a field of an event"))
    }
  }

  @Test("Commas that could all separate thousands are taken for decimal ones, and an example says so")
  func doubtfulCommas() throws {
    func note(_ numbers: String...) throws -> String? {
      let text = "time;y\n" + numbers.enumerated().map { "\(Self.first + $0);\($1)\n" }.joined()
      let conversion = Conversion(Conversion.Settings(file: "f", client: "c"))
      return try TableSource(file: "f", choices: []).convert(Array(text.utf8), .csv, into: conversion).commas
    }
    let plain = "takes the comma in numbers for the decimal point"
    #expect(try note("1,250", "12,500")?.hasPrefix("\(plain): “1,250” is 1.25; all others have three digits") == true)
    #expect(try note("1,250", "2,5") == plain)
    #expect(try note("2,5", "1,250") == plain)
    #expect(try note("1", "2") == nil)
  }

  @Test("Bad lines with the same reason are one kind")
  func kindsOfBadLines() {
    let conversion = Conversion(Conversion.Settings(file: "f", client: "c"))
    for line in 2..<30 { conversion.refuse(line: line, "time is \(1_790_000_000 + line): no") }
    conversion.refuse(line: 30, "y is “a”: no")
    let kinds = conversion.kindsOfBadLines
    #expect(kinds.map(\.first.line) == [2, 30] && kinds.map(\.others) == [27, 0])
  }

  @Test("Columns that are left out, and heights that nothing has, are named")
  func leftOut() throws {
    let text = "person,time,y,page,scrollHeight\nada,\(Self.first),0,one,4000\nada,\(Self.first + 10),5,one,4000\n"
    let conversion = Conversion(Conversion.Settings(file: "f", client: "c"))
    let columns = try TableSource(file: "f", choices: []).convert(Array(text.utf8), .csv, into: conversion)
    #expect(columns.ignored == ["person", "page"])
    #expect(columns.recognized == ["contentHeight from “scrollHeight”"])
    #expect(
      conversion.missingHeights
        == "has no frameHeight, without which no bottom is ever reached and “reading” has no reach: choose "
        + "the column with --columns, or give --frame-height")
    var settings = Conversion.Settings(file: "f", client: "c")
    settings.sizes = [.frameHeight: 500]
    let sized = Conversion(settings)
    _ = try TableSource(file: "f", choices: []).convert(Array(text.utf8), .csv, into: sized)
    #expect(sized.missingHeights == nil)
  }

  @Test("Samples that are far apart are reported")
  func warnings() throws {
    for (step, warns) in [(16_000, false), (100_000, true)] as [(Int64, Bool)] {
      let conversion = Conversion(Conversion.Settings(file: "f", client: "c", pause: 200_000))
      let session = try conversion.begin(conversion.identity)
      for index in 0..<20 as Range<Int64> { try session.sample(x: 0, y: Double(index), at: index * step) }
      #expect(conversion.warnings.contains { $0.contains("ms apart") } == warns)
    }
  }

  @Test("Times in whole seconds are reported if several samples have the same one")
  func wholeSeconds() throws {
    for (step, warns) in [(250_000, false), (1_000_000, false), (0, true)] as [(Int64, Bool)] {
      let conversion = Conversion(Conversion.Settings(file: "f", client: "c", pause: 200_000))
      let session = try conversion.begin(conversion.identity)
      for index in 0..<20 as Range<Int64> { try session.sample(x: 0, y: Double(index), at: 5_000_000 + index * step) }
      #expect(conversion.warnings.contains { $0.contains("whole seconds") } == warns, "\(step)")
    }
  }

  @Test("A text without an event of rrweb is none of its recordings", arguments: ["hello", "[]", "[1,2]", #"{"a":1}"#])
  func noRRWeb(text: String) throws {
    var failure: Failure?
    do {
      _ = try convert("none.json", text, "--from", "rrweb")
    } catch let error as Failure {
      failure = error
    }
    #expect(failure?.message.contains("has no event of rrweb") == true || failure?.message.contains("byte 1: ") == true)
  }
}
