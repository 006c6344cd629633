import Platform
import ScrollModel
import Testing

@testable import scrollctl

@Suite("Output")
struct OutputTests {
  @Test("Control characters in text from outside are escaped")
  func escaped() {
    #expect(visible("reader/main “é” 漢") == "reader/main “é” 漢")
    #expect(visible("a\u{1B}[2Jb\n\u{7F}\u{9B}") == "a\\u{1B}[2Jb\\u{A}\\u{7F}\\u{9B}")
    #expect(visible(" \u{3000}") == "\\u{20}\\u{3000}")
    #expect(visible(" a ") == " a ")
    #expect(visible("").isEmpty)
    #expect(visible("\u{202E}evil\u{2028}") == "\\u{202E}evil\\u{2028}")
  }

  @Test("A line never passes on what could control a terminal, except for the colors of its own")
  func lines() throws {
    let captured = CapturedOutput()
    try captured.output.line("a\u{1B}[1mb\u{1B}[0m\u{1B}[2J\u{9B}31m\u{202E}\nc\u{1B}")
    try captured.output.line("\u{1B}]0;x\u{7}é")
    let bold = "\u{1B}[1mb\u{1B}[0m"
    let lines = ["a\(bold)\\u{1B}[2J\\u{9B}31m\\u{202E}\\u{A}c\\u{1B}", "\\u{1B}]0;x\\u{7}é"]
    try captured.output.flush()
    #expect(captured.lines.map(String.init) == lines)
    #expect(visible("\u{1B}[1m") == "\\u{1B}[1m")
  }

  @Test("Wide characters take two columns, and combining marks none")
  func width() {
    #expect("abc".columnWidth == 3)
    #expect("漢字".columnWidth == 4)
    #expect("e\u{301}".columnWidth == 1)
    #expect("●─█░".columnWidth == 4)
    #expect(fitted("abcdef", columns: 4) == "abc…")
    #expect(fitted("abcd", columns: 4) == "abcd")
    #expect(fitted("漢字漢字", columns: 4).columnWidth <= 4)
  }

  @Test("A message on a terminal is broken between words, and a command in it stays whole")
  func messages() {
    let line = "scrollctl: no event has a translationY, by which the policy classic decides"
    for columns in [20, 40, 60] {
      let lines = Program.message(line, columns: columns)
      #expect(lines.allSatisfy { $0.columnWidth <= columns } && lines.joined(separator: " ") == line)
    }
    #expect(Program.message(line, columns: nil) == [line] && Program.message(line, columns: 80) == [line])
    let command = "scrolld --socket /a/long/name/of/a/socket --state-directory DIR"
    #expect(
      Program.message("No daemon is running there. Start it:  \(command)", columns: 40)
        == ["No daemon is running there. Start it:", "  \(command)"])
  }

  @Test("Columns are as wide as their widest cells, and lines have no trailing spaces")
  func table() {
    var table = TextTable([.init(heading: "NAME"), .init(heading: "N", isRightAligned: true), .init(heading: "X")])
    table.add(["漢", "10", "a"])
    table.add(["longer", "7", ""])
    #expect(table.lines(Style()) == ["NAME     N  X", "漢      10  a", "longer   7  "])
  }

  @Test("In any width a table has whole headings, or says which are left out")
  func narrowTable() {
    let headings = ["CLIENT", "APPLICATION", "N", "TITLE"]
    var table = TextTable([
      .init(heading: headings[0], leastWidth: 2), .init(heading: headings[1], leastWidth: 3, dropOrder: 2),
      .init(heading: headings[2], isRightAligned: true), .init(heading: headings[3], leastWidth: 9, dropOrder: 1),
    ])
    table.add(["a/client/with/a/long/name", "An application", "1234", "A title that is long"])
    table.add(["b", "x", "5", ""])
    var leftOut: Set<Int> = []
    for columns in "CLIENT  1234".count...90 {
      var style = Style()
      style.columns = columns
      let layout = table.layout(style)
      let head = layout.lines[0].split(separator: " ").map(String.init)
      #expect(head == headings.filter { !layout.leftOut.contains($0) }, "\(columns) columns")
      #expect(layout.lines.allSatisfy { $0.columnWidth <= columns }, "\(columns) columns")
      leftOut.insert(layout.leftOut.count)
    }
    #expect(leftOut == [0, 1, 2])
  }

  @Test("A closed pipe ends the program quietly, a full disk does not")
  func errors() {
    let full = Output { _ throws(OutputError) in throw .failed(.noSpace) }
    #expect(throws: OutputError.failed(.noSpace)) {
      try full.line("x")
      try full.flush()
    }
    // Output that could not be written is not written again.
    #expect(throws: Never.self) { try full.flush() }
    #expect("\(OutputError.failed(.noSpace))" == "cannot write the output: No space left on device")
  }

  @Test("Large output is written before the end")
  func buffered() throws {
    let captured = CapturedOutput()
    try captured.output.line("x")
    #expect(captured.bytes.isEmpty)
    try captured.output.line(String(repeating: "y", count: 70_000))
    #expect(captured.bytes.count == 70_003)
  }

  @Test("A text is cut where its columns end, never within a character")
  func cut() {
    #expect(fitted("漢字漢字", columns: 8) == "漢字漢字")
    #expect(fitted("漢字漢字", columns: 7) == "漢字漢…")
    #expect(fitted("漢字漢字", columns: 6) == "漢字…")
    #expect(fitted("e\u{301}e\u{301}e\u{301}", columns: 2) == "e\u{301}…")
  }
}
