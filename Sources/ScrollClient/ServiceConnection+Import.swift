// Calls that import recorded sessions: Import and EndImport of org.scrolld.Manager.

internal import ScrollJSON
import ScrollModel
internal import Varlink

extension ServiceConnection {
  /// Opens a session as it was recorded, or resumes it if it is open. Append its events with ``append(_:to:number:)`` from
  /// `nextNumber`, then call ``endImport(_:time:reason:)``. The session belongs to the calling user.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - time: When the session was opened.
  ///   - application: The application's name and version, as text for people.
  ///   - title: The title of what the client showed, as text for people.
  ///   - session: The session's id. The daemon assigns one when it is `nil`.
  ///   - policy: The session's policy. When it is `nil`, the daemon chooses the policy of the client's new sessions.
  /// - Throws: ``ServiceError``; refusals are `permissionDenied`, `clientOpen`, `sessionClosed`, `invalidClient`,
  ///   `tooManySessions` and `noSpace`.
  public func importSession(
    client: String, time: UnixMicroseconds, application: String? = nil, title: String? = nil,
    session: SessionID? = nil, policy: Policy? = nil
  ) throws(ServiceError) -> OpenedSession {
    try call("org.scrolld.Manager.Import") { writer in
      writer.member("client", client)
      writer.member("time", time.rawValue)
      writer.member("application", ifPresent: application)
      writer.member("title", ifPresent: title)
      writer.member("session", ifPresent: session?.description)
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
    } _: { (members) throws(ReplyMembers.Unexpected) in
      try OpenedSession(members)
    }
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
    try call("org.scrolld.Manager.EndImport") { writer in
      writer.member("session", session)
      writer.member("time", time.rawValue)
      writer.member("reason", ifPresent: reason.map { "\($0.name)" })
    } _: { _ in
    }
  }
}
