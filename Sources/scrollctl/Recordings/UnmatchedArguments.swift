import Platform
import ScrollClient
import ScrollModel
import ScrollService

/// Arguments that select sessions of the log, and have not selected any yet.
final class UnmatchedArguments {
  private enum Condition {
    case session(SessionID)
    case pattern(Glob, SessionName?)

    func holds(_ session: SessionID, _ client: String) -> Bool {
      switch self {
      // A client's name may look like a session's id.
      case .session(let id): session == id || SessionID(client) == id
      case .pattern(let glob, let name): glob.matches(client) || name?.names(session, of: client) == true
      }
    }
  }

  private var conditions: [(argument: String, condition: Condition)]

  /// What the messages add about a limit of time.
  private let limit: String

  /// - Parameter isLimited: Whether the command line limits the time, so that a client may have sessions at other times.
  init(_ arguments: some Sequence<String>, isLimited: Bool = false) {
    limit = isLimited ? " in the given time" : ""
    conditions = arguments.map { argument in
      (argument, SessionID(argument).map { .session($0) } ?? .pattern(Glob([argument]), SessionName(argument)))
    }
  }

  /// The arguments.
  var arguments: [String] { conditions.map(\.argument) }

  /// Takes out the arguments that select a session.
  func match(_ session: SessionID, of client: String) { conditions.removeAll { $0.condition.holds(session, client) } }

  /// Reports each of them.
  ///
  /// - Returns: Whether there were any.
  func report(takesFiles: Bool) -> Bool {
    for argument in arguments { Program.report(Self.failure(argument, takesFiles: takesFiles, limit)) }
    return !conditions.isEmpty
  }

  /// The failure of a verb that found nothing at all.
  ///
  /// - Parameter note: What else there is to say about it.
  func failure(takesFiles: Bool, note: String = "") -> Failure {
    let missing = arguments
    guard let last = missing.last else {
      if !note.isEmpty { return Failure("no session of the log is left\(note)") }
      return Failure("the log has no session that you may see\(limit)", hint: limit.isEmpty ? nil : Hints.receivedTime)
    }
    for argument in missing.dropLast() { Program.report(Self.failure(argument, takesFiles: takesFiles, limit)) }
    var failure = Self.failure(last, takesFiles: takesFiles, limit)
    failure.message += note
    return failure
  }

  /// The hint about a pattern that matches nothing; `nil` unless it has a bracket that is not closed.
  static func hint(forPattern pattern: String) -> String? {
    guard let open = pattern.lastIndex(of: "["), !pattern[open...].contains("]") else { return nil }
    return "The pattern is not complete: its last “[” has no “]”."
  }

  /// Takes out the arguments that select a session of the log at any time. Where a verb shows only some records, the others may
  /// be elsewhere. Whatever cannot be listed, such as by an older daemon, counts as found.
  func matchAnySession(of user: UInt32?, at address: ServiceAddress) {
    if conditions.isEmpty { return }
    do {
      let patterns = conditions.allSatisfy { if case .pattern(_, nil) = $0.condition { true } else { false } }
      try ServiceConnection(address).everySession(clients: patterns ? arguments : [], user: user) {
        match($0.session, of: $0.client)
      } damaged: { _, _ in
        // Sessions may be there.
        conditions = []
      }
    } catch {
      conditions = []
    }
  }

  /// Returns the failure of an argument that selects nothing. It says what the argument was taken for.
  ///
  /// - Parameter takesFiles: Whether the argument could have been a file.
  static func failure(_ argument: String, takesFiles: Bool, _ limit: String = "") -> Failure {
    if let id = SessionID(argument) { return Failure("the log has no session \(id) that you may see\(limit)") }
    switch (try? FileStatus(argument))?.kind {
    case .directory?:
      return Failure(
        takesFiles ? "“\(argument)” is a directory, not a recording" : "“\(argument)” is a directory, not a client",
        hint: takesFiles ? "Name the recordings in it:  \(argument)\(argument.hasSuffix("/") ? "" : "/")*.ndjson" : nil)
    case .some where !takesFiles:
      return Failure(
        "“\(argument)” is a file, and no client of the log has this name",
        hint: "A SESSION is an id of 32 hexadecimal digits, a GLOB a pattern over client names.")
    default: break
    }
    if argument.contains(where: { "*?[".contains($0) }) {
      return Failure(
        "no client of the log that you may see matches “\(argument)”\(limit)",
        hint: hint(forPattern: argument))
    }
    let file = takesFiles ? "“\(argument)” is not a file, and " : ""
    return Failure(
      "\(file)the log has no client “\(argument)” that you may see\(limit)",
      hint: "“scrollctl sessions” lists what the log has.")
  }
}
