import ScrollModel

/// A segment that retention has removed from the list of segments, and whose files still have to be deleted.
public struct TrimmedSegment: Equatable, Sendable {
  /// Its first position.
  public var firstPosition: Position
  /// Its last position.
  public var lastPosition: Position
  /// The size of the files, in bytes.
  public var bytes: Int64
  /// The limit that it exceeds.
  public var reason: RetentionLimits.Reason
  /// The paths of its file, of its snapshots, and of the files with bytes cut from it.
  public var files: [String]
}
