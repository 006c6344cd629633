import JSON
import ScrollModel

/// One figure of the table: what it measured, in several runs, next to what it is compared with.
struct TableRow {
  /// What a figure should be.
  enum Goal {
    case atMost(Double)
    case atLeast(Double)
    /// No goal; the figure is there for comparison.
    case none

    func isMet(by value: Double, within tolerance: Double) -> Bool? {
      switch self {
      case .atMost(let limit): value <= limit * tolerance
      case .atLeast(let limit): value >= limit / tolerance
      case .none: nil
      }
    }

    fileprivate var text: String {
      switch self {
      case .atMost(let limit): "≤ \(TableRow.rounded(limit))"
      case .atLeast(let limit): "≥ \(TableRow.rounded(limit))"
      case .none: ""
      }
    }
  }

  /// What is measured: `answered, commit, two cores, p50`.
  let figure: String
  /// The unit of the measured values.
  let unit: String
  /// The daemon's value in each run.
  let values: [Double]
  /// What it is compared with, `nil` for a figure with a goal of its own.
  var other: (name: String, values: [Double])?
  var goal = Goal.none

  /// The ratio of each run, or its value if it is compared with nothing.
  private var compared: [Double] {
    guard let other else { return values }
    return zip(values, other.values).map { $0 / $1 }
  }

  /// Whether the median meets the goal, or misses it by a factor at most; `nil` without one.
  func isMet(within tolerance: Double = 1) -> Bool? { goal.isMet(by: median(compared), within: tolerance) }

  /// The cells of the table.
  var cells: [String] {
    let spread = Spread(compared)
    let ratio = other == nil ? "" : Self.rounded(spread.median)
    return [
      figure, Self.rounded(median(values)), unit,
      other.map { "\($0.name) \(Self.rounded(median($0.values)))" } ?? "", ratio,
      "\(Self.rounded(spread.least))–\(Self.rounded(spread.most))", goal.text,
      isMet().map { $0 ? "met" : "missed" } ?? "",
    ]
  }

  static let heading = ["figure", "scrolld", "unit", "other", "ratio", "spread", "goal", ""]

  func write(to writer: inout JSONWriter) {
    let spread = Spread(compared)
    writer.beginObject()
    writer.member("figure", figure)
    writer.member("unit", unit)
    writer.member("value", median(values))
    if let other {
      writer.member("other", other.name)
      writer.member("otherValue", median(other.values))
      writer.member("ratio", spread.median)
    }
    writer.member("least", spread.least)
    writer.member("most", spread.most)
    writer.member("runs", Int64(values.count))
    switch goal {
    case .atMost(let limit): writer.member("atMost", limit)
    case .atLeast(let limit): writer.member("atLeast", limit)
    case .none: break
    }
    if let isMet = isMet() { writer.member("met", isMet) }
    writer.endObject()
  }

  /// Returns a number with three significant digits, or all digits before the point.
  static func rounded(_ value: Double) -> String {
    guard value != 0, value.isFinite else { return shortest(value) }
    var unit = 1.0
    while value.magnitude / unit < 100 { unit /= 10 }
    return shortest((value / unit).rounded() / (1 / unit).rounded())
  }
}

/// The median of some values, and how far they spread.
struct Spread {
  let median: Double
  let least: Double
  let most: Double

  init(_ values: [Double]) {
    median = scrollbench.median(values)
    least = values.min() ?? 0
    most = values.max() ?? 0
  }
}

/// Returns the median, 0 of nothing.
func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

/// Returns the value below which a part of the values lies.
func quantile(_ values: [Double], _ part: Double) -> Double {
  if values.isEmpty { return 0 }
  let sorted = values.sorted()
  let place = part * Double(sorted.count - 1)
  let (low, high) = (sorted[Int(place)], sorted[min(Int(place) + 1, sorted.count - 1)])
  return low + (high - low) * (place - place.rounded(.down))
}
