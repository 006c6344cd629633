extension Event {
  /// The callback of the scroll view that an event reports. The raw value is the kind's number in the log.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// A size, an inset or another property of the layout changed.
    case layout = 0
    /// A finger began to drag.
    case dragBegin = 1
    /// The content offset changed, or the user pulled at an edge without changing it.
    case scroll = 2
    /// The finger left.
    case dragEnd = 3
    /// Scrolling stopped.
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

  /// A set of kinds; the raw value has the bits of ``Kind``'s raw values.
  public struct KindSet: OptionSet, Sendable {
    /// The set's bits.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    @inlinable @inline(__always)
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creates the set of one kind.
    @inlinable @inline(__always)
    public init(_ kind: Kind) { rawValue = 1 << kind.rawValue }

    // Computed, because a stored constant would need a check for its initialisation at each use.
    @inlinable @inline(__always) static var layout: KindSet { KindSet(.layout) }
    @inlinable @inline(__always) static var scroll: KindSet { KindSet(.scroll) }
    @inlinable @inline(__always) static var dragEnd: KindSet { KindSet(.dragEnd) }
    @inlinable @inline(__always) static var scrollEnd: KindSet { KindSet(.scrollEnd) }
    @inlinable @inline(__always) static var zoom: KindSet { KindSet(.zoom) }
    /// The kinds that report scrolling. All of them have an offset.
    @inlinable @inline(__always) static var scrolling: KindSet {
      [KindSet(.dragBegin), .scroll, .dragEnd, .scrollEnd]
    }
    /// The kinds that report a pinch.
    @inlinable @inline(__always) static var zooming: KindSet { [KindSet(.zoomBegin), .zoom, KindSet(.zoomEnd)] }
    /// Every kind.
    @inlinable @inline(__always) static var all: KindSet { [.layout, .scrolling, .zooming] }
  }
}
