import ScrollModel

/// What a check of one segment found.
public struct SegmentVerification: Equatable, Sendable {
  /// Bytes that are not as they should be.
  public struct Problem: Equatable, Sendable {
    /// Where they begin in the file.
    public var offset: Int64
    /// What is wrong.
    public var reason: String
  }

  /// What damage comes to.
  public enum Damage: Equatable, Sendable {
    /// There is none.
    case none
    /// All records are there and can be read: what is bad is told by them, or stands behind them. `isMadeAnew` says whether
    /// the next start of a daemon that packs segments finds that, and has the segment written anew.
    case derived(isMadeAnew: Bool)
    /// Records are lost, or hidden from readers.
    case records
  }

  /// The file, as a path.
  public var file: String
  /// Whether it is packed.
  public var isPacked = false
  /// How many blocks are good; in a packed segment those that were packed count.
  public var blocks = 0
  /// How many records are good.
  public var records = 0
  /// The first position; that in the file's name while there are no records.
  public var firstPosition: Position
  /// The last position of a good record; the one before ``firstPosition`` while there are none.
  public var lastPosition: Position
  /// How many sessions its checkpoint holds.
  public var checkpointSessions = 0
  /// What is damaged.
  public var problems: [Problem] = []
  /// What the damage comes to.
  public var damage: Damage = .none
  /// In the last segment, bytes behind the last good block that no later block calls synced: a write that never ended, or
  /// one that a running daemon is about to end.
  public var unfinished: Problem?

  /// What people need to know about damage that costs no record; `nil` for other damage, and where there is none.
  public var reassurance: String? {
    switch damage {
    case .none, .records: nil
    case .derived(isMadeAnew: true):
      "no record is lost: the next start of the daemon makes anew what is bad, if it packs segments (Compress=)"
    case .derived(isMadeAnew: false):
      "no record is lost: what is bad is told by the records, too, and readers do without it"
    }
  }

  init(file: String, firstPosition: Position) {
    self.file = file
    self.firstPosition = firstPosition
    lastPosition = firstPosition - 1
  }
}
