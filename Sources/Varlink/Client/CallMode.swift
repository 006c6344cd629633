// How many replies a caller wants.

/// How many replies a client asks for.
public enum CallMode: Sendable {
  /// Exactly one.
  case once
  /// As many as the method gives.
  case more
  /// None.
  case oneway
}
