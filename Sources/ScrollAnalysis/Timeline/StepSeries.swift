// A value over time that stays until it is told anew.

/// A value over time that stays until it is told anew, as the offset of a scroll view between two callbacks does.
public struct StepSeries: Equatable, Sendable {
  /// A value and since when it holds, in microseconds from the start of the session.
  public struct Point: Equatable, Sendable {
    /// Since when, in microseconds.
    public let time: Int64
    /// The value.
    public let value: Double
  }

  /// What a series did within one column of a drawing.
  struct Column: Equatable {
    /// The value with which the column begins, the one held from before it where there was one.
    let first: Double
    /// The least value in it.
    private(set) var lowest: Double
    /// The greatest value in it.
    private(set) var highest: Double
    /// The value with which it ends.
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

  /// The least and the greatest value; `nil` while there is none.
  public var range: ClosedRange<Double>? {
    guard let first = points.first?.value else { return nil }
    return points.reduce(first...first) { min($0.lowerBound, $1.value)...max($0.upperBound, $1.value) }
  }

  /// Tells the value at a time not before the last point's.
  mutating func append(_ value: Double, at time: Int64) {
    if points.last?.value != value { points.append(Point(time: time, value: value)) }
  }

  /// The series in columns of equal time; `nil` before the first value.
  ///
  /// - Parameters:
  ///   - count: how many columns.
  ///   - duration: how long all of them are, in microseconds, > 0.
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

  /// The column that a time falls into; the very end belongs to the last one.
  static func column(of time: Int64, _ count: Int, over duration: Int64) -> Int {
    min(count - 1, max(0, Int(Double(time) / Double(duration) * Double(count))))
  }
}
