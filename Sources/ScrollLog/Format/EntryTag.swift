/// What an entry in a payload is. The raw values are part of the format.
enum EntryTag: UInt8 {
  /// Events of one session with consecutive numbers.
  case run = 1
  /// A session was opened.
  case open = 2
  /// A session was closed.
  case close = 3
  /// A request to scroll was sent to the client.
  case request = 4
  /// The client answered a request.
  case response = 5
  /// Positions whose records were forgotten.
  case tombstone = 6
  /// A session was closed here and has been forgotten.
  case forgotten = 7
  /// The head of a checkpoint.
  case checkpointHead = 16
  /// An open session in a checkpoint.
  case checkpointSession = 17
}
