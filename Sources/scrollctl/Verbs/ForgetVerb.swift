import Platform
import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  private static let from = Option(
    name: "from", value: "LIST", summary: "Forget what this list says was forgotten; “-” reads standard input")
  private static let dryRun = Option(name: "dry-run", summary: "Only report what would be forgotten")
  private static let yes = Option(name: "yes", short: "y", summary: "Do not ask")

  static let forget = Verb(
    name: "forget", group: .manage,
    arguments: [Argument(name: "SESSION|CLIENT", isRequired: false)], options: [dryRun, yes, .uid, from],
    summary: "Forget a session, or all sessions of a client, for good",
    details: [
      "The daemon closes open sessions first. Afterwards its files hold nothing of the sessions but their ids, which are "
        + "never used again: no name, title or event. The positions of their records remain, but are empty. The daemon "
        + "does not know of copies of the log elsewhere.",
      "scrollctl reports what it would forget and asks first, on the terminal. Without a terminal, nothing is forgotten unless "
        + "you give --yes, which answers in advance. --dry-run only reports. Reports count the records that you may see.",
      "SESSION is the session's id, or its name as other verbs print it, such as reader/main@0123abcd. Patterns are not "
        + "allowed: give the client's whole name. If the log has nothing of it, the exit status is 1.",
      "All sessions that a client ever had are forgotten. Without --uid, these are the sessions of all users' clients of "
        + "that name.",
      "The state directory keeps a list of what was forgotten, even if the log has nothing of it: session ids and keyed "
        + "hashes of clients' names. “forgotten” prints it, and “restore” leaves out of a backup what it says. --from LIST "
        + "forgets what a list says, such as one that was printed before a backup was copied back by hand: LIST is the "
        + "output of “--json forgotten”, or the file “forgotten” of a state directory. Sessions that a client opened after it "
        + "was forgotten stay.",
    ],
    examples: [
      Example(arguments: "forget --dry-run reader/window-1", meaning: "See what would be forgotten of this client."),
      Example(arguments: "forget reader/window-1", meaning: "Forget every session of this client, after a question."),
      Example(arguments: "forget --yes reader/window-1", meaning: "Forget them in a script."),
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
    return try forget(try subject(name, invocation), invocation)
  }

  /// Returns what to forget: for a session's name, its id.
  private static func subject(_ name: String, _ invocation: Invocation) throws -> String {
    guard SessionName(name) != nil else { return name }
    if let summary = try invocation.session(named: name) { return "\(summary.session)" }
    // Clients may be called like that, too.
    let user = try invocation.command.uid()
    if try ForgetPreview(name, user: user, at: invocation.command.address()).records > 0 { return name }
    throw Failure(
      "the log has no session “\(name)” that you may see, or several",
      hint: "Give the session's whole id, which “scrollctl sessions” lists. Nothing was forgotten.")
  }

  private static func forget(_ name: String, _ invocation: Invocation) throws -> ExitStatus {
    let user = try invocation.command.uid()
    let asks = try asks(invocation)
    let connection = try invocation.connect()
    if invocation.command.has(dryRun) || asks {
      let preview = try ForgetPreview(name, user: user, at: connection.address)
      guard preview.records > 0 else { throw nothing(of: name) }
      if invocation.command.has(dryRun) { return try report(preview, invocation) }
      guard try confirms("Forget \(preview.text) for good?") else { return .failed }
    }
    var records: Int64 = 0
    var isSession = false
    do throws(ServiceError) {
      // A client's name may look like a session's id.
      if let session = SessionID(name), !invocation.command.has(.uid) { records = try connection.forget(session) }
      isSession = records > 0
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
    try report(records, of: name, isSession: isSession, invocation)
    if records > 0 { return .done }
    throw nothing(of: name, isListed: true)
  }

  /// - Parameter isListed: Whether the daemon has forgotten the name all the same.
  private static func nothing(of name: String, isListed: Bool = false) -> Failure {
    var hints: [String] = []
    if name.isClientPattern {
      hints.append(Hints.wholeName)
    } else if let hint = Hints.beginningOfID(name) {
      hints.append(hint)
    }
    if isListed {
      hints.append(
        "“scrollctl forgotten” lists it as forgotten all the same, so that “restore” leaves it out of earlier backups.")
    }
    return Failure("the log has nothing of “\(name)”", hint: hints.isEmpty ? nil : hints.joined(separator: "\n"))
  }

  private static func report(_ preview: ForgetPreview, _ invocation: Invocation) throws -> ExitStatus {
    if invocation.wantsJSON {
      try invocation.output.object {
        $0.member("dryRun", true)
        $0.member(preview.isSession ? "session" : "client", preview.name)
        $0.member("records", preview.records)
        $0.member("sessions", Int64(preview.sessions.count))
      }
    } else {
      try invocation.output.line("Would forget \(preview.text).")
    }
    return .done
  }

  /// Whether to ask the user, who has not answered in advance.
  ///
  /// - Parameter isInputFree: Whether standard input is free for the answer.
  /// - Throws: `UsageError` if nobody can be asked: what is forgotten cannot be restored.
  private static func asks(_ invocation: Invocation, isInputFree: Bool = true) throws(UsageError) -> Bool {
    if invocation.command.has(yes) || invocation.command.has(dryRun) { return false }
    if isInputFree, BorrowedDescriptor.standardInput.isTerminal, BorrowedDescriptor.standardError.isTerminal {
      return true
    }
    throw .missingOption(
      isInputFree
        ? "--yes to forget for good, as there is no terminal to ask on"
        : "--yes to forget for good, as standard input is the list and cannot have the answer",
      verb: invocation.verbName)
  }

  /// Asks a question on the terminal. Only y and yes agree.
  private static func confirms(_ question: String) throws -> Bool {
    StandardError.write("\(visible(question)) [y/N] ")
    let answer = try LineReader("-").next { String(decoding: $0, as: UTF8.self) } ?? ""
    if ["y", "yes"].contains(answer.lowercased()) { return true }
    Program.warn("nothing was forgotten")
    return false
  }

  /// Forgets what a list says. A log that has nothing of it is a success: it is as it should be.
  private static func forget(listedIn path: String, _ invocation: Invocation) throws -> ExitStatus {
    let list = try ForgottenListFile.read(path)
    let asks = try asks(invocation, isInputFree: path != "-")
    let (sessions, clients) = (list.sortedSessions.count, list.sortedClients.count)
    let text =
      "what the list names: \(sessions == 1 ? "1 session" : "\(sessions) sessions") and "
      + (clients == 1 ? "1 client" : "\(clients) clients")
    if invocation.command.has(dryRun) {
      // Names of clients are hashed, so only the daemon can say what the log has of them.
      if invocation.wantsJSON {
        try invocation.output.object {
          $0.member("dryRun", true)
          $0.member("listedSessions", Int64(sessions))
          $0.member("listedClients", Int64(clients))
        }
      } else {
        try invocation.output.line("Would forget \(text).")
      }
      return .done
    }
    if asks, try !confirms("Forget \(text), for good?") { return .failed }
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
    if invocation.wantsJSON {
      try invocation.output.object { $0.member("records", records) }
    } else if records > 0 {
      try invocation.output.line("Forgot \(ForgetPreview.count(records)) of what the list names.")
    } else if missing.isEmpty {
      try invocation.output.line("The log has nothing of what the list says was forgotten.")
    }
    if missing.isEmpty { return .done }
    throw ForgottenListFile.failure(missingKeys: missing.sorted())
  }

  private static func report(
    _ records: Int64, of name: String, isSession: Bool, _ invocation: Invocation
  ) throws {
    if invocation.wantsJSON {
      try invocation.output.object {
        $0.member(isSession ? "session" : "client", name)
        $0.member("records", records)
      }
    } else if records > 0 {
      try invocation.output.line("Forgot \(ForgetPreview.count(records)) of “\(name)”.")
    }
  }
}
