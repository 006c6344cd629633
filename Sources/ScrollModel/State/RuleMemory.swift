/// What a rule remembers between events in addition to what is shown. Each rule uses only some of it.
public struct RuleMemory: Equatable, Sendable {
  /// The first vertical offset of the session. Only `classic` uses it.
  public var firstY: Double?
  /// The vertical offset after the previous event, clamped to the bounds known then. Only `safari` uses this and all
  /// that follow.
  public var last: Double?
  /// The last reported vertical translation, reset to 0 when a drag begins.
  public var pan: Double = 0
  /// How far the user has scrolled down from the highest point since the last decision, ≥ 0.
  public var travelDown: Double = 0
  /// How far the user has scrolled up from the lowest point since the last decision, ≥ 0.
  public var travelUp: Double = 0
  /// Whether a pinch is in progress.
  public var zooming = false
  /// Whether the last zoom that changed the toolbar zoomed in.
  public var zoomedIn = false
  /// Whether the toolbar was revealed at the bottom and stays.
  public var held = false

  /// Creates the memory of a session before its first event.
  public init() {}
}
