/// The rules for names in the interface language.
enum InterfaceName {
  /// Returns whether a word can name an interface (`org.example.more`).
  ///
  /// It must have at least two parts of letters, digits and inner hyphens, and begin with a letter.
  static func isInterface(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 2, let first = parts[0].first, isLetter(first) else { return false }
    return parts.allSatisfy { part in
      guard let first = part.first, let last = part.last else { return false }
      return isAlphanumeric(first) && isAlphanumeric(last)
        && part.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }
  }

  /// Returns whether a word can name a method, an error or a type (`GetInfo`).
  ///
  /// It must consist of letters and digits, and begin with a capital letter.
  static func isMember(_ name: String) -> Bool {
    guard let first = name.utf8.first, isCapital(first) else { return false }
    return name.utf8.allSatisfy(isAlphanumeric)
  }

  /// Returns whether a word can name a field or a case of an enumeration (`first_value`).
  ///
  /// It must consist of letters, digits and single inner underscores, and begin with a letter.
  static func isField(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first) else { return false }
    let parts = name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAlphanumeric) }
  }

  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    isCapital(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
