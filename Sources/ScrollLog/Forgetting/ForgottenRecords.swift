/// The result of removing sessions from a segment.
public struct ForgottenRecords: Equatable, Sendable {
  /// How many of their records it had.
  public var count: Int64
  /// The new size of the segment; `nil` if it no longer exists.
  public var segmentBytes: Int64?
}
