// A call to Forget on its way through the log.

import ScrollLog
import ScrollModel
import Varlink

/// A call to `Forget` on its way through the log.
struct Forgetting {
  let connection: Connection.ID
  let token: CallToken
  /// The sessions.
  var scope: ForgetScope
  /// The last position that may tell of them: once it is committed, the segment that holds it is ended.
  let through: Position
  /// What is still to be done, from the end on; `nil` until that segment is ended.
  var jobs: [ForgetJob]?
  /// How many records were taken out so far.
  var count: Int64 = 0
  /// The first segment that could not be read, or not be written.
  var error: ReadError?
}
