// What became of a session that was sent.

import JSON
import ScrollModel

/// What became of a session that was sent.
struct SentSession: Equatable, JSONWritable {
  var client: String
  var session: SessionID
  /// How many events of it the daemon has.
  var events: Int64
  /// The last event's position; `nil` when there is none.
  var position: Position?

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("client", client)
    writer.member("session", session.description)
    writer.member("events", events)
    writer.member("position", ifPresent: position)
    writer.endObject()
  }
}
