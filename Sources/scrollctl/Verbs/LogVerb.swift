// scrollctl log: the log's records.

import ScrollClient
import ScrollModel

extension Verb {
  private static let follow = Option(name: "follow", short: "f", summary: "Go on with what comes, until Ctrl-C")
  private static let limit = Option(name: "limit", short: "n", value: "N", summary: "At most so many records")

  static let log = Verb(
    name: "log", group: .observe,
    arguments: [Argument(name: "SESSION|CLIENT", isRequired: false)],
    options: [.after, follow, limit, .uid],
    summary: "Show the log's records: of a session, of a client, or all",
    details: [
      "SESSION is an id of 32 hexadecimal digits, CLIENT a client's name. Each line has the record's position, when the "
        + "daemon got it, the client, an event's number in its session, and what happened.",
      "With --json it is the object that the daemon sends: position, received, client, user, session, number, record. "
        + "The records of one session, one a line, are a recording: jq -c .record makes one.",
    ],
    examples: [
      Example(arguments: "log reader/main -n 20", meaning: "Its first 20 records."),
      Example(arguments: "log --after 5000 --follow", meaning: "Everything behind position 5000, and what follows."),
      Example(
        arguments: "--json log 0123456789abcdef0123456789abcdef | jq -c .record > article.ndjson",
        meaning: "Keep a session as a recording."),
    ]
  ) { invocation in
    if invocation.command.has(follow), invocation.command.has(limit) {
      throw UsageError.conflict(follow.name, limit.name)
    }
    var query = LogQuery()
    if let argument = invocation.argument(0) {
      if let session = SessionID(argument) { query.session = session } else { query.client = argument }
    }
    query.user = try invocation.command.uid()
    query.after = try invocation.command.integer(.after)
    query.limit = try invocation.command.integer(limit, in: 1...Int64.max)
    var text = LogText(style: invocation.style)
    if invocation.command.has(follow) {
      let follower = try LogFollower(query, at: invocation.command.address())
      while case .element(let update) = try invocation.output.wait(for: follower.next(timeout:)) {
        if case .entry(let entry) = update { try print(entry, &text, invocation) }
      }
    } else {
      let daemon = try invocation.connect()
      var isEmpty = try !print(query, of: daemon, &text, invocation)
      if isEmpty, query.session != nil {
        // A client may be called as a session could be.
        query.session = nil
        query.client = invocation.argument(0)
        isEmpty = try !print(query, of: daemon, &text, invocation)
      }
      if isEmpty, query.after == nil, let name = invocation.argument(0) {
        throw Failure("the log holds no record of “\(name)” that you may see")
      }
    }
    return .done
  }

  /// Prints what the log has, and returns whether it has anything.
  private static func print(
    _ query: LogQuery, of daemon: ServiceConnection, _ text: inout LogText, _ invocation: Invocation
  ) throws -> Bool {
    var isEmpty = true
    for entry in try daemon.read(query) {
      isEmpty = false
      try print(entry.get(), &text, invocation)
    }
    return !isEmpty
  }

  private static func print(_ entry: LogEntry, _ text: inout LogText, _ invocation: Invocation) throws {
    if invocation.wantsJSON {
      try invocation.output.line(entry.json)
    } else {
      try invocation.output.line(text.line(entry))
    }
  }
}
