import ScrollModel

/// A part of the state directory from which sessions are to be taken out.
public enum ForgetJob: Equatable, Sendable {
  /// A segment that is not the last one, by its first position.
  case segment(Position, ForgetScope)
  /// Files that go as a whole, by their paths, since nobody can tell what is in them.
  case files([String])
}
