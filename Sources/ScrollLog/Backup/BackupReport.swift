import ScrollModel

/// The content of a backup, as read back from it.
public struct BackupReport: Equatable, Sendable {
  /// The directory, which can be used as a state directory.
  public var directory: String
  /// The results of checking its segments, in order.
  public var segments: [SegmentVerification]
  /// The generation that begins after the last position.
  public var generation: Generation
  /// The size of its files, in bytes.
  public var bytes: Int64

  /// Files that the copied log lacks, in order. Their records are in no backup of it.
  public var missing: [MissingSegments] = []

  /// How many records are good.
  public var records: Int { segments.reduce(0) { $0 + $1.records } }
  /// The first position, from the name of the first file.
  public var firstPosition: Position { segments.first?.firstPosition ?? 1 }
  /// The last position of a good record; the one before ``firstPosition`` if no record is good.
  public var lastPosition: Position { segments.last?.lastPosition ?? 0 }
  /// Whether records are lost or cannot be read. Damage that costs no records is copied as well, and does not count.
  public var isDamaged: Bool {
    !missing.isEmpty || segments.contains { $0.damage == .records || $0.unfinished != nil }
  }
}
