import ScrollModel

/// Work on what is no longer written to.
public enum UpkeepJob: Equatable, Sendable {
  /// Remove the files of a segment that is no longer in the list of segments.
  case remove(TrimmedSegment)
  /// Take sessions out of a part of the state directory.
  case forget(ForgetJob)
  /// Pack a segment that is not the last one, by its first position.
  case pack(Position)
}
