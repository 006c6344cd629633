import ScrollModel

/// The result of an upkeep job. Whatever it is, appending continues, and the job can be repeated.
public enum UpkeepResult: Equatable, Sendable {
  /// The files of a segment were deleted.
  case removed(TrimmedSegment)
  /// The files of a segment could not all be deleted.
  case notRemoved(TrimmedSegment, FileError)
  /// Sessions were removed from a part of the state directory.
  case forgotten(ForgetJob, ForgottenRecords)
  /// Sessions could not be removed, or not entirely.
  case notForgotten(ForgetJob, ReadError)
  /// A segment was measured.
  case measured(Position, SegmentUse)
  /// A segment could not be measured.
  case notMeasured(Position, ReadError)
  /// A segment was packed; without a size, it no longer exists.
  case packed(Position, bytes: Int64?)
  /// A segment was not packed, or it was and the result is ``PackingError/unsynced(bytes:_:)``.
  case notPacked(Position, PackingError)
}
