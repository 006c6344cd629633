import ScrollModel

/// How far the database has a machine's log. It is stored in the transaction that stores the records before it.
public struct RelayCursor: Equatable, Sendable {
  /// The generation of the position; 0 before the first reply.
  public var generation: Int64
  /// The last position that is stored.
  public var position: Position
  /// When the daemon received the record there, microseconds since the Unix epoch; `nil` when that is unknown.
  public var received: Int64?
  /// The run of the daemon that sent the position; `nil` when that is unknown.
  public var run: SessionID?
  /// The list of what was forgotten of which everything was removed; `nil` before the first one.
  public var forgotten: String?

  /// Creates a cursor; without arguments, that of a machine of which nothing is stored.
  public init(
    generation: Int64 = 0, position: Position = 0, received: Int64? = nil, run: SessionID? = nil,
    forgotten: String? = nil
  ) {
    self.generation = generation
    self.position = position
    self.received = received
    self.run = run
    self.forgotten = forgotten
  }
}
