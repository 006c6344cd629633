// All that the fold knows of a session after some of its events.

/// All that the fold knows of a session after some of its events: what is shown, and what the rule remembers.
///
/// A state is a plain value without references: copied it is a snapshot, and a session continued from the copy goes on
/// exactly as the original. Every stored property is part of a checkpoint.
public struct FoldState: Equatable, Sendable {
  /// The time of the last event, microseconds since the Unix epoch by the client's clock; `nil` before the first.
  public var time: Int64?
  /// Sizes and offset.
  public var geometry = Geometry()
  /// The zoom scale given last.
  public var zoomScale: Double?

  /// Whether the toolbar is seen.
  public var toolbar = Toolbar.shown
  /// What last decided the toolbar.
  public var trigger: Trigger?
  /// Whether the bottom is reached.
  public var reachBottom = false
  /// Whether one more pull at the bottom reveals the toolbar.
  public var bottomLatch = false
  /// Whether the button that scrolls to the top is seen.
  public var topButton = false
  /// Pages and indicator.
  public var pager = Pager()

  /// What only the rule itself remembers.
  public var memory = RuleMemory()

  /// The state of a session before its first event.
  public init() {}
}
