// When the call behind a call may be taken.

/// What a handler says of the calls that stand behind the one it was given.
public enum NextCall: Sendable {
  /// They may be taken at once. The call is answered already or will be; answers go out in the order of the calls.
  case mayFollow
  /// None is taken before this call has ended, by an error or a reply that doesn't continue: streams, long queries.
  case waits
}
