import JSON
import ScrollModel
import Varlink

/// The calls on the connection that feeds, in order.
struct FeedCalls {
  private var calls: [FeedCall] = []

  /// Takes the call that the next reply answers.
  mutating func next() -> FeedCall? { calls.isEmpty ? nil : calls.removeFirst() }

  mutating func open(_ opening: SessionOpening, attempt: Int, over connection: ClientConnection) {
    connection.call("org.scrolld.Recorder.Open") { writer in
      writer.member("client", opening.client)
      writer.member("application", ifPresent: opening.application)
      writer.member("title", ifPresent: opening.title)
      writer.member("session", opening.session.description)
      writer.member("time", ifPresent: opening.time)
    }
    calls.append(.open(opening.session, attempt: attempt))
  }

  mutating func append(_ batch: EventBatch, to id: SessionID, attempt: Int, over connection: ClientConnection) {
    connection.call("org.scrolld.Recorder.Append") { writer in
      writer.member("session", id.description)
      writer.member("number", batch.number)
      writer.key("events")
      writer.raw(batch.json)
    }
    calls.append(.append(id, attempt: attempt))
  }

  mutating func close(_ id: SessionID, time: Int64?, attempt: Int, over connection: ClientConnection) {
    connection.call("org.scrolld.Recorder.Close") { writer in
      writer.member("session", id.description)
      writer.member("time", ifPresent: time)
    }
    calls.append(.close(id, attempt: attempt))
  }

  mutating func respond(
    _ id: SessionID, request: Int64, done: Bool, reason: String?, over connection: ClientConnection
  ) {
    connection.call("org.scrolld.Recorder.Respond") { writer in
      writer.member("session", id.description)
      writer.member("request", request)
      writer.member("done", done)
      writer.member("reason", ifPresent: reason)
    }
    calls.append(.respond(id, request: request))
  }
}
