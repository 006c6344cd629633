/// A parsed configuration file.
///
/// The format is that of systemd's own files (systemd.syntax(7)), for which no library exists: `[Section]` headers, `Key=value`
/// lines, and comment lines that begin with `#` or `;`. A backslash at the end of a line joins it to the next line with a
/// space; comment lines in between are skipped.
package struct ConfigurationFile: Equatable {
  /// A `Key=value` line.
  package struct Assignment: Equatable {
    /// The name of the section, without brackets.
    package var section: String
    package var key: String
    /// The value without surrounding white space; an empty value restores the default.
    package var value: String
    /// The line on which the assignment begins, 1 for the first.
    package var line: Int
  }

  /// A section header.
  package struct Section: Equatable {
    package var name: String
    package var line: Int
  }

  package var path: String
  package var sections: [Section] = []
  package var assignments: [Assignment] = []

  /// Parses the text of a file.
  ///
  /// - Throws: ``ConfigurationError`` for text that is not valid UTF-8, for a line that is not a header, an assignment or a
  ///   comment, and for an assignment before the first header.
  init(path: String, text: [UInt8]) throws(ConfigurationError) {
    var problems: [ConfigurationError] = []
    self.init(path: path, text: text, problems: &problems)
    if let first = problems.first { throw first }
  }

  /// Parses the text of a file, and leaves out what is wrong in it.
  ///
  /// - Parameter problems: Gets an error for everything that is wrong.
  init(path: String, text: [UInt8], problems: inout [ConfigurationError]) {
    self.path = path
    guard let string = String(validating: text, as: UTF8.self) else {
      problems.append(ConfigurationError(file: path, reason: "not valid UTF-8"))
      return
    }
    if string.unicodeScalars.first == "\u{FEFF}" {
      problems.append(
        ConfigurationError(file: path, line: 1, reason: "starts with a byte order mark; save the file without one"))
      return
    }
    var continued: (text: String, line: Int)?
    // Split by scalars, since a carriage return and a line feed form a single character.
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
      add(String(Substring(text).trimmingSpaces()), line: number, &problems)
    }
    if let continued { add(String(Substring(continued.text).trimmingSpaces()), line: continued.line, &problems) }
  }

  private mutating func add(_ text: String, line: Int, _ problems: inout [ConfigurationError]) {
    do throws(ConfigurationError) {
      try add(text, line: line)
    } catch {
      problems.append(error)
    }
  }

  private mutating func add(_ text: String, line: Int) throws(ConfigurationError) {
    if text.isEmpty { return }
    if text.hasPrefix("[") {
      guard text.hasSuffix("]"), text.count > 2 else {
        throw ConfigurationError(
          file: path, line: line, reason: "invalid section header “\(Self.shown(text))”: expected [Name]")
      }
      sections.append(Section(name: String(text.dropFirst().dropLast()), line: line))
      return
    }
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
      throw ConfigurationError(
        file: path, line: line,
        reason: "invalid line “\(Self.shown(text))”: expected Key=value, [Section] or # comment")
    }
    let key = String(text[..<equals].trimmingSpaces())
    guard let section = sections.last else {
      throw ConfigurationError(
        file: path, line: line, key: key, reason: "assignment before the first [Section]; move it into a section")
    }
    let value = String(text[text.index(after: equals)...].trimmingSpaces())
    assignments.append(Assignment(section: section.name, key: key, value: value, line: line))
  }

  /// Returns the first 80 characters of a text in the file, so that messages stay readable.
  package static func shown(_ text: String) -> String {
    text.count <= 80 ? text : text.prefix(80) + "…"
  }
}

extension Substring {
  /// Returns the text without spaces and tabs at both ends, and without carriage returns at its end.
  func trimmingSpaces() -> Substring {
    var text = self.trimmingTrailingSpaces()
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    return text
  }

  /// Returns the text without spaces, tabs and carriage returns at its end.
  func trimmingTrailingSpaces() -> Substring {
    var text = self
    while let last = text.last, last == " " || last == "\t" || last == "\r" || last == "\r\n" { text.removeLast() }
    return text
  }
}
