// How many columns of a terminal a text takes.

/// How many columns of a terminal a text takes. Escape sequences that this program adds itself must not be in it.
///
/// East Asian wide characters and emoji take two columns, combining marks none; wcwidth(3) would need a locale.
func columnWidth(_ text: String) -> Int {
  var width = 0
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0..<0x300: width += 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      width += 2
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: break
      default: width += 1
      }
    }
  }
  return width
}

/// The beginning of a text that fits into so many columns; an ellipsis stands for the rest.
func fitted(_ text: String, columns: Int) -> String {
  if columnWidth(text) <= columns { return text }
  var result = ""
  var width = 1
  for character in text {
    width += columnWidth(String(character))
    if width > columns { break }
    result.append(character)
  }
  return result + "…"
}
