import Testing

@testable import ScrollService

@Suite struct ConfigurationFileTests {
  private func read(_ text: String) throws -> ConfigurationFile {
    try ConfigurationFile(path: "/test.conf", text: Array(text.utf8))
  }

  private func assignments(_ text: String) throws -> [String] {
    try read(text).assignments.map { "\($0.line) [\($0.section)] \($0.key)=\($0.value)" }
  }

  @Test func sectionsAndAssignmentsKeepTheirLines() throws {
    let text = "[Log]\nSync=never\n\n[Sessions]\nPolicy = classic\n[Log]\nSync=commit\n"
    #expect(
      try assignments(text) == ["2 [Log] Sync=never", "5 [Sessions] Policy=classic", "7 [Log] Sync=commit"])
    #expect(try read(text).sections.map { "\($0.line) \($0.name)" } == ["1 Log", "4 Sessions", "6 Log"])
  }

  @Test func whiteSpaceAroundKeysAndValuesIsIgnored() throws {
    #expect(try assignments(" [A] \n\t Key \t=\t a  b \t\n") == ["2 [A] Key=a  b"])
  }

  @Test func commentsAndEmptyLinesAreIgnored() throws {
    #expect(
      try assignments("# one\n; two\n[A]\n  # three\n\n \t \nKey=1 # no comment\n") == ["7 [A] Key=1 # no comment"])
  }

  @Test func aBackslashJoinsTheNextLineAndSkipsCommentsBetween() throws {
    #expect(
      try assignments("[A]\nKey=a\\\n  b\\\n# no\n; no\n c\nOther=1\n") == ["2 [A] Key=a   b  c", "7 [A] Other=1"])
    #expect(try assignments("[A]\nKey=a \\") == ["2 [A] Key=a"])
    #expect(try assignments("[A]\nKey=\\\n\nOther=1") == ["2 [A] Key=", "4 [A] Other=1"])
  }

  @Test func aValueMayContainAnythingElse() throws {
    #expect(try assignments("[A]\nKey=a=b;c#d[e]\\f ü") == ["2 [A] Key=a=b;c#d[e]\\f ü"])
  }

  @Test func carriageReturnsBeforeLineFeedsAreWhiteSpace() throws {
    #expect(
      try assignments("[A]\r\n# no\r\nKey=1\r\nLong=a\\\r\nb\r\n\r\nOther=2\r\n") == [
        "3 [A] Key=1", "4 [A] Long=a b", "7 [A] Other=2",
      ])
  }

  @Test func anEmptyFileHasNoAssignments() throws {
    #expect(try assignments("").isEmpty)
    #expect(try assignments("\n\n# only a comment").isEmpty)
  }

  @Test(arguments: [
    ("[A]\nnonsense\n", "/test.conf:2: invalid line “nonsense”: expected Key=value, [Section] or # comment"),
    (
      "[A]\n" + String(repeating: "x", count: 81),
      "/test.conf:2: invalid line “" + String(repeating: "x", count: 80)
        + "…”: expected Key=value, [Section] or # comment"
    ),
    ("\u{FEFF}[A]\n", "/test.conf:1: starts with a byte order mark; save the file without one"),
    ("[A]\n=1\n", "/test.conf:2: invalid line “=1”: expected Key=value, [Section] or # comment"),
    ("[A\nKey=1\n", "/test.conf:1: invalid section header “[A”: expected [Name]"),
    ("[]\n", "/test.conf:1: invalid section header “[]”: expected [Name]"),
    ("\nKey=1\n[A]\n", "/test.conf:2: Key=: assignment before the first [Section]; move it into a section"),
  ])
  func aMalformedLineIsReportedWithItsNumber(text: String, message: String) {
    do {
      _ = try read(text)
      Issue.record("\(text) is read")
    } catch {
      #expect("\(error)" == message)
    }
  }

  @Test func invalidUTF8IsRefused() {
    #expect(throws: ConfigurationError(file: "/test.conf", reason: "not valid UTF-8")) {
      try ConfigurationFile(path: "/test.conf", text: [0x5B, 0xFF, 0x5D])
    }
  }
}
