/// What a rule remembers between events in addition to what is shown. Each rule uses only some of it.
public struct RuleMemory: Equatable, Sendable {
  /// The first vertical offset of the session. Only `classic` uses it.
  public var firstY: Double?
  /// The vertical offset after the previous event, clamped to the bounds known then. Only `safari` uses this and all
  /// that follow.
  public var last: Double?
  /// The vertical translation given last, 0 from the beginning of a drag and after its end.
  public var pan: Double = 0
  /// The horizontal translation given last, 0 from the beginning of a drag and after its end.
  public var panX: Double = 0
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
  /// How much room the frame and the insets have taken since the toolbar was revealed at the bottom, in points, ≥ 0.
  public var slack: Double = 0
  /// The sum of the content height's changes by layouts without an offset since the last `scroll`, `dragEnd` or
  /// `scrollEnd`, in points.
  public var grown: Double = 0
  /// Whether the motion event before was taken for scroll anchoring although its movement was not exactly ``grown``.
  public var guessed = false
  /// The greatest distance from the top since the toolbar hid, in points; `nil` while it is shown.
  public var deepest: Double?
  /// The content height when travel downwards last hid the toolbar; `nil` if none was known.
  public var hidAt: Double?
  /// A content height at which hiding the toolbar left nothing to scroll; `nil` if that has not happened.
  public var tooShort: Double?
  /// What the pager remembers.
  public var pager = PagerMemory()

  /// Creates the memory of a session before its first event.
  public init() {}
}

/// What the pager of `safari` remembers between events in addition to what is shown.
public struct PagerMemory: Equatable, Sendable {
  /// How far the content was zoomed beyond its minimum at the last layout, as a ratio ≥ 1.
  public var scale: Double = 1
  /// The distance from the first page after the previous event, in points; `nil` until it is known.
  public var distance: Double?
  /// The frame's width when the page was first known, or when a horizontal offset was given after that, in points.
  public var frameWidth: Double?

  /// Creates the memory of a session before its first event.
  public init() {}
}
