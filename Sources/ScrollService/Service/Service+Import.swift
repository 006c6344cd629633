// Sessions that were recorded elsewhere come into the log.

import JSON
import ScrollLog
import ScrollModel
import Varlink

extension Service {
  /// The most parameters of a policy that a call may give: more than any rule has.
  private static let maximumParameters = 64

  func importSession(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    guard access.mayManage(connection.peer) else { throw .permissionDenied }
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let time = try parameters.int("time")
    let application = try parameters.optionalString("application")
    let title = try parameters.optionalString("title")
    let given = try parameters.optionalText("session")
    let recorded = try recordedPolicy(&parameters)
    try parameters.finish()
    do { try ClientName.validate(name) } catch { throw ServiceError.invalidClient(error) }
    guard (0...Event.latestTime).contains(time) else { throw .invalidParameter("time") }
    try check(application, "application")
    try check(title, "title")
    let client = ClientID(user: connection.peer.user, name: name)

    var id = SessionID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    if let given {
      guard let chosen = SessionID(digits: given.bytes) else { throw .invalidParameter("session") }
      id = chosen
      if let session = intake[id] {
        guard session.client.user == client.user else { throw .permissionDenied }
        guard session.client == client else { throw .invalidParameter("client") }
        goOn(session, closeOnDisconnect: false, call.token, connection)
        return .mayFollow
      }
      if closedSessions.contains(id) { throw ServiceError.sessionClosed }
    }
    // What is happening now is not to be cut off by what was.
    if let open = intakeClients[client] { throw ServiceError.clientOpen(open.id) }
    if client.user != 0, sessionsPerUser[client.user, default: 0] >= configuration.maximumSessionsPerUser {
      throw ServiceError.tooManySessions(limit: configuration.maximumSessionsPerUser)
    }
    let opening = Opening(
      client: client, time: time, application: application, title: title, policy: recorded ?? policy(for: name))
    _ = begin(id, opening, connection)
    answer(call.token, connection, .open(id, nextNumber: 1))
    return .mayFollow
  }

  /// The policy that a session was recorded with; `nil` where none is told.
  private func recordedPolicy(_ parameters: inout ParameterReader) throws(VarlinkError) -> Policy? {
    let name = try parameters.optionalString("policy")
    let ruleName = try parameters.optionalString("rule")
    let list = parameters.optionalValue("parameters")
    try check(name, "policy")
    guard let name, let ruleName else {
      // One without the other would be half of a policy.
      if name != nil { throw .invalidParameter("rule") }
      if ruleName != nil || list != nil { throw .invalidParameter("policy") }
      return nil
    }
    guard var policy = try? Policy(name: name, ruleNamed: ruleName) else { throw .invalidParameter("rule") }
    guard let list else { return policy }
    guard let array = list.asArray, array.count <= Self.maximumParameters else { throw .invalidParameter("parameters") }
    for parameter in array {
      guard let name = parameter["name"]?.asString, let text = parameter["value"]?.asString,
        (try? policy.set(name, to: text)) != nil
      else { throw .invalidParameter("parameters") }
    }
    return policy
  }

  func endImport(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    guard access.mayManage(connection.peer) else { throw .permissionDenied }
    var parameters = call.parameters()
    let id = try sessionID(&parameters)
    let time = try parameters.int("time")
    let name = try parameters.optionalText("reason")
    try parameters.finish()
    guard (0...Event.latestTime).contains(time) else { throw .invalidParameter("time") }
    var reason = Closing.Reason.asked
    if let name {
      guard let known = Closing.Reason.allCases.first(where: { name == $0.name }) else {
        throw .invalidParameter("reason")
      }
      reason = known
    }
    let session = try ownSession(id, connection)
    close(session, reason: reason, time: time)
    connection.lastPosition = builder.nextPosition - 1
    answer(call.token, connection, .close)
    return .mayFollow
  }
}
