// Calls for clients with scroll views: the interface org.scrolld.Recorder.

internal import ScrollJSON
import ScrollModel
internal import Varlink

extension ServiceConnection {
  /// The most events that a call may have.
  public static var maximumEventsPerCall: Int { 4096 }

  /// Opens a client's session, or resumes one that is open. After a lost connection, open the same session again and append
  /// from `nextNumber`: nothing is stored twice.
  ///
  /// - Parameters:
  ///   - client: The client's name, by the rule of `ClientName`.
  ///   - application: The application's name and version, as text for people.
  ///   - title: The title of what the client shows, as text for people.
  ///   - session: The session to resume, or an unused id. The daemon assigns an id when it is `nil`.
  ///   - closeOnDisconnect: Whether the daemon closes the session when this connection ends.
  ///   - time: When the session began, by the client's clock; when `nil`, the daemon's clock counts.
  /// - Throws: ``ServiceError``; refusals are `invalidClient`, `sessionClosed`, `permissionDenied` and `noSpace`.
  public func open(
    client: String, application: String? = nil, title: String? = nil, session: SessionID? = nil,
    closeOnDisconnect: Bool = false, time: UnixMicroseconds? = nil
  ) throws(ServiceError) -> OpenedSession {
    try call("org.scrolld.Recorder.Open") { writer in
      writer.member("client", client)
      writer.member("application", ifPresent: application)
      writer.member("title", ifPresent: title)
      writer.member("session", ifPresent: session?.description)
      if closeOnDisconnect { writer.member("closeOnDisconnect", true) }
      writer.member("time", ifPresent: time?.rawValue)
    } _: { (members) throws(ReplyMembers.Unexpected) in
      try OpenedSession(members)
    }
  }

  /// Appends events, all or none.
  ///
  /// - Parameters:
  ///   - events: 1 to ``maximumEventsPerCall`` events.
  ///   - session: The session.
  ///   - number: The first event's number in the session, where 1 is the first. The daemon skips numbers that it has
  ///     stored already; without a number, events that you send again are stored again.
  /// - Throws: ``ServiceError``; refusals are `invalidEvent`, `tooManyEvents`, `numberGap`, `noSuchSession`,
  ///   `sessionClosed`, `permissionDenied` and `noSpace`.
  public func append(
    _ events: some Sequence<Event>, to session: SessionID, number: Int64? = nil
  ) throws(ServiceError) -> AppendedEvents {
    try sendAppend(events, to: session, number: number)
    return try receiveAppended()
  }

  /// Sends events as ``append(_:to:number:)`` does, without waiting for the answer. Call ``receiveAppended()`` once for each
  /// such call.
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

  /// Waits for the answer to the earliest call of ``sendAppend(_:to:number:)`` that has none yet.
  ///
  /// - Throws: ``ServiceError``.
  public func receiveAppended() throws(ServiceError) -> AppendedEvents {
    try receiveOne { (members) throws(ReplyMembers.Unexpected) in try AppendedEvents(members) }
  }

  /// Closes a session.
  ///
  /// - Parameter time: When it ended, by the client's clock; when `nil`, the daemon's clock counts.
  /// - Throws: ``ServiceError``; refusals are `noSuchSession`, `sessionClosed` and `permissionDenied`.
  public func close(_ session: SessionID, time: UnixMicroseconds? = nil) throws(ServiceError) {
    try call("org.scrolld.Recorder.Close") {
      $0.member("session", session)
      $0.member("time", ifPresent: time?.rawValue)
    } _: { _ in
    }
  }

  // MARK: Scroll requests

  /// Streams the requests to scroll a session's scroll view: first those without a response, then each new one. Returns when
  /// the daemon knows that the client listens. The connection belongs to the stream from now on;
  /// ``respond(to:of:done:reason:)`` needs another one.
  ///
  /// - Throws: ``ServiceError``; refusals, then or later, are `noSuchSession`, `sessionClosed`, `permissionDenied` and
  ///   `requestsTakenOver`.
  public func requests(of session: SessionID) throws(ServiceError) -> ReplyStream<RequestedScroll> {
    let requests = try ReplyStream(self, "org.scrolld.Recorder.Requests") {
      $0.member("session", session)
    } _: { (members) throws(ReplyMembers.Unexpected) -> RequestedScroll? in
      // Heartbeats have no request.
      guard let request = members.members("request") else { return nil }
      return try RequestedScroll(request)
    }
    try requests.waitUntilEstablished()
    return requests
  }

  /// Answers a scroll request. Each request has one answer.
  ///
  /// - Parameters:
  ///   - request: The request's position.
  ///   - session: The session that the request is for.
  ///   - done: Whether the client scrolled.
  ///   - reason: Why it did not, as text for people.
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
