import ScrollClient
import ScrollModel

/// The name of a session that verbs print where its client's alone would not do: `reader/main@0123abcd`.
struct SessionName: Equatable {
  let client: String
  /// The first 8 digits of the id.
  let digits: String

  /// Reads a name; `nil` if the text is none.
  init?(_ text: String) {
    guard let mark = text.lastIndex(of: "@"), mark > text.startIndex else { return nil }
    digits = text[text.index(after: mark)...].lowercased()
    client = String(text[..<mark])
    guard digits.utf8.count == 8, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
  }

  func names(_ summary: SessionSummary) -> Bool { names(summary.session, of: summary.client) }

  func names(_ session: SessionID, of client: String) -> Bool {
    client == self.client && "\(session)".hasPrefix(digits)
  }
}

extension ServiceConnection {
  /// Returns the session that a text names; `nil` if the text is no such name, or no session or several have it.
  func session(named text: String, user: UInt32?) throws -> SessionSummary? {
    guard let name = SessionName(text) else { return nil }
    var found: [SessionSummary] = []
    // A damaged part of the log is the problem of whoever reads the session.
    try everySession(user: user) {
      if name.names($0) { found.append($0) }
    } damaged: { _, _ in
    }
    return found.count == 1 ? found[0] : nil
  }
}
