import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The methods of `org.scrolld.Manager`, for administrators.
struct ManagerMethods {
  let sessions: Sessions
  let commit: Commit
  let upkeep: UpkeepSchedule
  let history: History
  /// The keys of the list of what was forgotten; `nil` when they can't be read.
  let forgottenKeys: ForgottenKeys?
  /// Returns the statistics.
  let statistics: () -> Statistics
  /// Reads the configuration again, and returns warnings about it.
  let reload: () throws(ConfigurationError) -> [String]

  var table: [Method] {
    [
      Method("org.scrolld.Manager.Statistics", .managers, statistics),
      Method("org.scrolld.Manager.Sync", .managers, sync),
      Method("org.scrolld.Manager.Rotate", .managers, rotate),
      Method("org.scrolld.Manager.Vacuum", .managers, vacuum),
      Method("org.scrolld.Manager.Forget", .managers, forget),
      Method("org.scrolld.Manager.ForgetListed", .managers, forgetListed),
      Method("org.scrolld.Manager.Backup", .managers, backup),
      Method("org.scrolld.Manager.Reload", .managers, reload),
    ]
  }

  private func statistics(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireNoParameters()
    let statistics = statistics()
    connection.reply(call.token) { statistics.write(to: &$0) }
    return .answered
  }

  private func sync(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireNoParameters()
    commit.sync(for: Caller(connection: connection.id, token: call.token))
    return .answered
  }

  private func rotate(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireNoParameters()
    commit.rolls.request(by: Caller(connection: connection.id, token: call.token))
    return .answered
  }

  private func vacuum(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let maximumUse = try parameters.optionalInt("maxUse") ?? .max
    let maximumAge = try parameters.optionalInt("maxAge") ?? .max
    try parameters.finish()
    if maximumUse < 0 { throw .invalidParameter("maxUse") }
    if maximumAge < 0 { throw .invalidParameter("maxAge") }
    var limits = RetentionLimits.none
    limits.maximumUse = maximumUse
    limits.maximumAge = maximumAge
    upkeep.vacuum(
      to: limits, activeBytes: commit.written.reservedBytes,
      for: Caller(connection: connection.id, token: call.token))
    return .answered
  }

  private func forget(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let session = try parameters.optionalText("session")
    let name = try parameters.optionalString("client")
    let user = try parameters.optionalInt("user")
    try parameters.finish()
    forget(try Self.scope(session: session, client: name, user: user), call, connection)
    return .answered
  }

  /// Closes the open sessions of a scope, and removes all its sessions from the log.
  private func forget(_ scope: ForgetScope, _ call: Call, _ connection: Connection) {
    let closed = sessions.close(reason: .forgotten) { session in
      // An opening that is not on disk yet is newer than all that a list has.
      let received = history.horizon[session.id]?.openedReceived ?? .max
      return scope.includes(session.id, given: session.shownID, of: session.client, received: received)
    }
    for record in closed { commit.add(record) }
    upkeep.forget(
      scope, through: commit.lastAccepted, for: Caller(connection: connection.id, token: call.token))
  }

  private static func scope(session: JSONText?, client: String?, user: Int64?) throws(VarlinkError) -> ForgetScope {
    switch (session, client) {
    case (let session?, nil):
      guard let id = SessionID(digits: session.bytes) else { throw .invalidParameter("session") }
      if user != nil { throw .invalidParameter("user") }
      return .session(id)
    case (nil, let name?):
      do { try ClientName.validate(name) } catch { throw ServiceError.invalidClient(error) }
      guard let user else { return .client(name: ClientName(name), user: nil, except: []) }
      guard let id = UInt32(exactly: user) else { throw .invalidParameter("user") }
      return .client(name: ClientName(name), user: id, except: [])
    default:
      throw .invalidParameter(session == nil ? "session" : "client")
    }
  }

  private func forgetListed(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let list = try parameters.forgottenList()
    try parameters.finish()
    let selection = ForgottenSelection(list, forgottenKeys)
    let missing = selection.missingKeys
    if !missing.isEmpty { throw ServiceError.unknownKeys(missing) }
    forget(.listed(selection, except: []), call, connection)
    return .answered
  }

  private func backup(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    try call.requireNoParameters()
    let commit = commit
    return .stream(BackupStream(upkeep, ReplyChannel(connection, call.token)) { commit.written })
  }

  private func reload(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireNoParameters()
    let warnings: [String]
    do throws(ConfigurationError) {
      warnings = try reload()
    } catch {
      throw ServiceError.badConfiguration(error)
    }
    connection.reply(call.token) { if !warnings.isEmpty { $0.member("warnings", warnings) } }
    return .answered
  }
}
