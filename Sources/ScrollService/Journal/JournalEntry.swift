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

  let kind: JournalKind
  private let text: String
  private let fields: [Field]

  init(_ kind: JournalKind, _ text: String, _ fields: [Field] = []) {
    self.kind = kind
    self.text = text
    self.fields = fields
  }

  /// The message as a single line, even if a client name or an error contains control characters.
  var line: String { Self.withoutControls(text) }

  /// Returns all fields in the format of sd_journal_sendv(3).
  func assignments(from location: CodeLocation) -> [String] {
    let all = [
      "MESSAGE=\(text)", "MESSAGE_ID=\(kind.rawValue)", "PRIORITY=\(kind.priority.rawValue)",
      "CODE_FILE=\(location.file)", "CODE_LINE=\(location.line)", "CODE_FUNC=\(location.function)",
    ]
    return (all + fields.map(\.assignment)).map(Self.withoutControls)
  }

  /// Returns the text with control characters replaced, since they could forge another line or control a terminal.
  private static func withoutControls(_ text: String) -> String {
    let isClean = text.unicodeScalars.allSatisfy { !isControl($0) }
    if isClean { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
