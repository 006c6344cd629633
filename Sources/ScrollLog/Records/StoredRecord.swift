import ScrollModel

/// A record in the log, with its position, time and session.
public struct StoredRecord: Equatable, Sendable {
  /// The position in the log.
  public var position: Position
  /// When the daemon received the record, microseconds since the Unix epoch.
  public var received: Int64
  /// The session that it belongs to.
  public var session: SessionID
  /// The record itself.
  public var record: Record

  /// Creates a stored record.
  public init(position: Position, received: Int64, session: SessionID, record: Record) {
    self.position = position
    self.received = received
    self.session = session
    self.record = record
  }
}
