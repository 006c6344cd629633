import ScrollClient
import ScrollModel

/// The fields whose change is a transition, from a folded state or from a report of the daemon.
struct WatchedValues {
  var toolbar: Toolbar
  var trigger: Trigger?
  var reachBottom: Bool
  var bottomLatch: Bool
  var topButton: Bool
  var pageIndex: Int64?
  var pageCount: Int64?

  init(_ state: FoldState) {
    toolbar = state.toolbar
    trigger = state.trigger
    reachBottom = state.reachBottom
    bottomLatch = state.bottomLatch
    topButton = state.topButton
    pageIndex = state.pager.index.map { Int64($0) }
    pageCount = state.pager.count.map { Int64($0) }
  }

  init(_ report: StateReport) {
    toolbar = report.toolbar
    trigger = report.trigger
    reachBottom = report.reachBottom
    bottomLatch = report.bottomLatch
    topButton = report.topButton
    pageIndex = report.pageIndex
    pageCount = report.pageCount
  }

  /// Returns the fields of these names with their values: `toolbar hidden, trigger scrollDown`. Pages count from 1.
  func text(changed names: [String], style: Style = Style()) -> String {
    names.map { name in
      let text = "\(label(name)) \(value(name))"
      guard name == "toolbar" else { return text }
      return toolbar == .shown ? style.green(text) : style.yellow(text)
    }.joined(separator: ", ")
  }

  private func label(_ name: String) -> String {
    switch name {
    case "pageIndex": "page"
    case "pageCount": "pages"
    default: visible(name)
    }
  }

  private func value(_ name: String) -> String {
    switch name {
    case "toolbar": "\(toolbar.name)"
    case "trigger": trigger.map { "\($0.name)" } ?? "none"
    case "reachBottom": reachBottom ? "yes" : "no"
    case "bottomLatch": bottomLatch ? "yes" : "no"
    case "topButton": topButton ? "shown" : "hidden"
    case "pageIndex": pageIndex.map { "\($0 + 1)" } ?? "unknown"
    case "pageCount": pageCount.map { "\($0)" } ?? "unknown"
    default: "changed"
    }
  }
}
