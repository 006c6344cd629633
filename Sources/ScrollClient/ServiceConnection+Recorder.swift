// What clients with scroll views call: org.scrolld.Recorder.

import ScrollJSON
import ScrollModel
import Varlink

extension ServiceConnection {
  /// How many events one call may hold.
  public static var maximumEventsPerCall: Int { 4096 }

  /// Opens a client. A session that is open goes on where it was, so this is how a feeder comes back after the
  /// connection was lost: it appends from `nextNumber` on, and nothing is stored twice.
  ///
  /// - Parameters:
  ///   - client: The client's name, by the rule of `ClientName`.
  ///   - application: The application's name and version, for people.
  ///   - title: What is shown, for people.
  ///   - session: The session that goes on, or an id that nobody has used; the daemon gives one when it is `nil`.
  ///   - closeOnDisconnect: Whether the session ends with this connection.
  /// - Throws: ``ServiceError``; refusals are `invalidClient`, `sessionClosed`, `permissionDenied` and `noSpace`.
  public func open(
    client: String, application: String? = nil, title: String? = nil, session: SessionID? = nil,
    closeOnDisconnect: Bool = false
  ) throws(ServiceError) -> OpenedSession {
    try call("org.scrolld.Recorder.Open") { writer in
      writer.member("client", client)
      writer.member("application", ifPresent: application)
      writer.member("title", ifPresent: title)
      writer.member("session", ifPresent: session?.description)
      if closeOnDisconnect { writer.member("closeOnDisconnect", true) }
    } _: { (members) throws(ReplyMembers.Unexpected) in
      try OpenedSession(members)
    }
  }

  /// Appends events, all or none.
  ///
  /// - Parameters:
  ///   - events: 1 to ``maximumEventsPerCall`` events.
  ///   - session: The session.
  ///   - number: The first event's place in the session, 1 for the first. Events that are stored already are passed
  ///     over by their numbers; without a number there is no protection against resends.
  /// - Throws: ``ServiceError``; refusals are `invalidEvent`, `tooManyEvents`, `numberGap`, `noSuchSession`,
  ///   `sessionClosed`, `permissionDenied` and `noSpace`.
  public func append(
    _ events: some Sequence<Event>, to session: SessionID, number: Int64? = nil
  ) throws(ServiceError) -> AppendedEvents {
    try sendAppend(events, to: session, number: number)
    return try receiveAppended()
  }

  /// Sends events without waiting for what becomes of them: as ``append(_:to:number:)``, whose other half is
  /// ``receiveAppended()``, once for each.
  public func sendAppend(
    _ events: some Sequence<Event>, to session: SessionID, number: Int64? = nil
  ) throws(ServiceError) {
    try send("org.scrolld.Recorder.Append") { writer in
      writer.member("session", session)
      writer.member("number", ifPresent: number)
      writer.key("events")
      writer.beginArray()
      for event in events { event.write(to: &writer) }
      writer.endArray()
    }
  }

  /// Waits for what became of the events that were sent first and have no answer yet.
  ///
  /// - Throws: ``ServiceError``.
  public func receiveAppended() throws(ServiceError) -> AppendedEvents {
    let reception = try receive { (members) throws(ReplyMembers.Unexpected) in
      try AppendedEvents(members)
    }
    switch reception {
    case .reply(let appended, continues: _): return appended
    case .nothingYet: throw .timedOut(address)
    }
  }

  /// Closes a session.
  ///
  /// - Throws: ``ServiceError``; refusals are `noSuchSession`, `sessionClosed` and `permissionDenied`.
  public func close(_ session: SessionID) throws(ServiceError) {
    try call("org.scrolld.Recorder.Close") {
      $0.member("session", session)
    } _: { _ in
    }
  }

  // MARK: Scroll requests

  /// Streams what others ask a session's scroll view to do: first what has no response yet, then each request as it comes.
  /// The connection is the stream's from now on; ``respond(to:of:done:reason:)`` needs another one.
  ///
  /// - Returns: The requests; `nil` is a heartbeat, the first of which says that the stream stands.
  /// - Throws: ``ServiceError``; the stream's refusals are `noSuchSession`, `sessionClosed`, `permissionDenied` and
  ///   `requestsTakenOver`.
  public func requests(of session: SessionID) throws(ServiceError) -> ReplyStream<RequestedScroll?> {
    try ReplyStream(self, "org.scrolld.Recorder.Requests") {
      $0.member("session", session)
    } _: { (members) throws(ReplyMembers.Unexpected) -> RequestedScroll? in
      guard let request = members.members("request") else { return nil }
      return try RequestedScroll(request)
    }
  }

  /// Says what became of a scroll request. Each is answered once.
  ///
  /// - Parameters:
  ///   - request: The request's position.
  ///   - session: The session that was asked.
  ///   - done: Whether the content was scrolled.
  ///   - reason: Why not, for people.
  /// - Throws: ``ServiceError``; refusals are `noSuchRequest`, `noSuchSession`, `sessionClosed`, `permissionDenied` and
  ///   `noSpace`.
  public func respond(
    to request: Position, of session: SessionID, done: Bool, reason: String? = nil
  ) throws(ServiceError) {
    try call("org.scrolld.Recorder.Respond") { writer in
      writer.member("session", session)
      writer.member("request", request)
      writer.member("done", done)
      writer.member("reason", ifPresent: reason)
    } _: { _ in
    }
  }
}
