import Glibc
import Platform
import Testing

@Suite("Column widths")
struct ColumnWidthTests {
  @Test(
    "A text is as wide as a terminal shows it",
    arguments: [
      ("", 0), ("reader/main", 11), ("é", 1), ("−∞", 2), ("○●", 2), ("██░", 3),
      ("漢字", 4), ("ひらがな", 8), ("한글", 4), ("ＡＢ", 4), ("ｱｲ", 2), ("𠀋", 2),
      ("🙂", 2), ("🚀", 2), ("🥑🧭", 4), ("👍", 2),
    ])
  func visibleText(text: String, width: Int) {
    #expect(text.columnWidth == width)
  }

  @Test("Combining marks, joiners and variation selectors take no column of their own")
  func combining() {
    #expect("e\u{301}".columnWidth == 1)
    #expect("a\u{20DD}".columnWidth == 1)
    #expect("\u{200B}".columnWidth == 0)
    #expect("\u{200D}".columnWidth == 0)
    #expect("\u{2764}\u{FE0F}".columnWidth == 1)
  }

  @Test("Control characters take no column")
  func control() {
    #expect("\u{1B}\u{7}\n\u{7F}\u{85}".columnWidth == 0)
    #expect("a\tb".columnWidth == 2)
  }

  @Test("A character without a known width takes one column")
  func unknown() {
    #expect("\u{10FFFF}".columnWidth == 1)
    #expect("\u{0378}".columnWidth == 1)
  }

  @Test("The process's and the thread's locale have no effect, and keep what they are")
  func locale() throws {
    let before = uselocale(nil)
    let plain = try #require(newlocale(1 << LC_CTYPE, "C", nil))
    defer { freelocale(plain) }
    uselocale(plain)
    defer { uselocale(before) }
    #expect("漢字🙂".columnWidth == 6)
    #expect(uselocale(nil) == plain)
  }
}
