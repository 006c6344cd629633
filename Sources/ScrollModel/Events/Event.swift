// One callback of a scroll view, as a feeder reports it.

/// One callback of a scroll view.
///
/// Lengths are points (CSS pixels), `x` and `y` the content offset, `time` microseconds since the Unix epoch by the
/// client's clock. Which fields a kind of event has is said by ``Kind/allowedFields``; what is absent is `nil` and
/// leaves what was known as it was. An event that comes from outside is checked with ``validate()`` before it is folded.
public struct Event: Equatable, Sendable {
  /// Which callback this is.
  public var kind: Kind
  /// Microseconds since the Unix epoch, the client's clock. It may run backwards: the order is the log's.
  public var time: Int64

  /// The content offset's horizontal part, in points.
  public var x: Double?
  /// The content offset's vertical part, in points.
  public var y: Double?
  /// The pan's horizontal translation since the drag began, positive when the finger moved right, in points.
  public var translationX: Double?
  /// The pan's vertical translation since the drag began, positive when the finger moved down, in points.
  public var translationY: Double?
  /// Whether the scroll view goes on by momentum after the finger has left.
  public var willDecelerate: Bool?
  /// Who moved the content; the user where nothing is said.
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

  /// An event with nothing but its kind and time; the rest is set afterwards.
  public init(_ kind: Kind, time: Int64) {
    self.kind = kind
    self.time = time
  }
}
