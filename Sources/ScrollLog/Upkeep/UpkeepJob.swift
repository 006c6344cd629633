import ScrollModel

/// A job for the upkeep of sealed segments.
public enum UpkeepJob: Equatable, Sendable {
  /// Delete the files of a segment that is no longer in the list of segments.
  case remove(TrimmedSegment)
  /// Remove sessions from a part of the state directory.
  case forget(ForgetJob)
  /// Find out whose records a sealed segment holds, by its first position.
  case measure(Position)
  /// Pack a sealed segment, by its first position.
  case pack(Position)
}
