/// A value over time that stays until the next report, like the offset of a scroll view between two callbacks.
public struct StepSeries: Equatable, Sendable {
  /// A value and the time from which it holds, in microseconds from the start of the session.
  public struct Point: Equatable, Sendable {
    /// The time from which the value holds, in microseconds.
    public let time: Int64
    /// The value.
    public let value: Double
  }

  /// The values of a series within a column of a drawing.
  struct Column: Equatable {
    /// The value at the start of the column, or the first one in it.
    let first: Double
    /// The least value.
    private(set) var lowest: Double
    /// The greatest value.
    private(set) var highest: Double
    /// The value at the end of the column.
    private(set) var last: Double

    init(_ value: Double) {
      first = value
      lowest = value
      highest = value
      last = value
    }

    mutating func add(_ value: Double) {
      lowest = min(lowest, value)
      highest = max(highest, value)
      last = value
    }
  }

  /// The points at which the value changed, in order.
  public private(set) var points: [Point] = []

  /// The range of the values; `nil` without any.
  public var range: ClosedRange<Double>? {
    guard let first = points.first?.value else { return nil }
    return points.reduce(first...first) { min($0.lowerBound, $1.value)...max($0.upperBound, $1.value) }
  }

  /// Appends the value at a time that is not before the last point's.
  mutating func append(_ value: Double, at time: Int64) {
    if points.last?.value != value { points.append(Point(time: time, value: value)) }
  }

  /// The part of the series within a range of times, which then count from the range's beginning.
  func cropped(to range: ClosedRange<Int64>) -> StepSeries {
    var series = StepSeries()
    if let before = points.last(where: { $0.time <= range.lowerBound }) { series.append(before.value, at: 0) }
    for point in points where point.time > range.lowerBound && point.time <= range.upperBound {
      series.append(point.value, at: point.time - range.lowerBound)
    }
    return series
  }

  /// The series in columns of equal time; `nil` before the first value.
  ///
  /// - Parameters:
  ///   - count: The number of columns.
  ///   - duration: The length of all columns together, in microseconds, > 0.
  func columns(_ count: Int, over duration: Int64) -> [Column?] {
    var columns: [Column?] = []
    columns.reserveCapacity(count)
    for point in points {
      let place = Self.column(of: point.time, count, over: duration)
      while columns.count <= place { columns.append(columns.last.flatMap { $0 }.map { Column($0.last) }) }
      if columns[place] == nil { columns[place] = Column(point.value) } else { columns[place]?.add(point.value) }
    }
    while columns.count < count { columns.append(columns.last.flatMap { $0 }.map { Column($0.last) }) }
    return columns
  }

  /// The column that contains a time. The very end belongs to the last column.
  static func column(of time: Int64, _ count: Int, over duration: Int64) -> Int {
    min(count - 1, max(0, Int(Double(time) / Double(duration) * Double(count))))
  }
}
