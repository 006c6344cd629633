// What must be the same before and after a restart.

import ScrollClient
import ScrollModel

/// What must be the same before and after a restart: the open sessions' states, and every record at its position.
struct DemoProof: Equatable {
  var states: [StateReport]
  /// The client's own state, as asked for by its name.
  var state: StateReport
  var records: [LogEntry]

  init(_ daemon: ServiceConnection, client: String) throws(ServiceError) {
    states = try daemon.list()
    state = try daemon.state(of: client)
    records = []
    for entry in try daemon.read(LogQuery()) { records.append(try entry.get()) }
  }
}
