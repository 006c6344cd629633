import CLinux
import Glibc

/// The locale whose character widths count, whatever the process's own locale is.
// Unsafe in name only: it is never changed and never freed.
nonisolated(unsafe) private let widthLocale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

extension String {
  /// The number of columns that the text takes on a terminal (wcwidth(3)). Control characters take none.
  public var columnWidth: Int {
    // Most texts are ASCII. This is a tenth of what asking the locale costs.
    if isPrintableASCII { return utf8.count }
    let previous = uselocale(widthLocale)
    defer { uselocale(previous) }
    return unicodeScalars.reduce(0) { width, scalar in
      let columns = wcwidth(.init(truncatingIfNeeded: scalar.value))
      if columns >= 0 { return width + Int(columns) }
      // A terminal shows something for a character that the locale does not know.
      return width + (scalar.properties.generalCategory == .control ? 0 : 1)
    }
  }

  /// Whether the text has nothing but ASCII characters that take one column each.
  public var isPrintableASCII: Bool {
    // Byte by byte through the string's own indexes is ten times slower.
    utf8.withContiguousStorageIfAvailable { Self.isPrintable(UnsafeRawBufferPointer($0)) }
      ?? utf8.allSatisfy(Self.isPrintable)
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  private static func isPrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let spaces = ones &* 0x20
    let highBits = ones << 7
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // A byte of 0x80 and above, one below the space, and DEL, which becomes 0x80 when 1 is added. Only bytes above one that is
      // found already can be taken for another.
      guard (word | (word &- spaces) | (word &+ ones)) & highBits == 0 else { return false }
      offset += 8
    }
    while offset < bytes.count {
      guard isPrintable(bytes[offset]) else { return false }
      offset += 1
    }
    return true
  }
}
