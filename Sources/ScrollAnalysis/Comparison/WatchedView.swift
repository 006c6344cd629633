// The fields of a state that subscribers watch, as one value.

import ScrollModel

/// The fields of a state whose change is a transition.
public struct WatchedView: Equatable, Sendable {
  /// Whether the toolbar is seen.
  public let toolbar: Toolbar
  /// What last decided it.
  public let trigger: Trigger?
  /// Whether the bottom is reached.
  public let reachBottom: Bool
  /// Whether one more pull at the bottom reveals the toolbar.
  public let bottomLatch: Bool
  /// Whether the button to the top is seen.
  public let topButton: Bool
  /// The page that the tab bar marks, 0 for the first.
  public let pageIndex: Int?
  /// How many pages there are.
  public let pageCount: Int?

  /// What is watched of a state.
  public init(_ state: FoldState) {
    toolbar = state.toolbar
    trigger = state.trigger
    reachBottom = state.reachBottom
    bottomLatch = state.bottomLatch
    topButton = state.topButton
    pageIndex = state.pager.index
    pageCount = state.pager.count
  }

  /// The fields in which two views differ.
  public func difference(from other: WatchedView) -> WatchedFields {
    var fields: WatchedFields = []
    if toolbar != other.toolbar { fields.insert(.toolbar) }
    if trigger != other.trigger { fields.insert(.trigger) }
    if reachBottom != other.reachBottom { fields.insert(.reachBottom) }
    if bottomLatch != other.bottomLatch { fields.insert(.bottomLatch) }
    if topButton != other.topButton { fields.insert(.topButton) }
    if pageIndex != other.pageIndex { fields.insert(.pageIndex) }
    if pageCount != other.pageCount { fields.insert(.pageCount) }
    return fields
  }

  /// A field's value as text, such as `shown`, `true` or `3`; `none` where there is none.
  public func text(of field: WatchedFields) -> String {
    switch field {
    case .toolbar: "\(toolbar.name)"
    case .trigger: trigger.map { "\($0.name)" } ?? "none"
    case .reachBottom: "\(reachBottom)"
    case .bottomLatch: "\(bottomLatch)"
    case .topButton: "\(topButton)"
    case .pageIndex: pageIndex.map { "\($0)" } ?? "none"
    case .pageCount: pageCount.map { "\($0)" } ?? "none"
    default: "none"
    }
  }
}
