import ScrollModel

/// A record as the log holds it: what, where, when and of which session.
public struct StoredRecord: Equatable, Sendable {
  /// Its place in the log.
  public var position: Position
  /// When the daemon got it, microseconds since the Unix epoch.
  public var received: Int64
  /// The session that it belongs to.
  public var session: SessionID
  /// The record itself.
  public var record: Record

  /// A record of its parts.
  public init(position: Position, received: Int64, session: SessionID, record: Record) {
    self.position = position
    self.received = received
    self.session = session
    self.record = record
  }
}
