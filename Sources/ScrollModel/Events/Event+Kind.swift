// The kinds of callback that a scroll view makes.

extension Event {
  /// Which callback of the scroll view an event reports. The raw value is the kind's number in the log.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// A size or an inset changed.
    case layout = 0
    /// A finger began to drag.
    case dragBegin = 1
    /// The content offset changed, or a pull at an edge changed nothing.
    case scroll = 2
    /// The finger left.
    case dragEnd = 3
    /// Scrolling came to rest.
    case scrollEnd = 4
    /// A pinch began.
    case zoomBegin = 5
    /// The zoom scale changed.
    case zoom = 6
    /// The pinch ended.
    case zoomEnd = 7

    /// The kind's name in recordings and on the wire.
    public var name: StaticString {
      switch self {
      case .layout: "layout"
      case .dragBegin: "dragBegin"
      case .scroll: "scroll"
      case .dragEnd: "dragEnd"
      case .scrollEnd: "scrollEnd"
      case .zoomBegin: "zoomBegin"
      case .zoom: "zoom"
      case .zoomEnd: "zoomEnd"
      }
    }

    /// Whether this is one of the three zoom callbacks.
    public var isZoom: Bool { self == .zoomBegin || self == .zoom || self == .zoomEnd }
  }
}
