/// The scroll view's sizes and offset as reported so far. A value is `nil` until an event has reported it.
public struct Geometry: Equatable, Sendable {
  /// The horizontal content offset, in points.
  public var x: Double?
  /// The vertical content offset, in points.
  public var y: Double?
  /// The content's width in zoomed points.
  public var contentWidth: Double?
  /// The content's height in zoomed points.
  public var contentHeight: Double?
  /// The viewport's width in points.
  public var frameWidth: Double?
  /// The viewport's height in points.
  public var frameHeight: Double?
  /// The inset above the content, in points.
  public var insetTop: Double = 0
  /// The inset left of the content, in points.
  public var insetLeft: Double = 0
  /// The inset below the content, in points.
  public var insetBottom: Double = 0
  /// The inset right of the content, in points.
  public var insetRight: Double = 0
  /// The smallest zoom scale.
  public var minimumZoomScale: Double = 1
  /// The largest zoom scale.
  public var maximumZoomScale: Double = 1
  /// Whether pages run from right to left.
  public var rightToLeft = false
  /// The distance between the starts of two pages, in points; `nil` where that is the frame's width.
  public var pageWidth: Double?
  /// Whether the app needs its bar.
  public var toolbarPinned = false

  /// Creates the geometry of a session before its first event.
  public init() {}

  /// Takes over the fields of an event. Absent fields leave their values unchanged.
  public mutating func update(with event: Event) {
    if let value = event.x { x = value }
    if let value = event.y { y = value }
    guard event.kind == .layout else { return }
    if let value = event.contentWidth { contentWidth = value }
    if let value = event.contentHeight { contentHeight = value }
    if let value = event.frameWidth { frameWidth = value }
    if let value = event.frameHeight { frameHeight = value }
    if let value = event.insetTop { insetTop = value }
    if let value = event.insetLeft { insetLeft = value }
    if let value = event.insetBottom { insetBottom = value }
    if let value = event.insetRight { insetRight = value }
    if let value = event.minimumZoomScale { minimumZoomScale = value }
    if let value = event.maximumZoomScale { maximumZoomScale = value }
    if let value = event.rightToLeft { rightToLeft = value }
    if let value = event.pageWidth { pageWidth = value }
    if let value = event.toolbarPinned { toolbarPinned = value }
  }
}
