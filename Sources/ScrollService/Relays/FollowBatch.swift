import JSON
import ScrollJSON
import ScrollLog
import ScrollModel

/// The sessions and records of a reply to `Follow`, as two JSON arrays.
struct FollowBatch: ~Copyable {
  private var sessions = ByteBuffer()
  private var records = ByteBuffer()

  /// How much memory it takes, in bytes.
  var heldBytes: Int { sessions.allocatedCount + records.allocatedCount }

  /// Adds the description of a session.
  mutating func add(_ session: Session) {
    Self.append(to: &sessions) { writer in
      writer.member("session", session.id)
      writer.member("given", ifPresent: session.opening.givenID)
      writer.member("client", session.client.name.text)
      writer.member("user", session.client.user)
      writer.member("received", session.openedReceived)
      writer.member("policy", session.opening.policy.name)
    }
  }

  /// Adds a record.
  ///
  /// - Parameter more: Writes what only some records have.
  mutating func add(_ record: Record, of session: Session, at place: RecordPlace, _ more: (inout JSONWriter) -> Void) {
    Self.append(to: &records) { writer in
      writer.member("position", place.position)
      writer.member("received", place.received)
      writer.member("session", session.id)
      if case .event(_, let number) = record { writer.member("number", number) }
      writer.member("record", record)
      more(&writer)
    }
  }

  private static func append(to buffer: inout ByteBuffer, _ members: (inout JSONWriter) -> Void) {
    if !buffer.isEmpty { buffer.append(",") }
    buffer.appendJSON { writer in
      writer.beginObject()
      members(&writer)
      writer.endObject()
    }
  }

  /// Writes the members of the reply, if any.
  func write(to writer: inout JSONWriter) {
    Self.write("sessions", sessions, to: &writer)
    Self.write("records", records, to: &writer)
  }

  private static func write(_ name: StaticString, _ buffer: borrowing ByteBuffer, to writer: inout JSONWriter) {
    if buffer.isEmpty { return }
    writer.key(name)
    writer.beginArray()
    buffer.withUnsafeReadableBytes { writer.raw($0) }
    writer.endArray()
  }

  mutating func removeAll() {
    sessions.removeAll()
    records.removeAll()
  }
}

extension FoldState {
  /// Writes what an event changed as the member `change`.
  func writeChange(_ step: Policy.Step, to writer: inout JSONWriter) {
    writer.key("change")
    writer.beginObject()
    for field in [Field.toolbar, .trigger, .reachBottom, .topButton, .pageIndex] {
      writer.member(field.name, ifPresent: self[field])
    }
    writer.key("changed")
    writer.beginArray()
    for field in Field.watched where step.changed.contains(field.declaration.watched) { writer.string("\(field.name)") }
    writer.endArray()
    writer.member("reason", ifPresent: step.reason?.description)
    writer.endObject()
  }
}

extension JSONWriter {
  /// Writes what a session came to as the member `summary`.
  mutating func summary(of session: Session, _ closing: Closing) {
    key("summary")
    beginObject()
    member("events", session.nextNumber - 1)
    if let measures = session.measures {
      member("duration", measures.duration(closedAt: closing.time))
      member("reach", ifPresent: measures.reach)
      member("flips", measures.flips)
      member("flickers", measures.flickers)
    }
    endObject()
  }
}
