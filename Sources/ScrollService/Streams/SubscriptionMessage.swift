// The messages that subscribers get, as JSON.

import JSON
import ScrollJSON
import ScrollLog
import ScrollModel

/// The messages that subscribers get. Each is one JSON object, encoded once for all who get it.
enum SubscriptionMessage {
  static func opened(_ session: Session, at place: RecordPlace, to buffer: inout ByteBuffer) {
    write(place.position, "opened", to: &buffer) { writer in
      identify(session, &writer)
      writer.member("time", session.opening.time)
      writer.member("application", ifPresent: session.opening.application)
      writer.member("title", ifPresent: session.opening.title)
      writer.member("policy", session.opening.policy.name)
    }
  }

  static func closed(_ session: Session, _ closing: Closing, at place: RecordPlace, to buffer: inout ByteBuffer) {
    write(place.position, "closed", to: &buffer) { writer in
      identify(session, &writer)
      writer.member("time", closing.time)
      writer.member("reason", "\(closing.reason.name)")
    }
  }

  static func state(
    _ session: Session, at position: Position, of statePosition: Position, to buffer: inout ByteBuffer
  ) {
    buffer.appendJSON { writer in
      writer.beginObject()
      writer.member("position", position)
      writer.key("state")
      session.state.write(to: &writer, as: session.identity(at: statePosition))
      writer.endObject()
    }
  }

  static func transition(
    _ session: Session, _ step: Policy.Step, at place: RecordPlace, to buffer: inout ByteBuffer
  ) {
    buffer.appendJSON { writer in
      writer.beginObject()
      writer.member("position", place.position)
      writer.key("transition")
      session.state.writeTransition(to: &writer, as: session.identity(at: place.position), step)
      writer.endObject()
    }
  }

  private static func write(
    _ position: Position, _ name: StaticString, to buffer: inout ByteBuffer, _ members: (inout JSONWriter) -> Void
  ) {
    buffer.appendJSON { writer in
      writer.beginObject()
      writer.member("position", position)
      writer.key(name)
      writer.beginObject()
      members(&writer)
      writer.endObject()
      writer.endObject()
    }
  }

  private static func identify(_ session: Session, _ writer: inout JSONWriter) {
    writer.member("client", session.client.name)
    writer.member("user", session.client.user)
    writer.member("session", session.id)
  }
}

extension Session {
  /// Whose state the session's is, as of a position.
  func identity(at position: Position) -> StateIdentity {
    StateIdentity(
      client: client.name, user: client.user, session: id, position: position, policy: opening.policy.name)
  }
}
