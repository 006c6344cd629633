import ScrollModel
internal import Varlink

/// A client's state as the daemon reports it. Unknown values are `nil`.
public struct StateReport: Equatable, Sendable {
  /// The client's name.
  public var client: String
  /// The client's user id.
  public var user: UInt32
  /// The session.
  public var session: SessionID
  /// The position of the session's last record.
  public var position: Position
  /// The last event's time, by the client's clock.
  public var time: UnixMicroseconds?
  /// Whether the toolbar is visible.
  public var toolbar: Toolbar
  /// What last changed the toolbar.
  public var trigger: Trigger?
  /// Whether the content is scrolled to its bottom.
  public var reachBottom: Bool
  /// Whether one more pull at the bottom shows the toolbar.
  public var bottomLatch: Bool
  /// Whether the button that scrolls to the top is visible.
  public var topButton: Bool
  /// The horizontal content offset, in points.
  public var x: Double?
  /// The vertical content offset, in points.
  public var y: Double?
  /// The zoom scale.
  public var zoomScale: Double?
  /// The page that the tab bar marks, 0 for the first.
  public var pageIndex: Int64?
  /// The number of pages.
  public var pageCount: Int64?
  /// The page indicator's distance from the first page's mark, in points.
  public var indicatorOffset: Double?
  /// The page indicator's width, in points.
  public var indicatorWidth: Double?
  /// The policy's name.
  public var policy: String

  /// Reads a state, or the state in a transition.
  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    client = try members.require("client", members.string("client"))
    user = try members.require("user", members.user("user"))
    session = try members.require("session", members.session("session"))
    position = try members.require("position", members.count("position"))
    time = try members.allow("time", members.time)
    let toolbarName = try members.require("toolbar", members.string("toolbar"))
    toolbar = try members.require("toolbar", Toolbar.allCases.first { "\($0.name)" == toolbarName })
    trigger = try members.allow("trigger") { name in
      members.string(name).flatMap { text in Trigger.allCases.first { "\($0.name)" == text } }
    }
    reachBottom = try members.require("reachBottom", members.bool("reachBottom"))
    bottomLatch = try members.require("bottomLatch", members.bool("bottomLatch"))
    topButton = try members.require("topButton", members.bool("topButton"))
    x = try members.allow("x", members.double)
    y = try members.allow("y", members.double)
    zoomScale = try members.allow("zoomScale", members.double)
    pageIndex = try members.allow("pageIndex", members.count)
    pageCount = try members.allow("pageCount", members.count)
    indicatorOffset = try members.allow("indicatorOffset", members.double)
    indicatorWidth = try members.allow("indicatorWidth", members.double)
    policy = try members.require("policy", members.string("policy"))
  }

  /// The value of a field of the state; `nil` while it is unknown.
  public subscript(field: FoldState.Field) -> FoldState.Value? {
    switch field {
    case .time: time.map { .integer($0.rawValue) }
    case .toolbar: .toolbar(toolbar)
    case .trigger: trigger.map(FoldState.Value.trigger)
    case .reachBottom: .flag(reachBottom)
    case .bottomLatch: .flag(bottomLatch)
    case .topButton: .flag(topButton)
    case .x: x.map(FoldState.Value.number)
    case .y: y.map(FoldState.Value.number)
    case .zoomScale: zoomScale.map(FoldState.Value.number)
    case .pageIndex: pageIndex.map(FoldState.Value.integer)
    case .pageCount: pageCount.map(FoldState.Value.integer)
    case .indicatorOffset: indicatorOffset.map(FoldState.Value.number)
    case .indicatorWidth: indicatorWidth.map(FoldState.Value.number)
    }
  }
}
