import ScrollModel

/// Keeps whole sessions in memory, for verbs that fold them several times.
final class CollectedSessions: SessionSink {
  /// An open session.
  final class Session {
    fileprivate let key: Int64
    fileprivate var loaded: LoadedSession

    fileprivate init(_ key: Int64, _ loaded: LoadedSession) {
      self.key = key
      self.loaded = loaded
    }
  }

  /// The sessions that have ended, in the order in which they began.
  var sessions: [LoadedSession] { ended.sorted { $0.key < $1.key }.map(\.loaded) }

  private var ended: [Session] = []

  func begin(_ head: SessionHead) -> Session {
    var loaded = LoadedSession(
      name: head.name, title: head.title, policy: head.policy, path: head.path, line: head.line)
    if let client = head.client, let user = head.user, let id = head.id {
      loaded.log = LoadedSession.LogPlace(client: client, user: user, session: id)
    }
    return Session(head.key, loaded)
  }

  func add(_ event: Event, at place: EventPlace, to session: Session) {
    session.loaded.events.append(event)
    session.loaded.numbers.append(place.number)
    if let position = place.position { session.loaded.log?.positions.append(position) }
    if let received = place.received {
      session.loaded.log?.received.append(received)
      session.loaded.log?.countRecord(received: received)
    }
  }

  func end(_ session: Session, _ end: SessionEnd) {
    session.loaded.closed = end.closed
    ended.append(session)
  }
}
