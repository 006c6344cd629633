/// The result of a step of forgetting sessions.
public struct ForgottenRecords: Equatable, Sendable {
  /// How many of their records were removed; of a search, 0 if the segment has none, not even in its checkpoint.
  public var count: Int64
  /// The new size of the segment; `nil` if it no longer exists, or if the step changed no segment.
  public var segmentBytes: Int64?
  /// The list of what was forgotten, if the step changed it.
  public var list: ForgottenList?
}
