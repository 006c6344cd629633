import Platform

/// Parsers for values in systemd's syntax. Each returns `nil` for invalid text.
package enum SettingValue {
  /// Parses a share of a file system: a size, or a whole percentage such as `10%`.
  static func diskShare(_ text: String) -> DiskShare? {
    guard text.last == "%" else { return ByteSize.bytes(text).map { .bytes(Int64($0)) } }
    return count(String(text.dropLast())).flatMap { $0 <= 100 ? .percent($0) : nil }
  }

  /// Parses a boolean, with systemd's words, in upper or lower case.
  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "yes", "y", "true", "t", "on": true
    case "0", "no", "n", "false", "f", "off": false
    default: nil
    }
  }

  /// Parses a whole number of 0 or more.
  package static func count(_ text: String) -> Int? {
    guard let number = Int(text), number >= 0, text.first != "+" else { return nil }
    return number
  }

  /// Splits a list at white space.
  package static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\t" }.map(String.init)
  }
}
