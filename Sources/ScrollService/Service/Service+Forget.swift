// Sessions that are to be forgotten are taken out of the log's files.

import ScrollLog
import ScrollModel
import Varlink

extension Service {
  func forget(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    guard access.mayManage(connection.peer) else { throw .permissionDenied }
    var parameters = call.parameters()
    let text = try parameters.optionalText("session")
    let name = try parameters.optionalString("client")
    let user = try parameters.optionalInt("user")
    try parameters.finish()
    let scope: ForgetScope
    switch (text, name) {
    case (let text?, nil):
      guard let id = SessionID(digits: text.bytes) else { throw .invalidParameter("session") }
      if user != nil { throw .invalidParameter("user") }
      scope = .session(id)
    case (nil, let name?):
      guard let user else {
        scope = .client(name: name, user: nil, except: [])
        break
      }
      guard let id = UInt32(exactly: user) else { throw .invalidParameter("user") }
      scope = .client(name: name, user: id, except: [])
    default:
      throw .invalidParameter(text == nil ? "session" : "client")
    }
    for backup in backups { backup.disturb(self) }
    for session in intake.values where Self.includes(scope, session) { close(session, reason: .forgotten) }
    forgettings.append(
      Forgetting(connection: connection.id, token: call.token, scope: scope, through: builder.nextPosition - 1))
    return .mayFollow
  }

  private static func includes(_ scope: ForgetScope, _ session: IntakeSession) -> Bool {
    switch scope {
    case .session(let id): session.id == id
    case .client(let name, let user, _):
      session.client.name == name && (user == nil || session.client.user == user)
    }
  }

  /// Whether the segment that is written to has to be ended for a session to be forgotten.
  var wantsRollToForget: Bool {
    guard let first = forgettings.first, first.jobs == nil else { return false }
    return projection.position >= first.through
  }

  /// The segment that is written to holds nothing of what is to be forgotten: all others are to be looked at.
  func prepareForgetting() {
    guard wantsRollToForget else { return }
    if case .client(let name, let user, _) = forgettings[0].scope {
      // Who has come back since goes on.
      let open = projection.sessions.values.filter {
        $0.client.name == name && (user == nil || $0.client.user == user)
      }
      forgettings[0].scope = .client(name: name, user: user, except: Set(open.map(\.id)))
    }
    let scope = forgettings[0].scope
    // The newest segment is done first.
    var jobs = segments.firstPositions.dropLast().map { ForgetJob.segment($0, scope) }
    let files = segments.takeSetAside()
    if !files.isEmpty { jobs.append(.files(files)) }
    forgettings[0].jobs = jobs
    finishForgetting()
  }

  /// What is to be done next for it; `nil` when there is nothing to do now.
  var nextForgetting: ForgetJob? {
    isStopping ? nil : forgettings.first?.jobs?.last
  }

  /// A part is done.
  func didForget(_ job: ForgetJob, _ found: ForgottenRecords) {
    if case .segment(let first, _) = job, let bytes = found.segmentBytes { segments.resize(first, to: bytes) }
    forgettings[0].count += found.count
    goOnForgetting()
  }

  /// A part could not be done.
  ///
  /// Where a segment could not be written, no older one is: newer records of a session whose opening is gone could not be read
  /// any more, and the next try does them all. Bad records are in the way of each try; there the older segments are done all
  /// the same, since the damaged one can't be read to its end anyway.
  func didNotForget(_ job: ForgetJob, _ error: ReadError) {
    journal.log(.notForgotten(error))
    forgettings[0].error = forgettings[0].error ?? error
    if case .file = error, case .segment = job { forgettings[0].jobs = [job] }
    goOnForgetting()
  }

  private func goOnForgetting() {
    forgettings[0].jobs?.removeLast()
    finishForgetting()
  }

  /// Answers the first call once all is done for it.
  func finishForgetting() {
    guard let first = forgettings.first, first.jobs?.isEmpty == true else { return }
    forgettings.removeFirst()
    journal.log(.forgotten(records: first.count))
    guard let connection = connections[first.connection] else { return }
    if let error = first.error {
      connection.varlink.reply(first.token, error: ServiceError.notForgotten(error))
    } else if let removal = removalError {
      connection.varlink.reply(first.token, error: ServiceError.notRemoved(removal))
    } else {
      let count = first.count
      connection.varlink.reply(first.token) { $0.member("records", count) }
    }
    markDirty(connection)
  }

  /// There is no space: what was closed to be forgotten may be open again, unless the segment that tells of it is ended.
  func refuseForgetting() {
    for forgetting in forgettings where forgetting.jobs == nil {
      guard let connection = connections[forgetting.connection] else { continue }
      connection.varlink.reply(forgetting.token, error: ServiceError.managerNoSpace)
      markDirty(connection)
    }
    forgettings.removeAll { $0.jobs == nil }
  }
}
