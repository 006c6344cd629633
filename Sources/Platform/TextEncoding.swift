import Glibc

/// What the user's locale can show, and texts for one that shows only ASCII.
public enum TextEncoding {
  /// Whether the user's locale is in UTF-8, by the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set (locale(7)).
  public static var localeIsUTF8: Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(CurrentProcess.variable).first { !$0.isEmpty } ?? "C"
    // The name counts even where that locale isn't installed: it says what the terminal shows.
    if ["utf-8", "utf8"].contains(where: name.lowercased().contains) { return true }
    guard let locale = newlocale(1 << LC_CTYPE, name, nil) else { return false }
    defer { freelocale(locale) }
    return nl_langinfo_l(nl_item(CODESET), locale).map { String(cString: $0) } == "UTF-8"
  }

  /// Substitutes for characters that iconv(3) has none for.
  private static let substitutes: [Character: String] = [
    "≠": "!=", "●": "*", "○": "o", "·": "-", "↓": "v", "↑": "^", "█": "#", "░": ".",
  ]

  /// Returns a text in ASCII, with substitutes such as `<=` for `≤` and `?` for what has none (iconv(3)).
  public static func ascii(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    guard let conversion = iconv_open("ASCII//TRANSLIT", "UTF-8"), conversion != iconv_t(bitPattern: -1) else {
      return String(text.unicodeScalars.map { $0.isASCII ? Character($0) : "?" })
    }
    defer { iconv_close(conversion) }
    let replaced = text.map { substitutes[$0] ?? String($0) }.joined()
    var input = Array(replaced.utf8.map { CChar(bitPattern: $0) })
    // The longest substitute, such as that of an ellipsis, is no longer than this.
    var output = [CChar](repeating: 0, count: input.count * 8)
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        var (from, fromCount) = (input.baseAddress, input.count)
        var (to, toCount) = (output.baseAddress, output.count)
        _ = iconv(conversion, &from, &fromCount, &to, &toCount)
        return output.count - toCount
      }
    }
    return String(decoding: output[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
