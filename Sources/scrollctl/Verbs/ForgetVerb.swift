import ScrollClient
import ScrollModel

extension Verb {
  static let forget = Verb(
    name: "forget", group: .manage,
    arguments: [Argument(name: "SESSION|CLIENT")], options: [.uid],
    summary: "Forget a session, or all sessions of a client, for good",
    details: [
      "The daemon closes open sessions first. Afterwards its files hold nothing of the sessions but their ids, which are "
        + "never used again: no name, title or event. The positions of their records remain, but are empty. The daemon "
        + "does not know of copies of the log elsewhere.",
      "Patterns are not allowed: give the client's whole name. If the log has nothing of it, the exit status is 1.",
      "All sessions that a client ever had are forgotten. Without --uid, these are the sessions of all users' clients of "
        + "that name.",
    ],
    examples: [Example(arguments: "forget reader/window-1", meaning: "Forget every session of this client.")]
  ) { invocation in
    // The parser guarantees the argument.
    let name = invocation.argument(0) ?? ""
    let user = try invocation.command.uid()
    let connection = try invocation.connect()
    var records: Int64 = 0
    do {
      // A client's name may look like a session's id.
      if let session = SessionID(name), !invocation.command.has(.uid) { records = try connection.forget(session) }
      if records == 0 {
        records = try connection.forget(client: name, user: user)
      }
    } catch let error as ServiceError where error.refusal == .noSpace {
      // The daemon does not report whether it closed sessions before the disk was full.
      throw Failure(
        "\(error): forgot nothing of \(name) yet",
        hint: "Its open sessions may have been closed. Try again when the disk has room.")
    }
    if invocation.wantsJSON {
      try invocation.output.object { $0.member("records", records) }
    } else if records > 0 {
      try invocation.output.line("Forgot \(records) records.")
    }
    if records > 0 { return .done }
    let isPattern = name.contains { "*?[".contains($0) }
    throw Failure(
      "the log has nothing of “\(name)”",
      hint: isPattern ? "Give the whole name: * ? and [ are not patterns here." : nil)
  }
}
