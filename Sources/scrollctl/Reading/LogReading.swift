import ScrollClient
import ScrollModel
import ScrollService

/// Reads the records of the log that a command line selects, from the beginning or from the end.
struct LogReading {
  /// Which of a record's times counts.
  enum Clock: String {
    /// When the daemon received it.
    case received
    /// The client's time, where the record has one.
    case eventTime = "event-time"

    /// The time of a record, in microseconds since the Unix epoch.
    func time(of entry: LogEntry) -> Int64 {
      guard self == .eventTime else { return entry.received.rawValue }
      switch entry.record {
      case .open(let time, _, _, _), .close(let time, _): return time.rawValue
      case .event(let event): return event.time
      case .request, .response: return entry.received.rawValue
      }
    }
  }

  /// How many positions a reading from the end looks at first.
  private static let firstWindow: Int64 = 256
  /// How many positions a reading of everything looks at at a time.
  private static let largestWindow: Int64 = 1 << 16

  let address: ServiceAddress
  /// What the daemon selects: at most one session, client and user.
  var query = LogQuery()
  /// What else has to match, if there are several arguments.
  var ids: Set<SessionID> = []
  var globs: Glob?
  var clock = Clock.received
  var times = Int64.min...Int64.max
  let unmatched: UnmatchedArguments
  /// The damaged parts that were passed over.
  let gaps = LogGaps()

  /// Creates the reading of a command line's arguments.
  init(_ arguments: [String], user: UInt32?, at address: ServiceAddress) {
    self.address = address
    query.user = user
    unmatched = UnmatchedArguments(arguments)
    let only = arguments.count == 1 ? arguments[0] : nil
    if let only, let id = SessionID(only) {
      query.session = id
    } else if let only, !only.contains(where: { "*?[".contains($0) }) {
      query.client = only
    } else if !arguments.isEmpty {
      ids = Set(arguments.compactMap { SessionID($0) })
      globs = Glob(arguments.filter { SessionID($0) == nil })
    }
  }

  /// Whether the daemon alone selects the records.
  var isDaemons: Bool { globs == nil && times == .min ... .max }

  /// Whether a record is selected.
  func wants(_ entry: LogEntry) -> Bool {
    guard times.contains(clock.time(of: entry)) else { return false }
    if let globs {
      let isMatch = ids.contains(entry.session) || !globs.patterns.isEmpty && globs.matches(entry.client)
      if !isMatch { return false }
    }
    unmatched.match(entry.session, of: entry.client)
    return true
  }

  /// Reads the records that a query selects.
  ///
  /// If the log begins after the query's position, the reading begins there, too, unless the command line names the position.
  ///
  /// - Parameter body: Returns whether to read on.
  /// - Returns: The position after which the reading has begun; `nil` for the log's beginning.
  @discardableResult
  private func read(
    _ query: LogQuery, from daemon: ServiceConnection, _ body: (LogEntry) throws -> Bool
  ) throws -> Position? {
    do {
      try gaps.passing(query) { query in
        for entry in try daemon.read(query) {
          if try !body(entry.get()) { break }
        }
      }
      return query.after
    } catch let error as ServiceError {
      guard case .positionTrimmed(let first) = error.refusal, self.query.after == nil, let after = query.after,
        after < first - 1
      else { throw error }
      var query = query
      query.after = first - 1
      return try read(query, from: ServiceConnection(address), body)
    }
  }

  // MARK: Forwards

  /// Reads the selected records in order.
  ///
  /// - Parameter body: Returns whether to read on.
  func read(_ body: (LogEntry) throws -> Bool) throws {
    var query = query
    query.after = try start()
    let end = try self.end()
    try read(query, from: ServiceConnection(address)) { entry in
      if entry.position > end { return false }
      return try !wants(entry) || body(entry)
    }
  }

  // MARK: Backwards

  /// Reads the selected records from the last one back.
  ///
  /// - Parameters:
  ///   - last: The position to begin at.
  ///   - hasLimit: Whether only some records are wanted.
  ///   - body: Gets records in the order of the log, the last ones first; returns whether to read on.
  private func readParts(through last: Position, hasLimit: Bool, _ body: ([LogEntry]) throws -> Bool) throws {
    let first = try start() ?? 0
    var upper = min(last, try end())
    var window = Self.firstWindow
    while upper > first {
      let lower = max(first, upper - window)
      var query = query
      query.after = lower
      var part: [LogEntry] = []
      // A stream that is left in the middle keeps its connection.
      let begin = try read(query, from: ServiceConnection(address)) { entry in
        if entry.position > upper { return false }
        if wants(entry) { part.append(entry) }
        return true
      }
      // The log has nothing before that.
      let isBeginning = begin != lower
      if try !body(part) || isBeginning { return }
      upper = lower
      // What was not found so far is rare, so that even a large window has little of it.
      window = hasLimit ? window.multipliedReportingOverflow(by: 4).partialValue : Self.largestWindow
      if window <= 0 { window = .max }
    }
  }

  /// Returns the newest records, the oldest of them first.
  func newest(_ count: Int, through last: Position) throws -> [LogEntry] {
    var parts: [[LogEntry]] = []
    var found = 0
    try readParts(through: last, hasLimit: true) { part in
      parts.append(part.suffix(count - found))
      found += parts[parts.count - 1].count
      return found < count
    }
    return parts.reversed().flatMap { $0 }
  }

  /// Reads the selected records, the newest first.
  func readReversed(_ count: Int, through last: Position, _ body: (LogEntry) throws -> Void) throws {
    var rest = count
    try readParts(through: last, hasLimit: count < .max) { part in
      for entry in part.reversed().prefix(rest) { try body(entry) }
      rest -= min(rest, part.count)
      return rest > 0
    }
  }

  /// Returns the last position of the log.
  static func lastPosition(at address: ServiceAddress) throws -> Position {
    var subscription = SubscriptionQuery()
    // The name of hardly any client: what is asked for is how far the log is.
    subscription.clients = ["/"]
    for reply in try ServiceConnection(address).subscribe(subscription) {
      let reply = try reply.get()
      if case .caughtUp = reply.content { return reply.position }
    }
    return 0
  }

  // MARK: Times

  /// The position after which to read.
  private func start() throws -> Position? {
    guard clock == .received, times.lowerBound > .min else { return query.after }
    return max(query.after ?? 0, try position(before: times.lowerBound))
  }

  /// The last position to read.
  private func end() throws -> Position {
    guard clock == .received, times.upperBound < .max else { return .max }
    return try position(before: times.upperBound + 1)
  }

  /// Returns the last position that the daemon received before a time. Like journalctl, it trusts that the daemon's clock was
  /// not put back.
  private func position(before time: Int64) throws -> Position {
    var query = LogQuery()
    query.limit = 1
    var (lower, upper) = (Position(0), try Self.lastPosition(at: address))
    let daemon = try ServiceConnection(address)
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      query.after = middle
      var next: LogEntry?
      try read(query, from: daemon) { entry in
        next = entry
        return true
      }
      // The positions between the two are of other users.
      if let next, next.position > middle, next.position <= upper, next.received.rawValue < time {
        lower = next.position
      } else {
        upper = middle
      }
    }
    return lower
  }
}
