/// The marks of an axis, at round numbers, about as many as fit.
struct AxisTicks {
  /// The numbers in ascending order, within the axis's range.
  let values: [Double]
  /// The distance between two marks.
  let step: Double

  /// Creates marks at multiples of 1, 2 or 5 times a power of ten.
  init(_ range: ClosedRange<Double>, room: Int) {
    self.init(range, step: Self.decimalStep(atLeast: Self.span(range) / Double(max(1, room))))
  }

  /// Creates marks at round times for a range of seconds.
  init(seconds: ClosedRange<Double>, room: Int) {
    let least = Self.span(seconds) / Double(max(1, room))
    let clock: [Double] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400]
    let step = least < 1 ? Self.decimalStep(atLeast: least) : clock.first { $0 >= least }
    self.init(seconds, step: step ?? (least / 86400).rounded(.up) * 86400)
  }

  private init(_ range: ClosedRange<Double>, step: Double) {
    self.step = step
    let first = (range.lowerBound / step).rounded(.up)
    let last = (range.upperBound / step).rounded(.down)
    guard step.isFinite, step > 0, last - first >= 0, last - first < 1000 else {
      values = []
      return
    }
    values = (0...Int(last - first)).map { (first + Double($0)) * step }
  }

  /// The range's length, at most the largest number.
  private static func span(_ range: ClosedRange<Double>) -> Double {
    min(range.upperBound - range.lowerBound, .greatestFiniteMagnitude)
  }

  private static func decimalStep(atLeast least: Double) -> Double {
    guard least > 0, least.isFinite else { return 1 }
    var power = 1.0
    while power > least { power /= 10 }
    while power * 10 <= least { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? 10 * power
  }

  /// The label of a mark on an axis of seconds: `0`, `0.5 s`, `20 s`, `1:30`, `2:00:00`.
  static func clock(_ seconds: Double) -> String {
    if seconds < 60 { return "\(NumberText.rounded(seconds, places: 3)) s" }
    let whole = Int(min(seconds, 1e15).rounded())
    let padded = { (number: Int) in (number < 10 ? "0" : "") + "\(number)" }
    let tail = "\(padded(whole / 60 % 60)):\(padded(whole % 60))"
    return whole < 3600 ? "\(whole / 60):\(padded(whole % 60))" : "\(whole / 3600):\(tail)"
  }
}
