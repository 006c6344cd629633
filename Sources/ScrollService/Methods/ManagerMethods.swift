import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The methods of `org.scrolld.Manager`, for administrators.
struct ManagerMethods {
  let sessions: Sessions
  let commit: Commit
  let upkeep: UpkeepSchedule
  /// Returns the statistics.
  let statistics: () -> Statistics
  /// Reads the configuration again.
  let reload: () throws(ConfigurationError) -> Void

  var table: [Method] {
    [
      Method("org.scrolld.Manager.Statistics", .managers, statistics),
      Method("org.scrolld.Manager.Sync", .managers, sync),
      Method("org.scrolld.Manager.Rotate", .managers, rotate),
      Method("org.scrolld.Manager.Vacuum", .managers, vacuum),
      Method("org.scrolld.Manager.Forget", .managers, forget),
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
    let scope = try Self.scope(session: session, client: name, user: user)
    for record in sessions.close(reason: .forgotten, where: { Self.includes(scope, $0) }) { commit.add(record) }
    upkeep.forget(
      scope, through: commit.lastAccepted, for: Caller(connection: connection.id, token: call.token))
    return .answered
  }

  private static func scope(session: JSONText?, client: String?, user: Int64?) throws(VarlinkError) -> ForgetScope {
    switch (session, client) {
    case (let session?, nil):
      guard let id = SessionID(digits: session.bytes) else { throw .invalidParameter("session") }
      if user != nil { throw .invalidParameter("user") }
      return .session(id)
    case (nil, let name?):
      guard let user else { return .client(name: ClientName(name), user: nil, except: []) }
      guard let id = UInt32(exactly: user) else { throw .invalidParameter("user") }
      return .client(name: ClientName(name), user: id, except: [])
    default:
      throw .invalidParameter(session == nil ? "session" : "client")
    }
  }

  private static func includes(_ scope: ForgetScope, _ session: OpenSession) -> Bool {
    switch scope {
    case .session(let id): session.id == id
    case .client(let name, let user, _):
      session.client.name == name && (user == nil || session.client.user == user)
    }
  }

  private func backup(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    try call.requireNoParameters()
    let commit = commit
    return .stream(BackupStream(upkeep, ReplyChannel(connection, call.token)) { commit.written })
  }

  private func reload(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireNoParameters()
    do throws(ConfigurationError) {
      try reload()
    } catch {
      throw ServiceError.badConfiguration(error)
    }
    connection.reply(call.token)
    return .answered
  }
}
