import ScrollModel

/// What work on sealed segments came to. Whatever it is, appending goes on, and the work can be tried again.
public enum UpkeepResult: Equatable, Sendable {
  /// The files of a segment are gone.
  case removed(TrimmedSegment)
  /// They could not be removed, or not all of them.
  case notRemoved(TrimmedSegment, FileError)
  /// Sessions were taken out of a part of the state directory.
  case forgotten(ForgetJob, ForgottenRecords)
  /// They may still stand there.
  case notForgotten(ForgetJob, ReadError)
  /// A segment is packed; without a size it is gone.
  case packed(Position, bytes: Int64?)
  /// It stands as it did, or is packed and ``PackingError/unsynced(bytes:_:)``.
  case notPacked(Position, PackingError)
}
