// A transition as a file of expectations, or the fold itself, tells it.

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
  /// Whether the bottom is reached.
  public var reachBottom: Bool?
  /// Whether one more pull at the bottom reveals the toolbar.
  public var bottomLatch: Bool?
  /// Whether the button to the top is seen.
  public var topButton: Bool?
  /// The page, 0 for the first.
  public var pageIndex: Int64?
  /// How many pages there are.
  public var pageCount: Int64?
  /// Fields of the file that are none of those above, which no expectation may have.
  public var unknownFields: Set<String> = []

  /// A transition as a file tells it.
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

  /// A transition as the fold made it.
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
