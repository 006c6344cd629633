import JSON
import ScrollModel
import Varlink

/// The methods of `org.scrolld.Manager` that import sessions recorded elsewhere.
struct ImportMethods {
  /// How many parameters of a policy a call may have; no rule has that many.
  private static let maximumParameters = 64

  let sessions: Sessions
  let commit: Commit
  let recorder: RecorderMethods
  let settings: Settings

  var table: [Method] {
    [
      Method("org.scrolld.Manager.Import", .managers, importSession),
      Method("org.scrolld.Manager.EndImport", .managers, endImport),
    ]
  }

  private func importSession(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let time = try parameters.time("time")
    let application = try parameters.optionalBoundedString("application")
    let title = try parameters.optionalBoundedString("title")
    let given = try parameters.optionalSessionID()
    let user = try parameters.optionalUserID()
    let recorded = try Self.recordedPolicy(&parameters)
    try parameters.finish()
    do { try ClientName.validate(name) } catch { throw ServiceError.invalidClient(error) }
    let caller = connection.peer.user
    let client = ClientID(user: user ?? caller, name: name)
    // The system gives no user this id. The caller's events could go to either session.
    if user == .max { throw .invalidParameter("user") }
    if let given, client.user != caller, sessions[SessionName(user: caller, id: given)] != nil {
      throw .invalidParameter("session")
    }

    if let given, let session = try sessions.resumable(given, for: client) {
      // EndImport would end it at a time and for a reason that are not its own.
      guard session.isImported else { throw ServiceError.clientOpen(session.shownID) }
      sessions.beginImport(session, by: caller)
      recorder.resume(session, closeOnDisconnect: false, call.token, connection)
      return .answered
    }
    // An import must not interrupt the client's own session.
    if let open = sessions[client] { throw ServiceError.clientOpen(open.shownID) }
    let opening = Opening(
      client: client, time: time, application: application, title: title, isImported: true,
      policy: recorded ?? settings.policy(for: name))
    // Nobody can keep root from importing by using up a user's limits.
    if caller != 0 { try recorder.requireRoom(for: opening) }
    let id = try recorder.begin(given, opening, call.token, connection)
    if let session = sessions[id] { sessions.beginImport(session, by: caller) }
    return .answered
  }

  /// Reads the policy that a session was recorded with; `nil` when the call has none.
  private static func recordedPolicy(_ parameters: inout ParameterReader) throws(VarlinkError) -> Policy? {
    let name = try parameters.optionalBoundedString("policy")
    let ruleName = try parameters.optionalString("rule")
    let list = parameters.optionalValue("parameters")
    guard let name, let ruleName else {
      // A policy needs both its name and its rule.
      if name != nil { throw .invalidParameter("rule") }
      if ruleName != nil || list != nil { throw .invalidParameter("policy") }
      return nil
    }
    guard var policy = try? Policy(name: name, ruleNamed: ruleName) else { throw .invalidParameter("rule") }
    guard let list else { return policy }
    guard let array = list.asArray, array.count <= maximumParameters else { throw .invalidParameter("parameters") }
    for parameter in array {
      guard let name = parameter["name"]?.asString, let text = parameter["value"]?.asString,
        (try? policy.set(name, to: text)) != nil
      else { throw .invalidParameter("parameters") }
    }
    return policy
  }

  private func endImport(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let id = try parameters.sessionID()
    let time = try parameters.time("time")
    let name = try parameters.optionalText("reason")
    try parameters.finish()
    var reason = Closing.Reason.asked
    if let name {
      guard let known = Closing.Reason.allCases.first(where: { name == $0.name }) else {
        throw .invalidParameter("reason")
      }
      reason = known
    }
    let session = try sessions.session(id, of: connection.feeder)
    guard session.isImported else { throw ServiceError.notImported }
    commit.add(sessions.close(session, reason: reason, time: time))
    recorder.answer(call.token, connection, .done)
    return .answered
  }
}
