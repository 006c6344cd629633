import ScrollModel
import Testing

@Suite("Client names")
struct ClientNameTests {
  /// Texts that are equal as `String`s, and other bytes.
  private static let pairs: [(String, String)] = [
    ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{AC00}", "\u{1100}\u{1161}"), ("\u{2126}", "\u{3A9}"),
    ("a\u{323}\u{307}", "a\u{307}\u{323}"),
  ]

  @Test("Names of other bytes are other names, although Swift's strings are equal", arguments: pairs)
  func bytes(first: String, second: String) {
    #expect(first == second)
    let (one, other) = (ClientName(first), ClientName(second))
    #expect(one != other)
    #expect(one == ClientName(first))
    #expect(Set([one, other, one]).count == 2)
    #expect((one < other) != (other < one))
    #expect([ClientID(user: 1, name: first): 1, ClientID(user: 1, name: second): 2].count == 2)
  }

  @Test("Names are in the order of their bytes, however a person would sort them")
  func order() {
    let names: [ClientName] = ["z", "\u{E9}", "e\u{301}", "", "Z", "zz", "\u{10000}", "\u{FFFD}"]
    #expect(names.sorted().map(\.text.utf8.first) == [nil, 0x5A, 0x65, 0x7A, 0x7A, 0xC3, 0xEF, 0xF0])
  }

  @Test("Characters that can rearrange a line or control a terminal are unsafe to print, and no others")
  func unsafe() {
    let all = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).filter(\.isUnsafeToPrint)
    let expected =
      [0x00...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069]
      as [ClosedRange<UInt32>]
    #expect(all.map(\.value) == expected.flatMap { Array($0) })
  }
}
