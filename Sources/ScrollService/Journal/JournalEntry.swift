// One entry of the journal.

import ScrollModel

/// One entry of the journal: its kind, what people read, and what `journalctl FIELD=VALUE` finds it by.
struct JournalEntry: Sendable {
  /// A field of its own in the journal.
  enum Field: Sendable {
    case client(String)
    case session(SessionID)
    case position(Position)
    case user(UInt32)
    /// The configuration's file, as systemd's own fields name it.
    case configurationFile(String)
    case configurationLine(Int)
    /// The file of the log that it is about.
    case logFile(String)

    /// The field as the journal takes it: name, `=`, value.
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

  /// The text as one line, whatever a client's name or an error brought along.
  var line: String { Self.withoutControls(text) }

  /// All fields as sd_journal_sendv(3) takes them.
  func assignments(from location: CodeLocation) -> [String] {
    let all = [
      "MESSAGE=\(text)", "MESSAGE_ID=\(kind.rawValue)", "PRIORITY=\(kind.priority.rawValue)",
      "CODE_FILE=\(location.file)", "CODE_LINE=\(location.line)", "CODE_FUNC=\(location.function)",
    ]
    return (all + fields.map(\.assignment)).map(Self.withoutControls)
  }

  /// A text in which control characters, with which a line could feign another or steer a terminal, are replaced.
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
