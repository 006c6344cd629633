// One line of a recording.

import ScrollModel

/// One line of a recording.
public enum RecordingLine: Equatable, Sendable {
  /// The session begins: the first line. The policy is the one that was in force then, where the line tells all of it; the
  /// session is the id that it had in a log.
  case open(
    time: Int64, client: String, application: String?, title: String?, policy: Policy? = nil, session: SessionID? = nil)
  /// A callback of the scroll view.
  case event(Event)
  /// The session ends: the last line. The reason is the one that a log gives.
  case close(time: Int64, reason: Closing.Reason? = nil)
  /// Somebody asked the client to scroll.
  case request(ScrollRequest)
  /// What the client made of a request.
  case response(ScrollResponse)
}
