import ScrollClient
import ScrollModel

/// Imports sessions without waiting for each answer of the daemon, so that many sessions share a sync of the log.
///
/// Only for sessions whose ids the log does not have: if the daemon refuses one, the calls that follow for it must find no
/// session.
final class ImportPipe {
  /// A session under way.
  final class Session {
    let id: SessionID
    let client: String
    /// The user to whom it belongs; `nil` for the caller.
    let user: UInt32?
    /// The line of its opening in the file.
    let line: Int
    fileprivate(set) var events: Int64 = 0
    /// Why the daemon refused it.
    fileprivate(set) var refusal: ServiceError?
    fileprivate var position: Position?
    fileprivate var stored: Int64 = 0
    fileprivate var batch: [Event] = []

    init(_ id: SessionID, client: String, user: UInt32?, line: Int) {
      self.id = id
      self.client = client
      self.user = user
      self.line = line
    }

    /// The session as it was sent.
    var sent: SentSession { SentSession(client: client, session: id, events: stored, position: position) }
  }

  /// A call that has no answer yet.
  private enum Call {
    case opening(Session)
    case events(Session)
    case closing(Session)
  }

  /// The most calls without an answer.
  private static let maximumUnanswered = 48
  /// The number of events in a full call.
  private static let batchSize = 1024

  private let daemon: ServiceConnection
  private var unanswered: [Call] = []
  private var answered = 0
  /// Called with each session that is closed, or was refused.
  private let report: (Session) throws -> Void

  init(_ daemon: ServiceConnection, _ report: @escaping (Session) throws -> Void) {
    self.daemon = daemon
    self.report = report
  }

  func open(_ session: Session, time: Int64, application: String?, title: String?, policy: Policy?) throws {
    try daemon.sendImport(
      client: session.client, time: UnixMicroseconds(time), application: application, title: title, session: session.id,
      policy: policy, user: session.user)
    try expect(.opening(session))
  }

  func add(_ event: Event, to session: Session) throws {
    session.events += 1
    session.batch.append(event)
    if session.batch.count == Self.batchSize { try send(session) }
  }

  func close(_ session: Session, at time: Int64, reason: Closing.Reason?) throws {
    try send(session)
    try daemon.sendEndImport(session.id, time: UnixMicroseconds(time), reason: reason)
    try expect(.closing(session))
  }

  /// Waits for all answers.
  func drain() throws { while answered < unanswered.count { try takeAnswer() } }

  private func send(_ session: Session) throws {
    if session.batch.isEmpty { return }
    let first = session.events - Int64(session.batch.count) + 1
    try daemon.sendAppend(session.batch, to: session.id, number: first)
    session.batch.removeAll(keepingCapacity: true)
    try expect(.events(session))
  }

  private func expect(_ call: Call) throws {
    unanswered.append(call)
    while unanswered.count - answered > Self.maximumUnanswered { try takeAnswer() }
    if answered > 1024 {
      unanswered.removeFirst(answered)
      answered = 0
    }
  }

  private func takeAnswer() throws {
    let call = unanswered[answered]
    answered += 1
    switch call {
    case .opening(let session):
      do throws(ServiceError) {
        _ = try daemon.receiveImported()
      } catch {
        guard case .refused(let refusal) = error, refusal == .sessionClosed || refusal.isClientOpen else { throw error }
        session.refusal = error
      }
    case .events(let session):
      do throws(ServiceError) {
        let answer = try daemon.receiveAppended()
        session.stored = answer.nextNumber - 1
        session.position = answer.position > 0 ? answer.position : nil
      } catch {
        guard case .refused = error, session.refusal != nil else { throw error }
      }
    case .closing(let session):
      do throws(ServiceError) {
        try daemon.receiveEndedImport()
      } catch {
        guard case .refused = error, session.refusal != nil else { throw error }
      }
      try report(session)
    }
  }
}

extension ServiceRefusal {
  fileprivate var isClientOpen: Bool {
    if case .clientOpen = self { true } else { false }
  }
}
