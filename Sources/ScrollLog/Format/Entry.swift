// What stands in the payload of a block of records.

import ScrollModel

/// One entry of a payload, as the cursor comes to it.
enum Entry {
  /// Events follow, of one session, with consecutive numbers from `firstNumber` on.
  case run(SessionID, firstNumber: Int64, count: Int)
  case open(SessionID, Opening)
  case close(SessionID, Closing)
  case request(SessionID, ScrollRequest)
  case response(SessionID, ScrollResponse)
  /// Positions whose records are gone.
  case tombstone(count: Int)
  /// The closing of a session that is forgotten, one position.
  case forgotten(SessionID)
}
