/// What a segment is like after sessions were taken out of it.
public struct ForgottenRecords: Equatable, Sendable {
  /// How many records were there of them.
  public var count: Int64
  /// How large the segment is; `nil` when it is gone.
  public var segmentBytes: Int64?
}
