/// A request that a client scroll.
public struct ScrollRequest: Equatable, Sendable {
  /// Where to scroll.
  public enum Target: Equatable, Sendable {
    /// To −insetTop.
    case top
    /// To the largest offset.
    case bottom
    /// To a page, 0 for the first.
    case page(Int64)
    /// To a content offset, in points.
    case offset(x: Double, y: Double)

    /// The target's name on the wire.
    public var name: StaticString {
      switch self {
      case .top: "top"
      case .bottom: "bottom"
      case .page: "page"
      case .offset: "offset"
      }
    }
  }

  /// When it was made, in microseconds since the Unix epoch by the daemon's clock.
  public var time: Int64
  /// Where to scroll.
  public var target: Target

  /// Creates a request from its time and target.
  public init(time: Int64, target: Target) {
    self.time = time
    self.target = target
  }
}
