import ScrollModel

/// A line of a recording.
public enum RecordingLine: Equatable, Sendable {
  /// The session begins. This is the first line. `policy` is the policy that was in force then, if the line has all of its
  /// parameters; `session` is the id that the session had in a log, and `user` its user there, if that was not the one who
  /// exported it.
  case open(
    time: Int64, client: String, application: String?, title: String?, policy: Policy? = nil, session: SessionID? = nil,
    user: UInt32? = nil)
  /// A callback of the scroll view.
  case event(Event)
  /// The session ends. This is the last line. Only a line from a log has a reason.
  case close(time: Int64, reason: Closing.Reason? = nil)
  /// An observer asked the client to scroll.
  case request(ScrollRequest)
  /// The client answered a request.
  case response(ScrollResponse)
}
