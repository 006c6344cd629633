import ScrollModel

/// Something that the opening of a log found or did, for the journal.
public enum RecoveryNote: Equatable, Sendable, CustomStringConvertible {
  /// A new log was created.
  case begun(directory: String)
  /// An incomplete file was removed.
  case removedUnfinished(file: String)
  /// After an unclean shutdown, the last segment was rewritten up to this position.
  case recovered(file: String, through: Position)
  /// After an unclean shutdown, there was no space to rewrite the last segment; it was written over itself up to this
  /// position.
  case recoveredInPlace(file: String, through: Position)
  /// Bytes at the end of the last segment were cut and kept in a file beside it.
  case cutTornTail(LogDamage, bytes: Int64, after: Position, kept: String)
  /// A new generation began.
  case newGeneration(Generation, after: Position, GenerationReason)
  /// Another version of the fold computed the states of the open sessions; this one continues from them.
  case otherFold(version: UInt32)
  /// This version of the fold folded records again that another version had folded, since the other version's states are
  /// not stored.
  case refolded(version: UInt32, from: Position)
  /// No segment could be begun for this version of the fold, so the segment of another version continues.
  case otherFoldContinues(WriteError)
  /// A sealed segment is damaged: reads that need the damaged part fail.
  case sealedDamage(LogDamage)
  /// The index of a packed segment is bad: the whole segment was read instead, and is for every query.
  case badIndex(LogDamage)

  /// Why a generation began.
  public enum GenerationReason: Equatable, Sendable {
    /// A torn tail was cut.
    case tornTail
    /// The machine went down, and clients may have seen records that had not been synced.
    case unsynced
    /// A snapshot covers records up to this position that are missing from the segment.
    case lostBlocks(through: Position)
    /// Clients have seen records up to this position that are missing from the segment.
    case lostSeen(through: Position)
    /// The segments after a sealed one are missing.
    case lostSegments
    /// The log is a restored backup, and other copies of it may continue as well.
    case restored
  }

  /// The note as a phrase for people.
  public var description: String {
    switch self {
    case .begun(let directory):
      "created a new log in \(directory)"
    case .removedUnfinished(let file):
      "removed the incomplete file \(file)"
    case .recovered(let file, let through):
      "the log was not shut down cleanly: rewrote \(file) through position \(through)"
    case .recoveredInPlace(let file, let through):
      """
      the log was not shut down cleanly, and the disk is full: rewrote \(file) in place through position \(through), since there \
      is no space for a copy
      """
    case .cutTornTail(let damage, let bytes, let after, let kept):
      """
      cut \(bytes) bytes from \(damage.file) at byte \(damage.offset), after position \(after), and kept them in \(kept): \
      \(damage.reason); this is an unfinished write, or damage to the last one, which look the same
      """
    case .newGeneration(let generation, let after, .tornTail):
      "generation \(generation) begins after position \(after), because the bytes after it were cut"
    case .newGeneration(let generation, let after, .unsynced):
      """
      generation \(generation) begins after position \(after), because the machine went down and clients may have seen \
      later records that were never synced
      """
    case .newGeneration(let generation, let after, .lostBlocks(let through)):
      """
      generation \(generation) begins after position \(after), because a snapshot shows that the log continued to position \
      \(through): the records in between are lost
      """
    case .newGeneration(let generation, let after, .lostSeen(let through)):
      """
      generation \(generation) begins after position \(after), because clients have seen positions up to \(through): the \
      records in between are lost
      """
    case .newGeneration(let generation, let after, .lostSegments):
      "generation \(generation) begins after position \(after), because the log files after it are missing"
    case .newGeneration(let generation, let after, .restored):
      """
      generation \(generation) begins after position \(after), because the log is a restored backup, and the original may have \
      continued differently
      """
    case .otherFold(let version):
      "version \(version) of the fold computed the open sessions' states; they are kept as they are up to here"
    case .refolded(let version, let from):
      """
      version \(version) of the fold had folded the records from position \(from) on, and they were now folded again: the open \
      sessions' states may differ from those reported before
      """
    case .otherFoldContinues(let error):
      "no segment was begun for the new version of the fold, so the log does not show where it takes over: \(error)"
    case .sealedDamage(let damage):
      """
      part of the log is damaged, and reads that need it or what follows it in its file will fail: \(damage); “scrollctl repair” makes \
      the rest of the file readable
      """
    case .badIndex(let damage):
      "the index of a packed segment is bad, so reading the segment takes longer: \(damage)"
    }
  }
}
