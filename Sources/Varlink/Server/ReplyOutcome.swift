/// The outcome of a reply on a `ServerConnection`.
public enum ReplyOutcome: Equatable, Sendable {
  /// The reply is sent in the order of the calls, and more may follow.
  case continues
  /// The call has ended. The reply is sent in the order of the calls, or not at all for a oneway call.
  case ended
  /// The call has ended with the error `ExpectedMore`, because the reply continues and the call did not have `more`.
  case expectedMore
  /// The call awaits no reply, so nothing is sent.
  case notAwaited
}
