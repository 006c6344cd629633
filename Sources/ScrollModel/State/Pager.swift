/// The pages of a scroll view and the indicator of its tab bar. All values are `nil` until the widths are known.
public struct Pager: Equatable, Sendable {
  /// The page that the tab bar marks, 0 for the first.
  public var index: Int?
  /// The number of pages, at least 1.
  public var count: Int?
  /// The indicator's distance from the first page's mark, in points.
  public var indicatorOffset: Double?
  /// The indicator's width, in points.
  public var indicatorWidth: Double?

  /// Creates a pager without known values.
  public init() {}

  /// The limit of the number of pages. It keeps the quotient of absurd widths within the range of an integer.
  static let maximumCount = 1 << 53

  /// Rounds a quotient half up to whole pages within `0 ... maximumCount`.
  static func wholePages(_ quotient: Double) -> Int {
    let floor = quotient.rounded(.down)
    let rounded = quotient - floor >= 0.5 ? floor + 1 : floor
    // Comparisons with NaN are false, so NaN also becomes 0.
    guard rounded > 0 else { return 0 }
    return rounded < Double(maximumCount) ? Int(rounded) : maximumCount
  }
}
