import ScrollModel

/// The result of checking a segment.
public struct SegmentVerification: Equatable, Sendable {
  /// Bad bytes.
  public struct Problem: Equatable, Sendable {
    /// Their offset in the file.
    public var offset: Int64
    /// What is wrong with them.
    public var reason: String
  }

  /// What damage costs.
  public enum Damage: Equatable, Sendable {
    /// Nothing: there is no damage.
    case none
    /// No records: the bad bytes are derived from them or come after them. `isRebuilt` says whether the next start of a
    /// daemon that packs segments notices the damage and rewrites the segment.
    case derived(isRebuilt: Bool)
    /// Records are lost or out of reach for readers.
    case records
  }

  /// The file, as a path.
  public var file: String
  /// Whether the segment is packed.
  public var isPacked = false
  /// How many blocks are good, counting those within packed blocks.
  public var blocks = 0
  /// How many records are good.
  public var records = 0
  /// The first position, from the file's name.
  public var firstPosition: Position
  /// The last position of a good record; the one before ``firstPosition`` if no record is good.
  public var lastPosition: Position
  /// How many sessions the checkpoint holds.
  public var checkpointSessions = 0
  /// All damage.
  public var problems: [Problem] = []
  /// What the damage costs.
  public var damage: Damage = .none
  /// The positions between this segment and the next one, if they are the only ones missing; `nil` otherwise.
  public var gap: ClosedRange<Position>?
  /// Whether a repair left ``gap``, since it could not keep those records. It is no damage then: nothing more can be done
  /// about it, and readers know of it.
  public var isGapRepaired = false
  /// The segments that are missing after this one, if that is the only loss here; `nil` otherwise.
  public var missing: MissingSegments?
  /// Whether it, or the segment after it, belongs to another log.
  public var isForeign = false
  /// Bytes after the last good block of the last segment that no later block says were synced: an unfinished write, or one
  /// that a running daemon is about to finish.
  public var unfinished: Problem?

  /// A note for people about damage that costs no records; `nil` without such damage, or if records are lost.
  public var reassurance: String? {
    switch damage {
    case .none, .records: nil
    case .derived(isRebuilt: true):
      "no record is lost: the next start of the daemon rebuilds the bad part if it packs segments (Compress=)"
    case .derived(isRebuilt: false):
      "no record is lost: the bad part is derived from the records, and readers do without it"
    }
  }

  /// A note for people about the gap that a repair left; `nil` without one.
  public var gapNote: String? {
    guard let gap, isGapRepaired else { return nil }
    return gap.count == 1
      ? "a repair could not keep position \(gap.lowerBound): 1 record is missing"
      : "a repair could not keep positions \(gap.lowerBound) to \(gap.upperBound): \(gap.count) records are missing"
  }

  /// Whether a repair keeps good records that readers do not reach now.
  public var isRepairable: Bool { damage == .records && !isForeign && !isMissingNext }

  /// Whether ``missing`` is all that is wrong.
  var isMissingNext: Bool { missing != nil && problems.count == 1 }

  init(file: String, firstPosition: Position) {
    self.file = file
    self.firstPosition = firstPosition
    lastPosition = firstPosition - 1
  }
}
