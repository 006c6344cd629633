// Calls for subscribers: the interface org.scrolld.Observer.

internal import JSON
internal import ScrollJSON
import ScrollModel
internal import Varlink

extension ServiceConnection {
  /// Returns the states of all open sessions.
  ///
  /// - Parameter clients: Globs over client names; when empty, every client that the caller may see.
  /// - Throws: ``ServiceError``.
  public func list(clients: [String] = []) throws(ServiceError) -> [StateReport] {
    let replies = try ReplyStream(self, "org.scrolld.Observer.List") { writer in
      if !clients.isEmpty { writer.member("clients", clients) }
    } _: { (members) throws(ReplyMembers.Unexpected) -> StateReport? in
      // When no session is open, the only reply has no state.
      guard let state = members.members("state") else { return nil }
      return try StateReport(state)
    }
    var states: [StateReport] = []
    for state in replies { states.append(try state.get()) }
    return states
  }

  /// Returns the state of a client's newest session, open or closed, now or at a moment of the past.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - user: The client's user id. When it is `nil`: the caller if they have a client of this name, else the only user who
  ///     has one.
  ///   - moment: The moment of the past; now when it is `nil`.
  /// - Throws: ``ServiceError``; refusals are `noSuchClient`, `ambiguousClient`, `noSuchPosition`, `positionTrimmed` and
  ///   `logDamaged`.
  public func state(
    of client: String, user: UInt32? = nil, at moment: LogMoment? = nil
  ) throws(ServiceError) -> StateReport {
    try call("org.scrolld.Observer.Get") { writer in
      writer.member("client", client)
      writer.member("user", ifPresent: user)
      switch moment {
      case .position(let position): writer.member("position", position)
      case .time(let time): writer.member("time", time.rawValue)
      case nil: break
      }
    } _: { (members) throws(ReplyMembers.Unexpected) in
      try StateReport(members.require("state", members.members("state")))
    }
  }

  /// Returns the present state of a client's newest session, open or closed, with what last turned its toolbar.
  ///
  /// - Parameter user: The client's user id, as for ``state(of:user:at:)``.
  /// - Returns: `nil` when the daemon is older than this call.
  /// - Throws: ``ServiceError``; refusals are `noSuchClient`, `ambiguousClient` and `logDamaged`.
  public func explainedState(of client: String, user: UInt32? = nil) throws(ServiceError) -> ExplainedState? {
    do throws(ServiceError) {
      return try call("org.scrolld.Observer.Explain") { writer in
        writer.member("client", client)
        writer.member("user", ifPresent: user)
      } _: { (members) throws(ReplyMembers.Unexpected) in
        try ExplainedState(members)
      }
    } catch {
      guard case .refused(.methodNotFound) = error else { throw error }
      return nil
    }
  }

  /// Subscribes to openings, transitions and closings. The connection belongs to the stream from now on.
  ///
  /// - Throws: ``ServiceError``; the stream's refusals are `noSuchPosition`, `positionTrimmed`, `positionTakenBack` and
  ///   `logDamaged`.
  public func subscribe(_ query: SubscriptionQuery) throws(ServiceError) -> ReplyStream<SubscriptionReply> {
    try ReplyStream(self, "org.scrolld.Observer.Subscribe", query.writeMembers) {
      (members) throws(ReplyMembers.Unexpected) in try SubscriptionReply(members)
    }
  }

  /// Reads the log's records, in order. The connection belongs to the stream until it has ended.
  ///
  /// - Throws: ``ServiceError``; the stream's refusals are `noSuchClient`, `positionTrimmed` and `logDamaged`.
  public func read(_ query: LogQuery) throws(ServiceError) -> ReplyStream<LogEntry> {
    try ReplyStream(self, "org.scrolld.Observer.Read", query.writeMembers) {
      (members) throws(ReplyMembers.Unexpected) in try LogEntry(members)
    }
  }

  /// Reads the log's records like ``read(_:)``, and passes each to a closure, events in the bytes that the daemon sent. Programs
  /// that copy a log read several times as many a second in this way.
  ///
  /// - Parameter decodes: Whether plain events also have the event itself, for programs that measure a log.
  /// - Throws: ``ServiceError``, as ``read(_:)`` and its stream do; or the error of the closure, after which the connection
  ///   can't be used any more.
  public func readLines(_ query: LogQuery, decodes: Bool = false, _ body: (LogLine) throws -> Void) throws {
    try send("org.scrolld.Observer.Read", mode: .more, query.writeMembers)
    let memory = decodes ? UnsafeMutablePointer<Event>.allocate(capacity: 1) : nil
    memory?.initialize(to: Event(.scroll, time: 0))
    defer { memory?.deallocate() }
    func takePlain(_ message: UnsafeRawBufferPointer) throws -> Bool? {
      guard let event = PlainEvent(message, decodingTo: memory) else { return nil }
      try body(.event(event))
      return event.continues
    }
    while try receiveUnparsed(takePlain) {
      let reception = try receive { (members) throws(ReplyMembers.Unexpected) in try LogEntry(members) }
      guard case .reply(let entry, let continues) = reception else { continue }
      if let entry { try body(.entry(entry)) }
      if !continues { return }
    }
  }

  /// Returns what each session of the log comes to, first the closed ones in the order of their closing, then the open ones.
  /// The connection belongs to the stream until it has ended.
  ///
  /// - Parameters:
  ///   - clients: Globs over client names; when empty, every client that the caller may see.
  ///   - user: Only this user's sessions.
  ///   - session: Only this session.
  ///   - after: Only sessions that were closed after this position, or are open.
  /// - Throws: ``ServiceError``; the stream's refusals are `permissionDenied`, `positionTrimmed` and `logDamaged`.
  public func sessions(
    clients: [String] = [], user: UInt32? = nil, session: SessionID? = nil, after: Position? = nil
  ) throws(ServiceError) -> ReplyStream<SessionSummary> {
    let query = Self.sessionsQuery(clients, user, session, after)
    return try ReplyStream(self, "org.scrolld.Observer.Sessions", query) {
      (members) throws(ReplyMembers.Unexpected) in try SessionSummary(reply: members)
    }
  }

  /// Passes what ``sessions(clients:user:session:after:)`` returns to a closure. Programs that list thousands of sessions do so
  /// in a fraction of the time.
  ///
  /// - Throws: ``ServiceError``, as that and its stream do; or the error of the closure, after which the connection can't be used
  ///   any more.
  public func eachSession(
    clients: [String] = [], user: UInt32? = nil, session: SessionID? = nil, after: Position? = nil,
    _ body: (SessionSummary) throws -> Void
  ) throws {
    try send("org.scrolld.Observer.Sessions", mode: .more, Self.sessionsQuery(clients, user, session, after))
    func takePlain(_ message: UnsafeRawBufferPointer) throws -> Bool? {
      var continues = false
      guard let summary = SessionSummary(plain: message, continues: &continues) else { return nil }
      try body(summary)
      return continues
    }
    while try receiveUnparsed(takePlain) {
      let reception = try receive { (members) throws(ReplyMembers.Unexpected) in try SessionSummary(reply: members) }
      guard case .reply(let summary, let continues) = reception else { continue }
      if let summary { try body(summary) }
      if !continues { return }
    }
  }

  private static func sessionsQuery(
    _ clients: [String], _ user: UInt32?, _ session: SessionID?, _ after: Position?
  ) -> (inout JSONWriter) -> Void {
    { writer in
      if !clients.isEmpty { writer.member("clients", clients) }
      writer.member("user", ifPresent: user)
      writer.member("session", ifPresent: session?.description)
      writer.member("after", ifPresent: after)
    }
  }

  /// Asks a client to scroll. Its answer is a response record of its session; use ``LogFollower`` to wait for it.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - user: The client's user id. When it is `nil`: the caller if they have a client of this name, else the only user who
  ///     has one.
  ///   - target: Where to scroll; pages count from 0.
  /// - Returns: The position of the request, which the response names.
  /// - Throws: ``ServiceError``; refusals are `noSuchClient`, `ambiguousClient`, `clientAway`, `permissionDenied` and
  ///   `noSpace`.
  public func scroll(
    _ client: String, user: UInt32? = nil, to target: ScrollRequest.Target
  ) throws(ServiceError) -> Position {
    try call("org.scrolld.Observer.Scroll") { writer in
      writer.member("client", client)
      writer.member("user", ifPresent: user)
      target.writeMembers(to: &writer)
    } _: { (members) throws(ReplyMembers.Unexpected) in
      try members.require("position", members.count("position"))
    }
  }
}
