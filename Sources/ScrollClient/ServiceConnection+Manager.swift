// Calls for administrators: the interface org.scrolld.Manager. The daemon refuses others with `permissionDenied`.

internal import JSON
import ScrollModel
internal import Varlink

extension ServiceConnection {
  /// Returns what the daemon has done, and its current state.
  ///
  /// - Throws: ``ServiceError``.
  public func statistics() throws(ServiceError) -> DaemonStatistics {
    try call("org.scrolld.Manager.Statistics") { (members) throws(ReplyMembers.Unexpected) in
      try DaemonStatistics(members)
    }
  }

  /// Syncs the log to disk.
  ///
  /// - Returns: The last position on disk.
  /// - Throws: ``ServiceError``.
  public func sync() throws(ServiceError) -> Position {
    try call("org.scrolld.Manager.Sync") { (members) throws(ReplyMembers.Unexpected) in
      try members.require("position", members.count("position"))
    }
  }

  /// Starts a new segment of the log.
  ///
  /// - Throws: ``ServiceError``.
  public func rotate() throws(ServiceError) {
    try call("org.scrolld.Manager.Rotate") { _ in }
  }

  /// Removes the oldest files of the log, but never the newest one.
  ///
  /// - Parameters:
  ///   - maximumBytes: The most bytes that the log may take afterwards; `nil` for no limit.
  ///   - maximumAge: The greatest age that the newest record of a file may have; `nil` for no limit.
  /// - Returns: The first position that is left, and the size of the removed files in bytes.
  /// - Throws: ``ServiceError``.
  public func vacuum(
    maximumBytes: Int64? = nil, maximumAge: Duration? = nil
  ) throws(ServiceError) -> (firstPosition: Position, freedBytes: Int64) {
    try call(
      "org.scrolld.Manager.Vacuum",
      {
        $0.member("maxUse", ifPresent: maximumBytes)
        $0.member("maxAge", ifPresent: maximumAge?.wholeMicroseconds)
      },
      { (members) throws(ReplyMembers.Unexpected) in
        (
          try members.require("firstPosition", members.count("firstPosition")),
          try members.require("freed", members.count("freed"))
        )
      })
  }

  /// Forgets a session. Afterwards the daemon's files hold nothing of it but its id.
  ///
  /// - Returns: The number of records that it had.
  /// - Throws: ``ServiceError``.
  public func forget(_ session: SessionID) throws(ServiceError) -> Int64 {
    try forget { $0.member("session", session) }
  }

  /// Forgets every session of a client. Afterwards the daemon's files hold nothing of them but their ids.
  ///
  /// - Parameter user: The client's user; when `nil`, the clients of this name of all users.
  /// - Returns: The number of records that they had.
  /// - Throws: ``ServiceError``.
  public func forget(client: String, user: UInt32? = nil) throws(ServiceError) -> Int64 {
    try forget {
      $0.member("client", client)
      $0.member("user", ifPresent: user)
    }
  }

  /// Forgets what was forgotten before, for instance after a backup was restored.
  ///
  /// - Parameter list: At most some thousand entries.
  /// - Returns: The number of records that the log still had.
  /// - Throws: ``ServiceError``; the refusal `unknownKeys` when the daemon can't recognize the clients, and has forgotten
  ///   nothing.
  public func forget(_ list: ForgottenEntries) throws(ServiceError) -> Int64 {
    try forgetting("org.scrolld.Manager.ForgetListed") { list.write(to: &$0) }
  }

  private func forget(_ scope: (inout JSONWriter) -> Void) throws(ServiceError) -> Int64 {
    try forgetting("org.scrolld.Manager.Forget", scope)
  }

  private func forgetting(_ method: String, _ scope: (inout JSONWriter) -> Void) throws(ServiceError) -> Int64 {
    try call(method, scope) { (members) throws(ReplyMembers.Unexpected) in
      try members.require("records", members.count("records"))
    }
  }

  /// Has the daemon reload its configuration.
  ///
  /// - Returns: Warnings about the new configuration.
  /// - Throws: ``ServiceError``; `badConfiguration` when the daemon refuses the new configuration and keeps the old one.
  @discardableResult
  public func reload() throws(ServiceError) -> [String] {
    try call("org.scrolld.Manager.Reload") { $0.strings("warnings") ?? [] }
  }
}

extension Duration {
  /// The duration in microseconds, without fractions, within the bounds of an `Int64`.
  fileprivate var wholeMicroseconds: Int64 {
    let (product, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return components.seconds < 0 ? .min : .max }
    let (sum, carry) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000_000)
    return carry ? (product < 0 ? .min : .max) : sum
  }
}
