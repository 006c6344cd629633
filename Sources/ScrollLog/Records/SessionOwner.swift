/// The user whose session it was.
public enum SessionOwner: Hashable, Sendable {
  case user(UInt32)
  /// The session was forgotten, or its opening is no longer readable.
  case unknown
}
