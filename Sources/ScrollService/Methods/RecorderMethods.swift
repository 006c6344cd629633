import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The methods of `org.scrolld.Recorder`, for clients.
struct RecorderMethods {
  /// How many events a call may append.
  private static let maximumEvents = 4096

  let sessions: Sessions
  let commit: Commit
  let history: History
  let users: UserLimits
  let settings: Settings
  let clock: ServiceClock
  let terms: AnswerTerms

  var table: [Method] {
    [
      Method("org.scrolld.Recorder.Append", .feeders, append),
      Method("org.scrolld.Recorder.Open", .feeders, open),
      Method("org.scrolld.Recorder.Close", .feeders, close),
      Method("org.scrolld.Recorder.Requests", .feeders, requests),
      Method("org.scrolld.Recorder.Respond", .feeders, respond),
    ]
  }

  // MARK: Append

  private func append(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let id = try parameters.sessionID()
    let number = try parameters.optionalInt("number")
    let events = try parameters.array("events")
    try parameters.finish()
    let session = try sessions.session(id, of: connection.feeder)
    do throws(VarlinkError) {
      return try append(events, number: number, to: session, call.token, connection)
    } catch {
      // The caller of a oneway call does not learn of its refusal, so events that follow it need a number.
      if call.isOneway { sessions.setGap(of: session, true) }
      throw error
    }
  }

  private func append(
    _ events: JSONArray, number: Int64?, to session: OpenSession, _ token: CallToken, _ connection: Connection
  ) throws(VarlinkError) -> Method.Outcome {
    if events.count == 0 { throw .invalidParameter("events") }
    if events.count > Self.maximumEvents { throw ServiceError.tooManyEvents(limit: Self.maximumEvents) }
    users.charge(events.count, to: connection.share)
    let known = try sessions.knownCount(of: events.count, from: number, in: session)
    sessions.didFeed(session, connection.feeder)
    if let number, known == events.count {
      return answerResend(upTo: number + Int64(known), of: session, token, connection)
    }
    let position = try commit.add(events, skipping: known, to: session.id, from: session.nextNumber)
    sessions.accept(events.count - known, at: position, in: session, isOneway: token.isOneway)
    answer(token, connection, .appended(position: commit.lastAccepted, nextNumber: session.nextNumber))
    return .answered
  }

  /// Answers a call whose events are all stored already, in the same way as the first such call.
  private func answerResend(
    upTo nextNumber: Int64, of session: OpenSession, _ token: CallToken, _ connection: Connection
  ) -> Method.Outcome {
    if let position = session.pendingPosition(ofNumber: nextNumber - 1) {
      answerAfterLastCommit(token, connection, .appended(position: position, nextNumber: nextNumber))
      return .answered
    }
    let channel = ReplyChannel(connection, token)
    let stored = history.horizon[session.id]
    if let position = stored?.position(ofNumber: nextNumber - 1) {
      let isKept = position >= history.firstPosition
      channel.answer(.appended(position: isKept ? position : 0, nextNumber: nextNumber), terms)
      return .answered
    }
    // The event is so old that only the log still has its position.
    let after = (stored?.openedPosition ?? 1) - 1
    return .stream(
      ResendQuery(history, channel, terms, session: session.id, nextNumber: nextNumber, after: after))
  }

  // MARK: Open and Close

  private func open(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let application = try parameters.optionalBoundedString("application")
    let title = try parameters.optionalBoundedString("title")
    let given = try parameters.optionalSessionID()
    let closeOnDisconnect = try parameters.optionalBool("closeOnDisconnect") ?? false
    let time = try parameters.optionalTime("time")
    try parameters.finish()
    do { try ClientName.validate(name) } catch { throw ServiceError.invalidClient(error) }
    let client = ClientID(user: connection.peer.user, name: name)

    if let given, let session = try sessions.resumable(given, for: client) {
      resume(session, closeOnDisconnect: closeOnDisconnect, call.token, connection)
      return .answered
    }
    let opening = Opening(
      client: client, time: time ?? clock.wall(), application: application, title: title,
      closeOnDisconnect: closeOnDisconnect, policy: settings.policy(for: name))
    let before = sessions[client]
    try requireRoom(for: opening, replacing: before)
    if let before {
      commit.add(sessions.close(before, reason: .reopened))
    }
    users.charge(1, to: connection.share)
    let id = try begin(given, opening, call.token, connection)
    if closeOnDisconnect, let session = sessions[id] { sessions.own(session, connection.feeder) }
    return .answered
  }

  /// Checks that a user may have one more session, or another one instead of one.
  ///
  /// - Throws: `TooManySessions` when there are too many, or when their texts take too much memory.
  func requireRoom(for opening: Opening, replacing before: OpenSession? = nil) throws(VarlinkError) {
    let user = opening.client.user
    let count = sessions.count(of: user)
    let limit = settings.configuration.maximumSessionsPerUser
    guard user == 0 || before != nil || count < limit else { throw ServiceError.tooManySessions(limit: limit) }
    let size = OpenSession.size(of: opening) - (before?.size ?? 0)
    guard size <= 0 || users.hasRoom(forSessions: size, of: sessions.account(of: user)) else {
      throw ServiceError.tooManySessions(limit: count)
    }
  }

  /// Begins a session and answers the call.
  ///
  /// - Parameter given: The session's id; `nil` for a random one.
  /// - Returns: The id under which the log has the session.
  /// - Throws: `SessionClosed` when no id is left for it.
  @discardableResult
  func begin(
    _ given: SessionID?, _ opening: Opening, _ token: CallToken, _ connection: Connection
  ) throws(VarlinkError) -> SessionID {
    var opening = opening
    let id = try sessions.newID(for: given.map { SessionName(user: opening.client.user, id: $0) })
    if id != given { opening.givenID = given }
    commit.add(sessions.begin(id, opening))
    answer(token, connection, .opened(given ?? id, nextNumber: 1))
    return id
  }

  /// Resumes a session that is open, and answers the call.
  func resume(_ session: OpenSession, closeOnDisconnect: Bool, _ token: CallToken, _ connection: Connection) {
    sessions.resume(session)
    // The session closes with the last connection that asked for it.
    if closeOnDisconnect { sessions.own(session, connection.feeder) }
    let content = Answer.Content.opened(session.shownID, nextNumber: session.nextNumber)
    // The next number promises that all events before it are on disk.
    if session.hasPendingRuns || history.horizon[session.id] == nil {
      answerAfterLastCommit(token, connection, content)
    } else {
      ReplyChannel(connection, token).answer(content, terms)
    }
  }

  private func close(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let id = try parameters.sessionID()
    let time = try parameters.optionalTime("time")
    try parameters.finish()
    let session = try sessions.session(id, of: connection.feeder)
    users.charge(1, to: connection.share)
    commit.add(sessions.close(session, reason: .asked, time: time))
    answer(call.token, connection, .done)
    return .answered
  }

  // MARK: Requests

  private func requests(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    var parameters = call.parameters()
    let id = try parameters.sessionID()
    try parameters.finish()
    let session = try sessions.session(id, of: connection.feeder)
    sessions.readRequests(of: session, on: connection.id)
    return .stream(RequestStream(session, ReplyChannel(connection, call.token)))
  }

  private func respond(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let id = try parameters.sessionID()
    let request = try parameters.int("request")
    let done = try parameters.bool("done")
    let reason = try parameters.optionalBoundedString("reason")
    try parameters.finish()
    let session = try sessions.session(id, of: connection.feeder)
    guard session.requests.acceptResponse(to: request) else { throw ServiceError.noSuchRequest }
    users.charge(1, to: connection.share)
    let response = ScrollResponse(time: clock.wall(), request: request, done: done, reason: reason)
    commit.add(NewRecord(session: session.id, record: .response(response)))
    session.lastHeard = clock.boot()
    answer(call.token, connection, .done)
    return .answered
  }

  // MARK: Answers

  /// Answers a call once the record that it has just added is committed.
  func answer(_ token: CallToken, _ connection: Connection, _ content: Answer.Content) {
    connection.feeder.lastPosition = commit.lastAccepted
    commit.answer(Caller(connection: connection.id, token: token), content)
  }

  private func answerAfterLastCommit(_ token: CallToken, _ connection: Connection, _ content: Answer.Content) {
    commit.answerAfterLastCommit(Caller(connection: connection.id, token: token), content)
  }
}
