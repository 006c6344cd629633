// Text from outside, made safe to show.

import ScrollModel

/// Text from outside, made safe to show.
enum PlainText {
  /// The text with U+FFFD in place of control characters, which could do things to a terminal.
  static func clean(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { ClientName.isControl($0) ? "\u{FFFD}" : $0 }))
  }
}
