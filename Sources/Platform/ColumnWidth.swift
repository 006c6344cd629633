import CLinux
import Glibc

/// The locale whose character widths count, whatever the process's own locale is.
// Unsafe in name only: it is never changed and never freed.
nonisolated(unsafe) private let widthLocale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

extension String {
  /// The number of columns that the text takes on a terminal (wcwidth(3)). Control characters take none.
  public var columnWidth: Int {
    let previous = uselocale(widthLocale)
    defer { uselocale(previous) }
    return unicodeScalars.reduce(0) { width, scalar in
      let columns = wcwidth(.init(truncatingIfNeeded: scalar.value))
      if columns >= 0 { return width + Int(columns) }
      // A terminal shows something for a character that the locale does not know.
      return width + (scalar.properties.generalCategory == .control ? 0 : 1)
    }
  }
}
