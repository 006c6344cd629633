// org.scrolld.Recorder: opening, appending, closing, and carrying out requests.

import JSON
import ScrollJSON
import ScrollModel
import Varlink

extension Service {
  // MARK: Append

  func append(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    var parameters = call.parameters()
    let id = try sessionID(&parameters)
    let number = try parameters.optionalInt("number")
    let events = try parameters.array("events")
    try parameters.finish()
    let session = try ownSession(id, connection)
    connection.fedSessions.insert(id)
    do throws(VarlinkError) {
      return try append(events, number: number, to: session, call.token, connection)
    } catch {
      // Nobody hears of a oneway call's refusal, so nothing may follow it unnoticed.
      if call.isOneway { setGapped(session, true) }
      throw error
    }
  }

  private func append(
    _ events: JSONArray, number: Int64?, to session: IntakeSession, _ token: CallToken, _ connection: Connection
  ) throws(VarlinkError) -> NextCall {
    if events.count == 0 { throw .invalidParameter("events") }
    if events.count > Self.maximumEvents { throw ServiceError.tooManyEvents(limit: Self.maximumEvents) }
    charge(events.count, to: connection)
    if let number {
      if number < 1 { throw .invalidParameter("number") }
      if number > session.nextNumber { throw ServiceError.numberGap(expected: session.nextNumber) }
    } else if session.isGapped {
      throw ServiceError.numberGap(expected: session.nextNumber)
    }
    let known = Int(number.map { min(session.nextNumber - $0, Int64(events.count)) } ?? 0)
    metrics.eventsPassedOver += Int64(known)
    if known == events.count {
      // The resend ends with the number before this one; what was answered then is answered again.
      return answerResend(upTo: (number ?? 1) + Int64(known), of: session, token, connection)
    }

    let mark = builder.mark
    let firstPosition = builder.nextPosition
    builder.beginRun(session.id, firstNumber: session.nextNumber)
    var index = 0
    for value in events {
      defer { index += 1 }
      if index < known { continue }
      do throws(EventProblem) {
        builder.append(try Event(json: value))
      } catch {
        builder.rollback(to: mark)
        throw ServiceError.invalidEvent(index: index, error)
      }
    }
    builder.endRun()
    let count = Int64(events.count - known)
    if session.pending.isEmpty { touched.append(session) }
    session.pending.append(
      IntakeSession.PendingRun(
        firstNumber: session.nextNumber, firstPosition: firstPosition, count: count, isOneway: token.isOneway))
    session.nextNumber += count
    setGapped(session, false)
    metrics.eventsAppended += count
    noteRecord(of: session, on: connection)
    answer(token, connection, .append(position: builder.nextPosition - 1, nextNumber: session.nextNumber))
    return .mayFollow
  }

  /// Answers a call whose events are all stored already, as its first one was answered.
  private func answerResend(
    upTo nextNumber: Int64, of session: IntakeSession, _ token: CallToken, _ connection: Connection
  ) -> NextCall {
    if let position = session.pendingPosition(ofNumber: nextNumber - 1) {
      // Not on disk yet: the answer waits for the block that it is in, or a later one.
      answerWithLastCommit(token, connection, .append(position: position, nextNumber: nextNumber))
      return .mayFollow
    }
    let stored = projection.sessions[session.id]
    if let position = stored?.position(ofNumber: nextNumber - 1) {
      let isKept = position >= segments.firstPosition
      give(.append(position: isKept ? position : 0, nextNumber: nextNumber), to: token, connection)
      return .mayFollow
    }
    // So long ago that only the log still knows.
    let after = (stored?.openedPosition ?? 1) - 1
    return begin(
      ResendQuery(token: token, session: session.id, nextNumber: nextNumber, log: segments, after: after),
      on: connection)
  }

  // MARK: Open and Close

  func open(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let application = try parameters.optionalString("application")
    let title = try parameters.optionalString("title")
    let given = try parameters.optionalText("session")
    let closeOnDisconnect = try parameters.optionalBool("closeOnDisconnect") ?? false
    try parameters.finish()
    do { try ClientName.validate(name) } catch { throw ServiceError.invalidClient(error) }
    try check(application, "application")
    try check(title, "title")
    let client = ClientID(user: connection.peer.user, name: name)

    var id = SessionID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    if let given {
      guard let chosen = SessionID(digits: given.bytes) else { throw .invalidParameter("session") }
      id = chosen
      if let session = intake[id] {
        guard session.client.user == connection.peer.user else { throw .permissionDenied }
        guard session.client == client else { throw .invalidParameter("client") }
        goOn(session, closeOnDisconnect: closeOnDisconnect, call.token, connection)
        return .mayFollow
      }
      if closedSessions.contains(id) { throw ServiceError.sessionClosed }
    }
    if let before = intakeClients[client] {
      close(before, reason: .reopened)
      connection.fedSessions.remove(before.id)
    } else if client.user != 0, sessionsPerUser[client.user, default: 0] >= configuration.maximumSessionsPerUser {
      throw ServiceError.tooManySessions(limit: configuration.maximumSessionsPerUser)
    }
    charge(1, to: connection)
    let opening = Opening(
      client: client, time: clock.wall(), application: application, title: title,
      closeOnDisconnect: closeOnDisconnect, policy: policy(for: name))
    let session = begin(id, opening, connection)
    if closeOnDisconnect { own(session, connection) }
    answer(call.token, connection, .open(id, nextNumber: 1))
    return .mayFollow
  }

  /// Begins a session.
  func begin(_ id: SessionID, _ opening: Opening, _ connection: Connection) -> IntakeSession {
    builder.append(opening, of: id)
    let session = IntakeSession(id: id, client: opening.client, received: clock.wall())
    intake[id] = session
    intakeClients[opening.client] = session
    sessionsPerUser[opening.client.user, default: 0] += 1
    metrics.sessionsOpened += 1
    noteRecord(of: session, on: connection)
    return session
  }

  /// Lets a session go on that is open already.
  func goOn(
    _ session: IntakeSession, closeOnDisconnect: Bool, _ token: CallToken, _ connection: Connection
  ) {
    setGapped(session, false)
    session.closeDue = nil
    // The session ends with the connection that asked for that last.
    if closeOnDisconnect { own(session, connection) }
    let kind = Answer.Kind.open(session.id, nextNumber: session.nextNumber)
    // All that was accepted for the session must be on disk before its next number is told.
    if !session.pending.isEmpty || projection.sessions[session.id] == nil {
      answerWithLastCommit(token, connection, kind)
    } else {
      give(kind, to: token, connection)
    }
  }

  func own(_ session: IntakeSession, _ connection: Connection) {
    if let before = session.owner, before != connection.id { changedAtRest.append(before) }
    session.owner = connection.id
    connection.ownedSessions.insert(session.id)
  }

  func close(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    var parameters = call.parameters()
    let id = try sessionID(&parameters)
    try parameters.finish()
    let session = try ownSession(id, connection)
    charge(1, to: connection)
    close(session, reason: .asked)
    connection.fedSessions.remove(id)
    connection.lastPosition = builder.nextPosition - 1
    answer(call.token, connection, .close)
    return .mayFollow
  }

  /// Ends a session, for whatever reason.
  ///
  /// - Parameter time: when it was closed, where that was elsewhere; now when `nil`.
  func close(_ session: IntakeSession, reason: Closing.Reason, time: Int64? = nil) {
    builder.append(Closing(time: time ?? clock.wall(), reason: reason), of: session.id)
    intake[session.id] = nil
    intakeClients[session.client] = nil
    let left = sessionsPerUser[session.client.user, default: 1] - 1
    sessionsPerUser[session.client.user] = left == 0 ? nil : left
    ending[session.id] = session
    closedSessions.insert(session.id)
    // Where there is no space for the closing, it is tried again.
    if reason == .disconnected, time == nil { session.closeDue = clock.monotonic() }
    metrics.sessionsClosed += 1
  }

  // MARK: Requests

  func requests(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try call.requireMore()
    var parameters = call.parameters()
    let id = try sessionID(&parameters)
    try parameters.finish()
    let session = try ownSession(id, connection)
    // A client has one stream of requests: the newest.
    if let before = session.requestStream { before.replaced(self) }
    let stream = RequestStream(token: call.token, connection: connection.id, session: session)
    session.requestStream = stream
    return begin(stream, on: connection)
  }

  func respond(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    var parameters = call.parameters()
    let id = try sessionID(&parameters)
    let request = try parameters.int("request")
    let done = try parameters.bool("done")
    let reason = try parameters.optionalString("reason")
    try parameters.finish()
    let session = try ownSession(id, connection)
    try check(reason, "reason")
    guard session.acceptResponse(to: request) else { throw ServiceError.noSuchRequest }
    charge(1, to: connection)
    builder.append(ScrollResponse(time: clock.wall(), request: request, done: done, reason: reason), of: id)
    noteRecord(of: session, on: connection)
    answer(call.token, connection, .respond)
    return .mayFollow
  }

  // MARK: Parts

  func sessionID(_ parameters: inout ParameterReader) throws(VarlinkError) -> SessionID {
    guard let id = SessionID(digits: try parameters.text("session").bytes) else {
      throw .invalidParameter("session")
    }
    return id
  }

  /// Checks the length of a text that is kept for as long as its session.
  func check(_ text: String?, _ name: String) throws(VarlinkError) {
    if let text, text.utf8.count > Self.maximumTextLength { throw .invalidParameter(name) }
  }

  /// An open session of the caller's own.
  func ownSession(_ id: SessionID, _ connection: Connection) throws(VarlinkError) -> IntakeSession {
    guard let session = intake[id] else {
      throw closedSessions.contains(id) ? ServiceError.sessionClosed : ServiceError.noSuchSession
    }
    guard session.client.user == connection.peer.user else { throw .permissionDenied }
    return session
  }

  private func noteRecord(of session: IntakeSession, on connection: Connection) {
    session.lastReceived = clock.wall()
    connection.lastPosition = builder.nextPosition - 1
  }

  /// The policy that a client's sessions begin with: the first section whose globs match, else the default.
  func policy(for client: String) -> Policy {
    let section = configuration.policySections.first { section in
      !section.clients.isEmpty && Glob(section.clients).matches(client)
    }
    // The reader of the configuration has seen to it that the default exists.
    return section?.policy ?? configuration.policy(named: configuration.defaultPolicy) ?? .safari
  }
}
