// What a feed tells its owner besides what it is asked.

import ScrollModel

/// What happens to a feed that its owner may want to know of.
public enum FeedNews: Equatable, Sendable {
  /// The session stands, and events go on from its `nextNumber`.
  case opened(OpenedSession)
  /// Events were answered.
  case appended(AppendedEvents)
  /// The daemon is away; told once, however many attempts to connect follow.
  case away(ServiceError)
  /// The daemon refused to open the session or to append. It is tried again, later each time.
  case refused(ServiceRefusal)
  /// An event was refused for what it is and is left out; the others go on. The checks of
  /// ``Feeder/append(_:patience:)`` let this happen only where the daemon is stricter than this library.
  case eventRefused(Event, ServiceRefusal)
  /// The session was closed: for idleness, with the connection, or since somebody opened the client anew. Another one
  /// begins, and what was not answered goes there. So many of these events were sent before and may stand in the old
  /// session, too.
  case sessionEnded(SessionID, maybeStored: Int)
  /// The daemon has lost events that it had answered, as it can with `Sync=interval` and `never`: so many are gone.
  case takenBack(count: Int64)
}
