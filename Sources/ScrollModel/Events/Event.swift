/// A callback of a scroll view, as a feeder reports it.
///
/// Lengths are in points (CSS pixels), and `time` is in microseconds since the Unix epoch by the client's clock.
/// ``Kind/allowedFields`` lists the fields that a kind of event can have. An absent field is `nil` and leaves the known
/// value unchanged. Check an event from outside with ``validate()`` before you fold it.
public struct Event: Equatable, Sendable {
  /// The callback that the event reports.
  public var kind: Kind
  /// When it happened, in microseconds since the Unix epoch by the client's clock. Times may run backwards: events are
  /// ordered by their place in the log.
  public var time: Int64

  /// The horizontal content offset, in points.
  public var x: Double?
  /// The vertical content offset, in points.
  public var y: Double?
  /// The pan's horizontal translation since the drag began, positive when the finger moved right, in points.
  public var translationX: Double?
  /// The pan's vertical translation since the drag began, positive when the finger moved down, in points.
  public var translationY: Double?
  /// Whether the scroll view continues by momentum after the finger has left.
  public var willDecelerate: Bool?
  /// Who moved the content; the user if absent.
  public var source: Source?
  /// The zoom scale, > 0.
  public var zoomScale: Double?

  /// The content's width in zoomed points, ≥ 0.
  public var contentWidth: Double?
  /// The content's height in zoomed points, ≥ 0.
  public var contentHeight: Double?
  /// The viewport's width in points, ≥ 0.
  public var frameWidth: Double?
  /// The viewport's height in points, ≥ 0.
  public var frameHeight: Double?
  /// The inset above the content, in points.
  public var insetTop: Double?
  /// The inset left of the content, in points.
  public var insetLeft: Double?
  /// The inset below the content, in points.
  public var insetBottom: Double?
  /// The inset right of the content, in points.
  public var insetRight: Double?
  /// The smallest zoom scale, > 0.
  public var minimumZoomScale: Double?
  /// The largest zoom scale, > 0.
  public var maximumZoomScale: Double?
  /// Whether pages run from right to left.
  public var rightToLeft: Bool?
  /// The distance between the starts of two pages where that is not the frame's width, in points, > 0.
  public var pageWidth: Double?
  /// Whether the app needs its bar: a screen reader is on, the focus is in the bar, or one of its menus is open.
  public var toolbarPinned: Bool?

  /// Creates an event without fields.
  @inlinable
  public init(_ kind: Kind, time: Int64) {
    self.kind = kind
    self.time = time
  }
}
