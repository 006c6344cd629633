import ScrollModel

/// What a backup holds, as it was read back.
public struct BackupReport: Equatable, Sendable {
  /// The directory, to be used as a state directory.
  public var directory: String
  /// Its segments as they were checked, in order.
  public var segments: [SegmentVerification]
  /// The generation that begins behind the last position.
  public var generation: Generation
  /// How many bytes its files take.
  public var bytes: Int64

  /// How many records are good.
  public var records: Int { segments.reduce(0) { $0 + $1.records } }
  /// The first position; that in the first file's name while there are no records.
  public var firstPosition: Position { segments.first?.firstPosition ?? 1 }
  /// The last position of a good record; the one before ``firstPosition`` while there are none.
  public var lastPosition: Position { segments.last?.lastPosition ?? 0 }
  /// Whether records in it are lost or can't be read. Damage that costs no record, which is copied as well, doesn't count.
  public var isDamaged: Bool { segments.contains { $0.damage == .records || $0.unfinished != nil } }
}
