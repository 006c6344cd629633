import ScrollModel

/// A transition: the event's line and time, what changed, and the watched fields after it.
public struct ExpectedTransition: Equatable, Sendable {
  /// The event's line in the recording.
  public var line: Int64?
  /// The event's time.
  public var time: Int64?
  /// The names of the fields that changed.
  public var changed: [String]?
  /// The toolbar's name, `shown` or `hidden`.
  public var toolbar: String?
  /// The trigger's name.
  public var trigger: String?
  /// Whether the content is scrolled to its bottom.
  public var reachBottom: Bool?
  /// Whether one more pull at the bottom shows the toolbar.
  public var bottomLatch: Bool?
  /// Whether the button to the top is visible.
  public var topButton: Bool?
  /// The page, 0 for the first.
  public var pageIndex: Int64?
  /// The number of pages.
  public var pageCount: Int64?
  /// The names of other fields. An expectation may not have any.
  public var unknownFields: Set<String> = []

  /// Creates a transition from a line of a file.
  public init(_ object: JSONLine) {
    line = object.integer("line")
    time = object.integer("time")
    changed = object.texts("changed")
    toolbar = object.text("toolbar")
    trigger = object.text("trigger")
    reachBottom = object.flag("reachBottom")
    bottomLatch = object.flag("bottomLatch")
    topButton = object.flag("topButton")
    pageIndex = object.integer("pageIndex")
    pageCount = object.integer("pageCount")
    unknownFields = object.names.subtracting([
      "line", "time", "changed", "toolbar", "trigger", "reachBottom", "bottomLatch", "topButton", "pageIndex",
      "pageCount",
    ])
  }

  /// Creates a transition from a step of the fold.
  public init(line: Int, _ state: FoldState, _ step: Policy.Step) {
    self.line = Int64(line)
    time = state.time
    changed = step.changed.names
    toolbar = "\(state.toolbar.name)"
    trigger = state.trigger.map { "\($0.name)" }
    reachBottom = state.reachBottom
    bottomLatch = state.bottomLatch
    topButton = state.topButton
    pageIndex = state.pager.index.map { Int64($0) }
    pageCount = state.pager.count.map { Int64($0) }
  }
}
