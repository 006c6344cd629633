import ScrollModel

/// An entry of the journal: its kind, its message, and the fields that `journalctl FIELD=VALUE` matches.
struct JournalEntry: Sendable {
  /// A structured field of an entry.
  enum Field: Sendable {
    case client(String)
    case session(SessionID)
    case position(Position)
    case user(UInt32)
    /// The configuration file, under the field name that systemd itself uses.
    case configurationFile(String)
    case configurationLine(Int)
    /// The file of the log that the entry is about.
    case logFile(String)

    /// The field in the journal's format: name, `=`, value.
    var assignment: String {
      switch self {
      case .client(let name): "SCROLL_CLIENT=\(name)"
      case .session(let id): "SCROLL_SESSION=\(id)"
      case .position(let position): "SCROLL_POSITION=\(position)"
      case .user(let user): "SCROLL_USER=\(user)"
      case .configurationFile(let path): "CONFIG_FILE=\(path)"
      case .configurationLine(let line): "CONFIG_LINE=\(line)"
      case .logFile(let path): "SCROLL_FILE=\(path)"
      }
    }
  }

  /// The maximum length of a message, in bytes. Clients choose parts of some messages.
  static let longestText = 2048
  /// The maximum length of a name or an error within a message, in bytes.
  static let longestName = 256

  let kind: JournalKind
  private let text: String
  private let fields: [Field]

  init(_ kind: JournalKind, _ text: String, _ fields: [Field] = []) {
    self.kind = kind
    self.text = Self.shortened(text, to: Self.longestText)
    self.fields = fields
  }

  /// Returns a text that is cut, and marked as cut, if it has more than `limit` bytes.
  static func shortened(_ text: String, to limit: Int = longestName) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.utf8.index(text.utf8.startIndex, offsetBy: limit)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return "\(text[..<end])… (\(text.utf8.count) bytes)"
  }

  /// The message as a single line, even if a client name or an error contains control characters or line breaks.
  var line: String { Self.printable(text) }

  /// Returns all fields in the format of sd_journal_sendv(3).
  func assignments(from location: CodeLocation) -> [String] {
    let all = [
      "MESSAGE=\(text)", "MESSAGE_ID=\(kind.rawValue)", "PRIORITY=\(kind.priority.rawValue)",
      "CODE_FILE=\(location.file)", "CODE_LINE=\(location.line)", "CODE_FUNC=\(location.function)",
    ]
    return (all + fields.map(\.assignment)).map(Self.printable)
  }

  /// Returns the text with U+FFFD in place of characters that could forge another line or control a terminal.
  private static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnsafeToPrint) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isUnsafeToPrint ? "\u{FFFD}" : $0 }))
  }
}
