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

  @Test("A character that is not printable ASCII is found wherever it is")
  func printableASCII() {
    for count in 1...20 {
      for place in 0..<count {
        for code: UInt8 in 0...0xFF {
          var scalars = Array(repeating: Unicode.Scalar(UInt8(ascii: "~")), count: count)
          scalars[place] = Unicode.Scalar(code)
          var text = ""
          text.unicodeScalars.append(contentsOf: scalars)
          #expect(text.isPrintableASCII == (0x20..<0x7F).contains(code), "\(code) at \(place) of \(count)")
        }
      }
    }
    #expect("".isPrintableASCII)
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
