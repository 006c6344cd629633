/// The number of replies that a client asks for.
public enum CallMode: Sendable {
  /// One reply.
  case once
  /// Any number of replies.
  case more
  /// No reply.
  case oneway
}
