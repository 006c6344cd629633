import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The encoding of replies to `Subscribe`. Each function writes the members of an object that has begun.
enum SubscriptionMessage {
  static func writeOpened(_ session: Session, at place: RecordPlace, to writer: inout JSONWriter) {
    write(place.position, "opened", to: &writer) { writer in
      writeNames(of: session, to: &writer)
      writer.member("time", session.opening.time)
      writer.member("application", ifPresent: session.opening.application)
      writer.member("title", ifPresent: session.opening.title)
      writer.member("policy", session.opening.policy.name)
    }
  }

  static func writeClosed(_ session: Session, _ closing: Closing, at place: RecordPlace, to writer: inout JSONWriter) {
    write(place.position, "closed", to: &writer) { writer in
      writeNames(of: session, to: &writer)
      writer.member("time", closing.time)
      writer.member("reason", "\(closing.reason.name)")
    }
  }

  /// Writes the closing of a session that has been forgotten, so that nobody knows any more whose it was.
  static func writeForgotten(_ session: SessionID, at place: RecordPlace, to writer: inout JSONWriter) {
    write(place.position, "closed", to: &writer) { writer in
      writer.member("client", "")
      writer.member("user", UInt32.max)
      writer.member("session", session)
      writer.member("time", place.received)
      writer.member("reason", "\(Closing.Reason.forgotten.name)")
    }
  }

  /// - Parameter statePosition: The position of the event that led to the state.
  static func writeState(
    _ session: Session, at position: Position, of statePosition: Position, to writer: inout JSONWriter
  ) {
    writer.member("position", position)
    writer.key("state")
    session.state.write(to: &writer, as: session.identity(at: statePosition))
  }

  /// Writes a state that an event led to, which need not be the session's present one.
  static func writeState(
    _ state: FoldState, of session: Session, at place: RecordPlace, to writer: inout JSONWriter
  ) {
    writer.member("position", place.position)
    writer.key("state")
    state.write(to: &writer, as: session.identity(at: place.position))
  }

  static func writeTransition(
    _ state: FoldState, _ step: Policy.Step, of session: Session, at place: RecordPlace, to writer: inout JSONWriter
  ) {
    writer.member("position", place.position)
    writer.key("transition")
    state.writeTransition(to: &writer, as: session.identity(at: place.position), step)
  }

  private static func write(
    _ position: Position, _ name: StaticString, to writer: inout JSONWriter, _ members: (inout JSONWriter) -> Void
  ) {
    writer.member("position", position)
    writer.key(name)
    writer.beginObject()
    members(&writer)
    writer.endObject()
  }

  private static func writeNames(of session: Session, to writer: inout JSONWriter) {
    writer.member("client", session.client.name.text)
    writer.member("user", session.client.user)
    writer.member("session", session.shownID)
  }
}
