import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  private static let since = Option(
    name: "since", value: "TIME", summary: "Only sessions with a record received then or later")
  private static let until = Option(
    name: "until", value: "TIME", summary: "Only sessions with a record received then or earlier")
  private static let output = Option(
    name: "output", value: "DIR", summary: "Write a file per session to this directory")

  static let export = Verb(
    name: "export", group: .recordings,
    arguments: [Argument(name: "SESSION|GLOB", isRequired: false, repeats: true)],
    options: [since, until, output, .uid],
    summary: "Write sessions of the daemon's log as recordings",
    details: [
      "SESSION is an id of 32 hexadecimal digits, GLOB a pattern over client names; without any, all sessions are "
        + "exported. They follow each other in the order in which they began.",
      "A session is always exported completely, even if only a part of it is within the given times, so that it folds to "
        + "the same result. If the log no longer has a session's beginning, or is damaged where the session may have "
        + "records, the session is left out with a message, and the exit status is 1. An open session has no close line.",
      "The open line has the session's id and its policy with all parameters.",
    ],
    examples: [
      Example(arguments: "export > all.ndjson", meaning: "Export the whole log."),
      Example(
        arguments: "export --since yesterday --output recordings reader/*",
        meaning: "Export these clients' sessions, each to a file of its own."),
      Example(
        arguments: "export | scrollctl --socket /tmp/other import -", meaning: "Copy all sessions to another daemon."),
    ]
  ) { invocation in
    var index = SessionIndex(invocation.command.arguments)
    index.user = try invocation.command.uid()
    index.since = try time(since, invocation) ?? index.since
    index.until = try time(until, invocation) ?? index.until
    let daemon = try invocation.connect()
    let (sessions, gaps) = try index.sessions(of: daemon)
    var status = ExitStatus.done
    for gap in gaps {
      Program.warn(gap.description)
      status = .failed
    }
    if sessions.isEmpty { throw Failure("the log has no such session that you may see") }
    let directory = invocation.command.text(output)
    if let directory { _ = try POSIXFileSystem().makeDirectory(directory) }
    for session in sessions {
      if let loss = session.loss {
        try invocation.output.flush()
        Program.warn(text(loss, of: session))
        status = .failed
        continue
      }
      if let directory {
        let path = directory + "/" + session.fileName
        try write(session, of: daemon, to: path)
        try report(session, path, invocation)
      } else {
        try read(session, of: daemon) { try invocation.output.raw($0) }
      }
    }
    return status
  }

  private static func text(_ loss: ExportedSession.Loss, of session: ExportedSession) -> String {
    switch loss {
    case .trimmed:
      "skipped the session \(session.id) of \(session.client): the log no longer has its beginning, so that it would fold to "
        + "another result"
    case .damaged:
      "skipped the session \(session.id) of \(session.client): it may have records where the log is damaged"
    }
  }

  private static func time(_ option: Option, _ invocation: Invocation) throws -> Int64? {
    guard let text = invocation.command.text(option) else { return nil }
    if let time = TimeReader(now: UnixMicroseconds.now.rawValue).read(text) { return time }
    throw UsageError.badValue(
      option: option.name, text: text, expected: "a time such as “yesterday”, “10 min ago” or “2026-11-30 09:15”")
  }

  /// Reads a session's records as lines.
  private static func read(
    _ session: ExportedSession, of daemon: ServiceConnection, _ body: ([UInt8]) throws -> Void
  ) throws {
    var query = LogQuery()
    query.session = session.id
    query.after = session.firstPosition - 1
    // With the limit, the daemon does not search the rest of the log.
    query.limit = session.records
    for entry in try daemon.read(query) { try body(session.line(entry.get())) }
  }

  /// Writes a session to a file, which gets its content only when it is complete.
  private static func write(_ session: ExportedSession, of daemon: ServiceConnection, to path: String) throws {
    let fileSystem = POSIXFileSystem()
    let temporary = path + ".tmp"
    // Reserves the name, so that no other file is replaced.
    _ = try fileSystem.create(path)
    do {
      let file = try fileSystem.create(temporary)
      var (end, lines): (Int64, [UInt8]) = (0, [])
      func flush() throws {
        try lines.withUnsafeBytes { try file.write($0, at: end) }
        end += Int64(lines.count)
        lines.removeAll(keepingCapacity: true)
      }
      try read(session, of: daemon) { line in
        lines += line
        if lines.count >= 1 << 16 { try flush() }
      }
      try flush()
      try fileSystem.rename(temporary, to: path)
    } catch {
      // The original error is more useful than one from cleaning up.
      try? fileSystem.remove(path)
      try? fileSystem.remove(temporary)
      throw error
    }
  }

  private static func report(_ session: ExportedSession, _ path: String, _ invocation: Invocation) throws {
    if invocation.wantsJSON {
      try invocation.output.object {
        $0.member("file", path)
        $0.member("client", session.client)
        $0.member("user", session.user)
        $0.member("session", session.id)
        $0.member("events", session.events)
      }
    } else {
      let events = session.events == 1 ? "1 event" : "\(session.events) events"
      try invocation.output.line("\(visible(path)): \(events) of \(visible(session.client))")
    }
  }
}
