/// The unit of a number in an event, a state or a policy.
public enum Unit: Sendable {
  /// Points, which are CSS pixels.
  case points
  /// Microseconds since the Unix epoch.
  case microseconds
  /// A share of something else, such as of the minimum zoom scale.
  case ratio
  /// Pages.
  case pages
}
