/// The statistics of a measure over sessions.
public struct Distribution: Equatable, Sendable {
  /// How many sessions had the measure, ≥ 1.
  public let count: Int
  /// The least value.
  public let minimum: Double
  /// The quantile of a quarter. Quantiles between two values are interpolated, as R and pandas do by default.
  public let lowerQuartile: Double
  /// The quantile of a half.
  public let median: Double
  /// The quantile of three quarters.
  public let upperQuartile: Double
  /// The greatest value.
  public let maximum: Double
  /// The mean of all values.
  public let mean: Double

  /// The statistics of some values; `nil` without any.
  public init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    count = sorted.count
    minimum = first
    lowerQuartile = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
    maximum = last
    mean = values.reduce(0, +) / Double(values.count)
  }

  /// Returns a quantile of sorted values, of which there is at least one.
  static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}
