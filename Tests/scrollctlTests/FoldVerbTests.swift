import Foundation
import Platform
import ScrollService
import ScrollTesting
import Testing

@testable import scrollctl

@Suite("fold")
struct FoldVerbTests {
  private static let expectations: [Fixtures.Expectation] = ["cases", "recordings"].flatMap { folder in
    (try? Fixtures.expectations(in: folder)) ?? []
  }

  private func path(_ name: String, in folder: String) -> String {
    Fixtures.root.appendingPathComponent("\(folder)/\(name).ndjson").path
  }

  @Test("The fixtures exist")
  func found() {
    #expect(Self.expectations.count > 60)
  }

  @Test("fold --json prints the expected transitions", arguments: expectations)
  func json(expectation: Fixtures.Expectation) throws {
    var arguments = ["--json", "fold", path(expectation.name, in: expectation.folder)]
    switch expectation.policy {
    case "arrival": arguments += ["--policy", "safari", "--set", "revealAtBottom=arrival"]
    case "set":
      let parameter = try #require(Fixtures.setParameters[expectation.name])
      arguments += ["--policy", "safari", "--set", "\(parameter.name)=\(parameter.value)"]
    default: arguments += ["--policy", expectation.policy]
    }
    let captured = CapturedOutput()
    #expect(try captured.run(arguments) == .done)
    let folded = try captured.lines.map { line in
      var transition = ExpectedTransition(try JSONLine(line))
      // Further members are not checked here.
      transition.unknownFields = []
      return transition
    }
    #expect(try folded == Fixtures.transitions(of: expectation))
  }

  @Test("With several files, the objects of fold --json name theirs")
  func severalFiles() throws {
    let paths = ["article-to-bottom", "pager"].map { path($0, in: "recordings") }
    let captured = CapturedOutput()
    #expect(try captured.run(["--json", "fold"] + paths) == .done)
    let files = try captured.lines.map { try JSONLine($0).text("file") }
    #expect(Set(files) == Set(paths) && files.first == paths[0])
    let one = CapturedOutput()
    #expect(try one.run(["--json", "fold", paths[0]]) == .done)
    #expect(try one.lines.allSatisfy { try JSONLine($0).text("file") == nil })
  }

  @Test("fold prints line, time, change and reason")
  func lines() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["fold", path("article-to-bottom", in: "recordings")]) == .done)
    #expect(
      captured.lines[1] == "     4     +0.066 s  toolbar hidden, trigger scrollDown  — travelDown 36 ≥ hideDistance 10")
    #expect(captured.lines.count == 12)
  }

  @Test("On a narrow terminal, each reason is whole, below what it explains", arguments: [44, 60, 80])
  func narrow(columns: Int) throws {
    var style = Style()
    style.columns = columns
    let (wide, narrow) = (CapturedOutput(), CapturedOutput())
    let file = path("article-to-bottom", in: "recordings")
    #expect(try wide.run(["fold", file]) == .done)
    #expect(try narrow.run(["fold", file], style: style) == .done)
    for line in narrow.lines { #expect(String(line).columnWidth <= columns) }
    let reasons = wide.lines.compactMap { line in line.firstIndex(of: "—").map { line[$0...] } }
    #expect(reasons.count == 5)
    for reason in reasons { #expect(narrow.text.contains("\(reason)\n")) }
    #expect(narrow.lines.count > wide.lines.count)
  }

  @Test("explain and policies break their lines on a narrow terminal, and lose nothing", arguments: [44, 60, 80])
  func broken(columns: Int) throws {
    var style = Style()
    style.columns = columns
    for arguments in [["explain", path("article-to-bottom", in: "recordings"), "--at", "100"], ["policies"]] {
      let (wide, narrow) = (CapturedOutput(), CapturedOutput())
      #expect(try wide.run(arguments) == .done)
      #expect(try narrow.run(arguments, style: style) == .done)
      for line in narrow.lines { #expect(String(line).columnWidth <= columns, "\(line)") }
      let words = { (text: String) in text.split { $0 == " " || $0 == "\n" } }
      #expect(words(narrow.text) == words(wide.text))
    }
  }

  @Test("fold reports a bad line by file, line and field, after the lines before it")
  func badLine() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).ndjson")
    defer { try? FileManager.default.removeItem(at: file) }
    try #"{"kind":"open","time":1,"client":"a"}\#n{"kind":"scroll","time":2,"x":0}\#n"#
      .write(to: file, atomically: true, encoding: .utf8)
    #expect(throws: Failure("\(file.path):2: y is missing: a scroll needs it")) {
      try CapturedOutput().run(["fold", file.path])
    }
  }

  @Test("A recording that is given twice is folded once")
  func twice() throws {
    let file = path("article-to-bottom", in: "recordings")
    let (once, twice) = (CapturedOutput(), CapturedOutput())
    #expect(try once.run(["fold", file]) == .done)
    #expect(try twice.run(["fold", file, file]) == .done)
    #expect(once.text == twice.text)
  }

  @Test("fold names a missing file")
  func noFile() {
    #expect(throws: SystemError("open", "/nowhere.ndjson", .noSuchFile)) {
      try CapturedOutput().run(["fold", "/nowhere.ndjson"])
    }
  }

  @Test(
    "A file without events is an error for each verb that reads a recording",
    arguments: ["fold", "explain", "timeline"])
  func noEvents(verb: String) {
    #expect(throws: Failure("/dev/null has no events")) { try CapturedOutput().run([verb, "/dev/null"]) }
  }
}
