// A call to Vacuum that waits for the removal of files.

import Varlink

/// A call to `Vacuum` that waits for the removal of files.
struct VacuumAnswer {
  var connection: Connection.ID
  var token: CallToken
  /// How many bytes it frees.
  var freed: Int64
}
