// scrollctl export: sessions of the log as recordings.

import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  private static let since = Option(
    name: "since", value: "TIME", summary: "Sessions of which the daemon got something then or later")
  private static let until = Option(
    name: "until", value: "TIME", summary: "Sessions of which the daemon got something then or earlier")
  private static let output = Option(
    name: "output", value: "DIR", summary: "A file for each session in this directory, instead of standard output")

  static let export = Verb(
    name: "export", group: .recordings,
    arguments: [Argument(name: "SESSION|GLOB", isRequired: false, repeats: true)],
    options: [since, until, output, .uid],
    summary: "Write sessions of the daemon's log as recordings",
    details: [
      "SESSION is an id of 32 hexadecimal digits, GLOB a pattern over clients' names; without any, all sessions are meant. "
        + "They are written one behind the other, in the order in which they began.",
      "A session is written whole, also where only a part of it lies in the times that are asked for: only so does it fold to "
        + "the same. One whose beginning the log no longer holds is left out and told, and so is one that may have records "
        + "where the log is damaged; then the exit status is 1. One that is open has no close line.",
      "The open line tells the session's id and the policy that was in force, with all its parameters.",
    ],
    examples: [
      Example(arguments: "export > all.ndjson", meaning: "The whole log."),
      Example(
        arguments: "export --since yesterday --output recordings reader/*",
        meaning: "These clients' sessions, a file for each."),
      Example(
        arguments: "export | scrollctl --socket /tmp/other import -", meaning: "Into another daemon."),
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
    if sessions.isEmpty { throw Failure("the log holds no such session that you may see") }
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
      "the log no longer holds the beginning of the session \(session.id) of \(session.client): it is left out, since what is "
        + "left doesn't fold to the same"
    case .damaged:
      "the session \(session.id) of \(session.client) is left out, since records of it may stand where the log is damaged"
    }
  }

  private static func time(_ option: Option, _ invocation: Invocation) throws -> Int64? {
    guard let text = invocation.command.text(option) else { return nil }
    if let time = TimeReader(now: UnixMicroseconds.now.rawValue).read(text) { return time }
    throw UsageError.badValue(
      option: option.name, text: text, expected: "a time such as “yesterday”, “10 min ago” or “2026-11-30 09:15”")
  }

  /// Reads a session's records, as lines.
  private static func read(
    _ session: ExportedSession, of daemon: ServiceConnection, _ body: ([UInt8]) throws -> Void
  ) throws {
    var query = LogQuery()
    query.session = session.id
    query.after = session.firstPosition - 1
    // As many as there were, so that nobody looks for more up to the log's end.
    query.limit = session.records
    for entry in try daemon.read(query) { try body(session.line(entry.get())) }
  }

  /// Writes a session to a file, which has its name only when it is complete.
  private static func write(_ session: ExportedSession, of daemon: ServiceConnection, to path: String) throws {
    let fileSystem = POSIXFileSystem()
    let temporary = path + ".tmp"
    // Takes the name, so that no other file is replaced.
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
      // Why it failed says more than why what is left of it can't be removed.
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
