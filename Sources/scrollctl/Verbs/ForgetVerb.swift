import Platform
import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  private static let from = Option(
    name: "from", value: "LIST", summary: "Forget what this list says was forgotten; “-” reads standard input")

  static let forget = Verb(
    name: "forget", group: .manage,
    arguments: [Argument(name: "SESSION|CLIENT", isRequired: false)], options: [.uid, from],
    summary: "Forget a session, or all sessions of a client, for good",
    details: [
      "The daemon closes open sessions first. Afterwards its files hold nothing of the sessions but their ids, which are "
        + "never used again: no name, title or event. The positions of their records remain, but are empty. The daemon "
        + "does not know of copies of the log elsewhere.",
      "Patterns are not allowed: give the client's whole name. If the log has nothing of it, the exit status is 1.",
      "All sessions that a client ever had are forgotten. Without --uid, these are the sessions of all users' clients of "
        + "that name.",
      "The state directory keeps a list of what was forgotten, even if the log has nothing of it: session ids and keyed "
        + "hashes of clients' names. “forgotten” prints it, and “restore” leaves out of a backup what it says. --from LIST "
        + "forgets what a list says, such as one that was printed before a backup was copied back by hand: LIST is the "
        + "output of “--json forgotten”, or the file “forgotten” of a state directory. Sessions that a client opened after it "
        + "was forgotten stay.",
    ],
    examples: [
      Example(arguments: "forget reader/window-1", meaning: "Forget every session of this client."),
      Example(arguments: "forget --from list.json", meaning: "Forget again what a saved list says."),
    ]
  ) { invocation in
    if let list = invocation.command.text(from) {
      if let name = invocation.argument(0) { throw UsageError.tooManyArguments(name, verb: invocation.verbName) }
      if invocation.command.has(.uid) { throw UsageError.conflict(from.name, Option.uid.name) }
      return try forget(listedIn: list, invocation)
    }
    guard let name = invocation.argument(0) else {
      throw UsageError.missingArgument("SESSION|CLIENT", verb: "forget")
    }
    return try forget(name, invocation)
  }

  private static func forget(_ name: String, _ invocation: Invocation) throws -> ExitStatus {
    let user = try invocation.command.uid()
    let connection = try invocation.connect()
    var records: Int64 = 0
    do throws(ServiceError) {
      // A client's name may look like a session's id.
      if let session = SessionID(name), !invocation.command.has(.uid) { records = try connection.forget(session) }
      if records == 0 {
        records = try connection.forget(client: name, user: user)
      }
    } catch {
      guard error.refusal == .noSpace else { throw error }
      // The daemon does not report whether it closed sessions before the disk was full.
      throw Failure(
        "\(error): forgot nothing of \(name) yet",
        hint: "Its open sessions may have been closed. Try again when the disk has room.")
    }
    try report(records, invocation)
    if records > 0 { return .done }
    let isPattern = name.contains { "*?[".contains($0) }
    throw Failure(
      "the log has nothing of “\(name)”",
      hint: isPattern ? "Give the whole name: * ? and [ are not patterns here." : nil)
  }

  /// Forgets what a list says. A log that has nothing of it is a success: it is as it should be.
  private static func forget(listedIn path: String, _ invocation: Invocation) throws -> ExitStatus {
    let list = try ForgottenListFile.read(path)
    let connection = try invocation.connect()
    var records: Int64 = 0
    var missing: Set<String> = []
    for entries in ForgottenListFile.calls(list) {
      do throws(ServiceError) {
        records += try connection.forget(entries)
      } catch {
        guard case .unknownKeys(let keys) = error.refusal else { throw error }
        missing.formUnion(keys)
        // The others can be recognized.
        var known = entries
        known.clients.removeAll { keys.contains($0.key) }
        records += try connection.forget(known)
      }
    }
    if invocation.wantsJSON || records > 0 {
      try report(records, invocation)
    } else if missing.isEmpty {
      try invocation.output.line("The log has nothing of what the list says was forgotten.")
    }
    if missing.isEmpty { return .done }
    throw ForgottenListFile.failure(missingKeys: missing.sorted())
  }

  private static func report(_ records: Int64, _ invocation: Invocation) throws {
    if invocation.wantsJSON {
      try invocation.output.object { $0.member("records", records) }
    } else if records > 0 {
      try invocation.output.line("Forgot \(records == 1 ? "1 record" : "\(records) records").")
    }
  }
}
