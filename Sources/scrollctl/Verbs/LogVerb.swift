import ScrollClient
import ScrollModel

extension Verb {
  private static let follow = Option(name: "follow", short: "f", summary: "Continue with new records, until Ctrl-C")
  private static let limit = Option(name: "limit", short: "n", value: "N", summary: "Show at most N records")

  static let log = Verb(
    name: "log", group: .observe,
    arguments: [Argument(name: "SESSION|CLIENT", isRequired: false)],
    options: [.after, follow, limit, .uid],
    summary: "Show the log's records: of a session, of a client, or all",
    details: [
      "SESSION is an id of 32 hexadecimal digits, CLIENT a client's name. Each line has the record's position, the time "
        + "when the daemon received it, the client, an event's number in its session, and what happened.",
      "With --json, each line is the object that the daemon sends: position, received, client, user, session, number, "
        + "record. To make a recording of a session, extract its records with jq -c .record.",
    ],
    examples: [
      Example(arguments: "log reader/main -n 20", meaning: "Show the client's first 20 records."),
      Example(
        arguments: "log --after 5000 --follow", meaning: "Show everything after position 5000, and what follows."),
      Example(
        arguments: "--json log 0123456789abcdef0123456789abcdef | jq -c .record > article.ndjson",
        meaning: "Save a session as a recording."),
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
        // A client's name may look like a session's id.
        query.session = nil
        query.client = invocation.argument(0)
        isEmpty = try !print(query, of: daemon, &text, invocation)
      }
      if isEmpty, query.after == nil, let name = invocation.argument(0) {
        throw Failure("the log has no record of “\(name)” that you may see")
      }
    }
    return .done
  }

  /// Prints the records of a query.
  ///
  /// - Returns: Whether there were any.
  private static func print(
    _ query: LogQuery, of daemon: ServiceConnection, _ text: inout LogText, _ invocation: Invocation
  ) throws -> Bool {
    var isEmpty = true
    if invocation.wantsJSON {
      try daemon.readLines(query) { line in
        isEmpty = false
        switch line {
        case .event(let event): try invocation.output.plainLine(event.json)
        case .entry(let entry): try print(entry, &text, invocation)
        }
      }
      return !isEmpty
    }
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
