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
    if invocation.command.has(follow) {
      try followLog(query, invocation)
    } else {
      try printEntries(query, try invocation.connect(), invocation)
    }
    return .done
  }

  /// Prints what is there, then what comes: a subscription tells when there is more to read.
  private static func followLog(_ query: LogQuery, _ invocation: Invocation) throws {
    let reader = try invocation.connect()
    var subscription = SubscriptionQuery()
    if let client = query.client { subscription.clients = [client] }
    subscription.detail = .frames
    let bell = try invocation.connect().subscribe(subscription)
    var query = query
    var seen = query.after ?? 0
    // The subscription stands before the first reading, so nothing falls between the two.
    while case .reply(var reply) = try bell.next() {
      // One reading does for all that has rung already.
      while case .reply(let later) = try bell.next(timeout: .zero) { reply = later }
      guard reply.position > seen else { continue }
      seen = max(reply.position, try printEntries(query, reader, invocation) ?? 0)
      query.after = seen
    }
  }

  /// Prints the records, and returns the last one's position, if there is one.
  @discardableResult
  private static func printEntries(
    _ query: LogQuery, _ daemon: ServiceConnection, _ invocation: Invocation
  ) throws -> Position? {
    let text = LogText(style: invocation.style)
    var last: Position?
    let entries = try daemon.read(query)
    while case .reply(let entry) = try entries.next() {
      guard let entry else { continue }
      last = entry.position
      if invocation.wantsJSON {
        try invocation.output.json(entry)
      } else {
        try invocation.output.line(text.line(entry))
      }
    }
    try invocation.output.flush()
    return last
  }
}
