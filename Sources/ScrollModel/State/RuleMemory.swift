// What a rule remembers between events besides what is shown.

/// What a rule remembers between events besides what is shown. Each rule uses what it needs and leaves the rest.
public struct RuleMemory: Equatable, Sendable {
  /// The first vertical offset of the session (`classic`).
  public var firstY: Double?
  /// The vertical offset after the event before, kept within the bounds known then (`safari`, as all below).
  public var last: Double?
  /// The vertical translation given last, 0 from the beginning of a drag.
  public var pan: Double = 0
  /// How far the user has come down from the highest point since the last decision, ≥ 0.
  public var travelDown: Double = 0
  /// How far the user has come up from the lowest point since the last decision, ≥ 0.
  public var travelUp: Double = 0
  /// Whether a pinch is under way.
  public var zooming = false
  /// Whether the last zoom that decided anything zoomed in.
  public var zoomedIn = false
  /// Whether the bar was revealed at the bottom and stays.
  public var held = false

  /// The memory at the start of a session.
  public init() {}
}
