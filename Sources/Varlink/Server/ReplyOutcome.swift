// What came of a reply.

/// What came of a reply that was given to a `ServerConnection`.
public enum ReplyOutcome: Equatable, Sendable {
  /// It goes out in its turn, and more may follow.
  case continues
  /// It goes out in its turn, or the call was oneway and nothing does; the call has ended.
  case ended
  /// It would have continued, but the caller didn't ask for `more`: the call has ended with `ExpectedMore` instead.
  case expectedMore
  /// No such call awaits a reply; nothing goes out.
  case notAwaited
}
