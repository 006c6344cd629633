import ScrollModel

/// What a feed reports to its owner.
public enum FeedUpdate: Equatable, Sendable {
  /// The session is open; the feed sends events from its `nextNumber`.
  case opened(OpenedSession)
  /// The daemon answered events.
  case appended(AppendedEvents)
  /// The daemon is away. Reported once, however many attempts to connect follow.
  case away(ServiceError)
  /// The daemon refused to open the session or to append. The feed tries again, each time after a longer wait.
  case refused(ServiceRefusal)
  /// The daemon refused this event, and the feed leaves it out. ``Feeder/append(_:timeout:)`` checks events itself, so that
  /// this happens only when the daemon is stricter than this library.
  case eventRefused(Event, ServiceRefusal)
  /// The session was closed: when it was idle, with its connection, or because somebody else opened the client. The feed opens
  /// another session and sends the unanswered events there. Up to `maybeStored` of them may be in the old session as well.
  case sessionEnded(SessionID, maybeStored: Int)
  /// The daemon lost this many events that it had answered, as it can with `Sync=interval` and `never`.
  case takenBack(count: Int64)
}
