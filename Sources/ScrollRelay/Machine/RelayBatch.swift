import ScrollModel

/// What one transaction stores: records of one machine, and everything else that was reported between two positions.
public struct RelayBatch: Equatable, Sendable {
  /// The cursor that the database must have, or else the batch is not stored.
  public var expected: RelayCursor
  /// The cursor after the batch.
  public var end: RelayCursor
  /// Where the history left the stored one: what is stored after this position no longer stands. It comes before the records.
  public var takenBackAfter: Position?
  /// Positions that the log no longer has.
  public var gaps: [ClosedRange<Position>] = []
  /// The records, each with the generation of its position.
  public var records: [Entry] = []
  /// Sessions that were described.
  public var sessions: [FollowedSession] = []
  /// Sessions to remove, because they were forgotten.
  public var forgotten: [SessionID] = []
  /// How much memory the records take, in bytes.
  public private(set) var size = 0

  /// A record with what its row has beside it.
  public struct Entry: Equatable, Sendable {
    /// The generation that the position belongs to.
    public var generation: Int64
    /// The client's name.
    public var client: String
    /// The user id.
    public var user: UInt32
    /// The record.
    public var record: FollowedRecord
  }

  /// Creates an empty batch after a cursor.
  public init(after cursor: RelayCursor) {
    expected = cursor
    end = cursor
  }

  /// Whether it stores nothing but the time.
  public var isEmpty: Bool {
    end == expected && takenBackAfter == nil && gaps.isEmpty && records.isEmpty && sessions.isEmpty && forgotten.isEmpty
  }

  mutating func add(_ record: FollowedRecord, generation: Int64, of session: FollowedSession) {
    records.append(Entry(generation: generation, client: session.client, user: session.user, record: record))
    size += record.size + session.client.utf8.count
  }
}
