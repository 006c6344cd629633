/// Everything that the fold knows about a session after some of its events: what is shown, and what the rule remembers.
///
/// A state is a plain value without references. You can copy it and continue a session from the copy, with exactly the
/// results of the original. Every stored property is part of a checkpoint in the log.
public struct FoldState: Equatable, Sendable {
  /// The time of the last event, in microseconds since the Unix epoch by the client's clock; `nil` before the first.
  public var time: Int64?
  /// The sizes and the offset.
  public var geometry = Geometry()
  /// The last reported zoom scale.
  public var zoomScale: Double?

  /// Whether the toolbar is visible.
  public var toolbar = Toolbar.shown
  /// What last changed the toolbar.
  public var trigger: Trigger?
  /// Whether the content is scrolled to its bottom.
  public var reachBottom = false
  /// Whether one more pull at the bottom shows the toolbar.
  public var bottomLatch = false
  /// Whether the button that scrolls to the top is visible.
  public var topButton = false
  /// The pages and their indicator.
  public var pager = Pager()

  /// What only the rule itself uses.
  public var memory = RuleMemory()

  /// Creates the state of a session before its first event.
  public init() {}
}
