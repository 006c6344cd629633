/// What an entry of a payload is. The raw value is the tag's number in the log.
enum EntryTag: UInt8 {
  /// Events of one session with consecutive numbers.
  case run = 1
  /// A session began.
  case open = 2
  /// A session ended.
  case close = 3
  /// Somebody asked the client to scroll.
  case request = 4
  /// The client's answer.
  case response = 5
  /// Positions whose records are gone.
  case tombstone = 6
  /// A session was here and is forgotten.
  case forgotten = 7
  /// What a checkpoint begins with.
  case checkpointHead = 16
  /// One open session of a checkpoint.
  case checkpointSession = 17
}
