// Calls that import recorded sessions: Import and EndImport of org.scrolld.Manager.

internal import ScrollJSON
import ScrollModel
internal import Varlink

extension ServiceConnection {
  /// Opens a session as it was recorded, or resumes it if it is open. Append its events with ``append(_:to:number:)`` from
  /// `nextNumber`, then call ``endImport(_:time:reason:)``.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - time: When the session was opened.
  ///   - application: The application's name and version, as text for people.
  ///   - title: The title of what the client showed, as text for people.
  ///   - session: The session's id. The daemon assigns one when it is `nil`.
  ///   - policy: The session's policy. When it is `nil`, the daemon chooses the policy of the client's new sessions.
  ///   - user: The user to whom the session belongs; the caller when it is `nil`.
  /// - Throws: ``ServiceError``; refusals are `permissionDenied`, `clientOpen`, `sessionClosed`, `invalidClient`,
  ///   `tooManySessions` and `noSpace`.
  public func importSession(
    client: String, time: UnixMicroseconds, application: String? = nil, title: String? = nil,
    session: SessionID? = nil, policy: Policy? = nil, user: UInt32? = nil
  ) throws(ServiceError) -> OpenedSession {
    try sendImport(
      client: client, time: time, application: application, title: title, session: session, policy: policy,
      user: user)
    return try receiveImported()
  }

  /// Sends a call as ``importSession(client:time:application:title:session:policy:user:)`` does, without waiting for the answer.
  /// Call ``receiveImported()`` for it. Answers arrive in the order of all calls of the connection.
  public func sendImport(
    client: String, time: UnixMicroseconds, application: String? = nil, title: String? = nil,
    session: SessionID? = nil, policy: Policy? = nil, user: UInt32? = nil
  ) throws(ServiceError) {
    try send("org.scrolld.Manager.Import") { writer in
      writer.member("client", client)
      writer.member("time", time.rawValue)
      writer.member("application", ifPresent: application)
      writer.member("title", ifPresent: title)
      writer.member("session", ifPresent: session?.description)
      writer.member("user", ifPresent: user)
      guard let policy else { return }
      writer.member("policy", policy.name)
      writer.member("rule", policy.rule.name)
      writer.key("parameters")
      writer.beginArray()
      for parameter in policy.parameters {
        writer.beginObject()
        writer.member("name", parameter.name)
        writer.member("value", parameter.value)
        writer.endObject()
      }
      writer.endArray()
    }
  }

  /// Waits for the answer to ``sendImport(client:time:application:title:session:policy:user:)``.
  ///
  /// - Throws: ``ServiceError``.
  public func receiveImported() throws(ServiceError) -> OpenedSession {
    try receiveOne { (members) throws(ReplyMembers.Unexpected) in try OpenedSession(members) }
  }

  /// Closes an imported session as it was recorded.
  ///
  /// - Parameters:
  ///   - time: When the session was closed.
  ///   - reason: Why it was closed; `asked` when it is `nil`.
  /// - Throws: ``ServiceError``; refusals are `permissionDenied`, `noSuchSession`, `sessionClosed` and `noSpace`.
  public func endImport(
    _ session: SessionID, time: UnixMicroseconds, reason: Closing.Reason? = nil
  ) throws(ServiceError) {
    try sendEndImport(session, time: time, reason: reason)
    try receiveEndedImport()
  }

  /// Sends a call as ``endImport(_:time:reason:)`` does, without waiting for the answer. Call ``receiveEndedImport()`` for it.
  public func sendEndImport(
    _ session: SessionID, time: UnixMicroseconds, reason: Closing.Reason? = nil
  ) throws(ServiceError) {
    try send("org.scrolld.Manager.EndImport") { writer in
      writer.member("session", session)
      writer.member("time", time.rawValue)
      writer.member("reason", ifPresent: reason.map { "\($0.name)" })
    }
  }

  /// Waits for the answer to ``sendEndImport(_:time:reason:)``.
  ///
  /// - Throws: ``ServiceError``.
  public func receiveEndedImport() throws(ServiceError) { try receiveOne { _ in } }
}
