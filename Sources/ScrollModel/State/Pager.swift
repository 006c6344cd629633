// The state of a paged scroll view and the indicator of its tab bar.

/// The state of a paged scroll view and the indicator of its tab bar; all `nil` until the widths are known.
public struct Pager: Equatable, Sendable {
  /// The page that the tab bar marks, 0 for the first.
  public var index: Int?
  /// How many pages there are, at least 1.
  public var count: Int?
  /// How far the indicator stands from its first place, in points.
  public var indicatorOffset: Double?
  /// The indicator's width, in points.
  public var indicatorWidth: Double?

  /// A pager of which nothing is known.
  public init() {}

  /// More pages than any view has; keeps a quotient of absurd widths countable.
  static let maximumCount = 1 << 53

  /// A quotient rounded half up, as whole pages within `0 ... maximumCount`.
  static func wholePages(_ quotient: Double) -> Int {
    let floor = quotient.rounded(.down)
    let rounded = quotient - floor >= 0.5 ? floor + 1 : floor
    // A comparison with NaN is false, so NaN ends up at 0 as well.
    guard rounded > 0 else { return 0 }
    return rounded < Double(maximumCount) ? Int(rounded) : maximumCount
  }
}
