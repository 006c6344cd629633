import ScrollModel

/// A step of forgetting sessions.
public enum ForgetJob: Equatable, Sendable {
  /// Find out whether a segment, by its first position, has records of the sessions up to a position. It may be the one that
  /// is being written.
  case search(Position, ForgetScope, through: Position)
  /// Add the sessions to the list of what was forgotten: those that were opened up to a time.
  case record(ForgetScope, received: Int64)
  /// Remove the sessions from a sealed segment, by its first position.
  case segment(Position, ForgetScope)
  /// Delete files, by their paths, since it is unknown which sessions they hold.
  case files([String])

  /// Whether it is a search, which changes nothing.
  public var isSearch: Bool {
    if case .search = self { true } else { false }
  }
}
