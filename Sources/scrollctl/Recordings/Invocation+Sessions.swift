import ScrollClient

extension Invocation {
  /// Returns the session that a text names where a client's name selects all its sessions; `nil` if it names none.
  func session(named text: String) throws -> SessionSummary? {
    guard SessionName(text) != nil else { return nil }
    return try connect().session(named: text, user: command.uid())
  }
}
