// Recorded sessions into the log: org.scrolld.Manager's Import.

import ScrollJSON
import ScrollModel
import Varlink

extension ServiceConnection {
  /// Begins a session as it was recorded, or goes on with it where it is open. Its events are appended by
  /// ``append(_:to:number:)``, from `nextNumber` on; ``endImport(_:time:reason:)`` ends it. It is the caller's.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - time: When it was opened, microseconds since the Unix epoch.
  ///   - session: The id that it had; the daemon gives one when it is `nil`.
  ///   - policy: The policy that was in force; what the client's sessions begin with now when it is `nil`.
  /// - Throws: ``ServiceError``; refusals are `permissionDenied`, `clientOpen`, `sessionClosed`, `invalidClient`,
  ///   `tooManySessions` and `noSpace`.
  public func importSession(
    client: String, time: Int64, application: String? = nil, title: String? = nil, session: SessionID? = nil,
    policy: Policy? = nil
  ) throws(ServiceError) -> OpenedSession {
    try call("org.scrolld.Manager.Import") { writer in
      writer.member("client", client)
      writer.member("time", time)
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

  /// Ends a session as it was recorded.
  ///
  /// - Parameters:
  ///   - time: When, microseconds since the Unix epoch.
  ///   - reason: Why; it was asked for when it is `nil`.
  /// - Throws: ``ServiceError``; refusals are `permissionDenied`, `noSuchSession`, `sessionClosed` and `noSpace`.
  public func endImport(
    _ session: SessionID, time: Int64, reason: Closing.Reason? = nil
  ) throws(ServiceError) {
    try call("org.scrolld.Manager.EndImport") { writer in
      writer.member("session", session)
      writer.member("time", time)
      writer.member("reason", ifPresent: reason.map { "\($0.name)" })
    } _: { _ in
    }
  }
}
