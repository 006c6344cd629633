import ScrollModel

/// Something that opening a log found or did, as people read it in the journal.
public enum RecoveryNote: Equatable, Sendable, CustomStringConvertible {
  /// There was no log; one was begun.
  case begun(directory: String)
  /// A file that was never completed was removed.
  case removedUnfinished(file: String)
  /// The last stop was not in order; the last segment was written anew up to this position.
  case recovered(file: String, through: Position)
  /// The last stop was not in order, and there was no room to write the last segment anew: it was synced again up to this
  /// position.
  case recoveredInPlace(file: String, through: Position)
  /// Bytes at the end of the last segment were cut off and kept in a file beside it.
  case cutTornTail(LogDamage, bytes: Int64, after: Position, kept: String)
  /// A new generation began.
  case newGeneration(Generation, after: Position, GenerationReason)
  /// The states of the open sessions are as another version of the fold made them; this one goes on from there.
  case otherFold(version: UInt32)
  /// Records that another version of the fold had folded were folded again by this one, since nothing tells any more what the
  /// other one made of them.
  case refolded(version: UInt32, from: Position)
  /// No segment could be begun for this version of the fold: the one of another version goes on.
  case otherFoldGoesOn(WriteError)
  /// A segment that is no longer written to is damaged: reads that need it fail.
  case sealedDamage(LogDamage)
  /// The index of a packed segment is bad: the segment was read whole instead, as it is for each look into it.
  case badIndex(LogDamage)

  /// Why a generation began.
  public enum GenerationReason: Equatable, Sendable {
    /// A torn tail was cut.
    case tornTail
    /// The machine went down while there may have been records that were seen and not synced.
    case unsynced
    /// A snapshot beside the segment tells of records up to this position that no longer stand in it.
    case lostBlocks(through: Position)
    /// The segments behind a packed one are gone.
    case lostSegments
    /// The log is a backup that begins to go on, as others of the same may.
    case restored
  }

  /// The text that people read.
  public var description: String {
    switch self {
    case .begun(let directory):
      "began a new log in \(directory)"
    case .removedUnfinished(let file):
      "removed \(file), which was never completed"
    case .recovered(let file, let through):
      "the log was not stopped in order: wrote \(file) anew through position \(through)"
    case .recoveredInPlace(let file, let through):
      """
      the log was not stopped in order, and the disk is full: wrote \(file) over itself through position \(through), since there \
      is no room to write it anew
      """
    case .cutTornTail(let damage, let bytes, let after, let kept):
      """
      cut \(bytes) bytes off \(damage.file) at byte \(damage.offset), behind position \(after), and kept them in \(kept): \
      \(damage.reason); this is a write that never ended, or damage to the last one, which cannot be told apart
      """
    case .newGeneration(let generation, let after, .tornTail):
      "generation \(generation) begins after position \(after), since what stood behind it was cut"
    case .newGeneration(let generation, let after, .unsynced):
      """
      generation \(generation) begins after position \(after), since the machine went down and records behind it may \
      have been seen before they were synced
      """
    case .newGeneration(let generation, let after, .lostBlocks(let through)):
      """
      generation \(generation) begins after position \(after), since a snapshot tells that the log went to position \(through): \
      what stood in between is gone
      """
    case .newGeneration(let generation, let after, .lostSegments):
      "generation \(generation) begins after position \(after), since the files of the log behind it are gone"
    case .newGeneration(let generation, let after, .restored):
      "generation \(generation) begins after position \(after), since the log is a restored backup: what came behind it is elsewhere"
    case .otherFold(let version):
      "the open sessions' states were made by version \(version) of the fold, and stay as they were up to here"
    case .refolded(let version, let from):
      """
      the records from position \(from) on were folded by version \(version) of the fold and are now folded again: the open \
      sessions' states may differ from what was said before
      """
    case .otherFoldGoesOn(let error):
      "no segment was begun for the new version of the fold, so that none tells where it began: \(error)"
    case .sealedDamage(let damage):
      "reads that need it will fail: \(damage)"
    case .badIndex(let damage):
      "the segment is read without its index, which takes longer: \(damage)"
    }
  }
}
