import ScrollModel

/// A segment that is no longer in the list of segments, and whose files are to be removed.
public struct TrimmedSegment: Equatable, Sendable {
  /// Its first position.
  public var firstPosition: Position
  /// Its last position.
  public var lastPosition: Position
  /// How many bytes the files take.
  public var bytes: Int64
  /// Which limit it exceeds.
  public var reason: RetentionLimits.Reason
  /// The paths of its file and of those that keep what was taken out of the log up to here.
  public var files: [String]
}
