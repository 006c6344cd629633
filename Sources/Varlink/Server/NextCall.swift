/// A handler's decision about the calls after its own.
public enum NextCall: Sendable {
  /// Later calls are handled at once, whether or not this call was answered. Replies keep the order of the calls.
  case mayFollow
  /// Later calls wait until this call ends, by an error or a final reply. Streams and long queries use it.
  case waits
}
