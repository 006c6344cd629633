import ScrollModel

/// A part of the state directory from which sessions have to be removed.
public enum ForgetJob: Equatable, Sendable {
  /// A sealed segment, by its first position.
  case segment(Position, ForgetScope)
  /// Files to delete, by their paths, since it is unknown which sessions they hold.
  case files([String])
}
