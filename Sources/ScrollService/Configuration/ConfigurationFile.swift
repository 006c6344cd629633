// The format of configuration files: sections, assignments, comments and continued lines, as systemd has them.

/// A configuration file read into its assignments.
///
/// The format is that of systemd's own files (systemd.syntax(7)), which no library offers: `[Section]` headers,
/// `Key=value` lines, comment lines that begin with `#` or `;`, and a backslash at a line's end that joins the next
/// line with a space, comment lines between being passed over.
struct ConfigurationFile: Equatable {
  /// One `Key=value` line.
  struct Assignment: Equatable {
    /// The section's name without brackets.
    var section: String
    var key: String
    /// The value without white space around it; empty resets a key to its default.
    var value: String
    /// The line on which it begins, 1 for the first.
    var line: Int
  }

  /// A section's header.
  struct Section: Equatable {
    var name: String
    var line: Int
  }

  var path: String
  var sections: [Section] = []
  var assignments: [Assignment] = []

  /// Reads a file's text.
  ///
  /// - Throws: ``ConfigurationError`` for text that is no UTF-8, a line that is neither header, assignment nor comment,
  ///   and an assignment before the first header.
  init(path: String, text: [UInt8]) throws(ConfigurationError) {
    self.path = path
    guard let string = String(validating: text, as: UTF8.self) else {
      throw ConfigurationError(file: path, reason: "is not UTF-8")
    }
    if string.unicodeScalars.first == "\u{FEFF}" {
      throw ConfigurationError(file: path, line: 1, reason: "begins with a byte order mark: save it without")
    }
    var continued: (text: String, line: Int)?
    // By scalars, since a carriage return and a line feed are one character.
    let lines = string.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Substring.init)
    for (index, line) in lines.enumerated() {
      let trimmed = line.trimmingSpaces()
      if trimmed.hasPrefix("#") || trimmed.hasPrefix(";") { continue }
      var text = continued?.text ?? ""
      let number = continued?.line ?? index + 1
      continued = nil
      if line.trimmingTrailingSpaces().hasSuffix("\\") {
        text += line.trimmingTrailingSpaces().dropLast() + " "
        continued = (text, number)
        continue
      }
      text += line
      try add(String(Substring(text).trimmingSpaces()), line: number)
    }
    if let continued { try add(String(Substring(continued.text).trimmingSpaces()), line: continued.line) }
  }

  private mutating func add(_ text: String, line: Int) throws(ConfigurationError) {
    if text.isEmpty { return }
    if text.hasPrefix("[") {
      guard text.hasSuffix("]"), text.count > 2 else {
        throw ConfigurationError(
          file: path, line: line, reason: "“\(Self.shown(text))” is no section: it must be [Name]")
      }
      sections.append(Section(name: String(text.dropFirst().dropLast()), line: line))
      return
    }
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
      throw ConfigurationError(
        file: path, line: line,
        reason: "“\(Self.shown(text))” is no assignment: it must be Key=value, [Section] or # comment")
    }
    let key = String(text[..<equals].trimmingSpaces())
    guard let section = sections.last else {
      throw ConfigurationError(
        file: path, line: line, key: key, reason: "stands before the first [Section]: put it into one")
    }
    let value = String(text[text.index(after: equals)...].trimmingSpaces())
    assignments.append(Assignment(section: section.name, key: key, value: value, line: line))
  }

  /// A text of the file as messages show it: its first 80 characters, so that the message itself can be read.
  static func shown(_ text: String) -> String {
    text.count <= 80 ? text : text.prefix(80) + "…"
  }
}

extension Substring {
  /// The text without spaces, tabs and carriage returns at its ends.
  func trimmingSpaces() -> Substring {
    var text = self.trimmingTrailingSpaces()
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    return text
  }

  /// The text without spaces, tabs and carriage returns at its end.
  func trimmingTrailingSpaces() -> Substring {
    var text = self
    while let last = text.last, last == " " || last == "\t" || last == "\r" || last == "\r\n" { text.removeLast() }
    return text
  }
}
