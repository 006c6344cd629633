// What whoever runs the daemon calls: org.scrolld.Manager. Others are refused with `permissionDenied`.

import JSON
import ScrollJSON
import ScrollModel

extension ServiceConnection {
  /// What the daemon has done, and how it stands.
  ///
  /// - Throws: ``ServiceError``.
  public func statistics() throws(ServiceError) -> DaemonStatistics {
    try call("org.scrolld.Manager.Statistics") { (members) throws(ReplyMembers.Unexpected) in
      try DaemonStatistics(members)
    }
  }

  /// Syncs the log to disk.
  ///
  /// - Returns: The position up to which everything is on it.
  /// - Throws: ``ServiceError``.
  public func sync() throws(ServiceError) -> Position {
    try call("org.scrolld.Manager.Sync") { (members) throws(ReplyMembers.Unexpected) in
      try members.require("position", members.int("position"))
    }
  }

  /// Begins a new segment of the log.
  ///
  /// - Throws: ``ServiceError``.
  public func rotate() throws(ServiceError) {
    try call("org.scrolld.Manager.Rotate") { _ in }
  }

  /// Removes the oldest files of the log; the one that is written to stays.
  ///
  /// - Parameters:
  ///   - maximumUse: How many bytes the log may take then; `nil` for no limit.
  ///   - maximumAge: How old the newest record of a file may be, in microseconds; `nil` for no limit.
  /// - Returns: The first position that is left, and how many bytes the files took.
  /// - Throws: ``ServiceError``.
  public func vacuum(
    maximumUse: Int64? = nil, maximumAge: Int64? = nil
  ) throws(ServiceError) -> (firstPosition: Position, freed: Int64) {
    try call(
      "org.scrolld.Manager.Vacuum",
      {
        $0.member("maxUse", ifPresent: maximumUse)
        $0.member("maxAge", ifPresent: maximumAge)
      },
      { (members) throws(ReplyMembers.Unexpected) in
        (
          try members.require("firstPosition", members.int("firstPosition")),
          try members.require("freed", members.int("freed"))
        )
      })
  }

  /// Forgets a session: afterwards no file of the daemon holds anything of it but its id.
  ///
  /// - Returns: How many records it had.
  /// - Throws: ``ServiceError``.
  public func forget(_ session: SessionID) throws(ServiceError) -> Int64 {
    try forget { $0.member("session", session) }
  }

  /// Forgets every session of a client: afterwards no file of the daemon holds anything of them but their ids.
  ///
  /// - Parameter user: The client's user; `nil` for every user's client of the name.
  /// - Returns: How many records they had.
  /// - Throws: ``ServiceError``.
  public func forget(client: String, user: UInt32? = nil) throws(ServiceError) -> Int64 {
    try forget {
      $0.member("client", client)
      $0.member("user", ifPresent: user)
    }
  }

  private func forget(_ scope: (inout JSONWriter) -> Void) throws(ServiceError) -> Int64 {
    try call("org.scrolld.Manager.Forget", scope) { (members) throws(ReplyMembers.Unexpected) in
      try members.require("records", members.int("records"))
    }
  }

  /// Reads the configuration again.
  ///
  /// - Throws: ``ServiceError``; `badConfiguration` when it is refused and the old one stays.
  public func reload() throws(ServiceError) {
    try call("org.scrolld.Manager.Reload") { _ in }
  }
}
