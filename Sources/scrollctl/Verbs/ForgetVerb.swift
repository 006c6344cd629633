// scrollctl forget: nothing is left of a session or a client.

import ScrollClient
import ScrollModel

extension Verb {
  static let forget = Verb(
    name: "forget", group: .manage,
    arguments: [Argument(name: "SESSION|CLIENT")], options: [.uid],
    summary: "Have the daemon forget a session, or all of a client, for good",
    details: [
      "Sessions that are open are closed first. Then no file of the daemon holds anything of them but their ids, which are "
        + "never used again: no name, title or event. The positions of their records stay, with nothing there. Copies of the "
        + "log that were made elsewhere are not known to the daemon.",
      "There are no patterns here: a client is named whole. Where the log holds nothing of it, the exit status is 1.",
      "A client is forgotten with every session that it ever had; without --uid, the clients of all users who have one of "
        + "that name.",
    ],
    examples: [Example(arguments: "forget reader/window-1", meaning: "Every session of this client.")]
  ) { invocation in
    // The parser has seen to it that the argument is there.
    let name = invocation.argument(0) ?? ""
    let user = try invocation.command.uid()
    let connection = try invocation.connect()
    var records: Int64 = 0
    do {
      // A client may be called as a session could be.
      if let session = SessionID(name), !invocation.command.has(.uid) { records = try connection.forget(session) }
      if records == 0 {
        records = try connection.forget(client: name, user: user)
      }
    } catch let error as ServiceError where error.refusal == .noSpace {
      // Whether the closing was stored before the room ran out the daemon doesn't tell.
      throw Failure(
        "\(error): nothing of \(name) is forgotten yet",
        hint: "What was open of it may have been closed already. Try again when there is room.")
    }
    if invocation.wantsJSON {
      try invocation.output.object { $0.member("records", records) }
    } else if records > 0 {
      try invocation.output.line("\(records) records are forgotten.")
    }
    if records > 0 { return .done }
    let isPattern = name.contains { "*?[".contains($0) }
    throw Failure(
      "the log holds nothing of “\(name)”",
      hint: isPattern ? "What is forgotten is named whole: * ? and [ stand for themselves here." : nil)
  }
}
