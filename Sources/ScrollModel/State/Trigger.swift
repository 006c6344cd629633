/// What last changed the toolbar. The raw value is the trigger's number in the log's checkpoints.
public enum Trigger: UInt8, CaseIterable, Sendable {
  case scrollUp = 1
  case scrollDown = 2
  case zoomIn = 3
  case zoomOut = 4
  case reachBottom = 5
  case pinned = 6

  /// The name on the wire.
  public var name: StaticString {
    switch self {
    case .scrollUp: "scrollUp"
    case .scrollDown: "scrollDown"
    case .zoomIn: "zoomIn"
    case .zoomOut: "zoomOut"
    case .reachBottom: "reachBottom"
    case .pinned: "pinned"
    }
  }

  /// The toolbar after the trigger has fired. Scrolling down and zooming in hide it, the others show it.
  public var toolbar: Toolbar {
    switch self {
    case .scrollDown, .zoomIn: .hidden
    case .scrollUp, .zoomOut, .reachBottom, .pinned: .shown
    }
  }
}
