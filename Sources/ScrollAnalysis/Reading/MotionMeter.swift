import ScrollModel

/// How the content moved: distance, turning back, speed and acceleration.
struct MotionMeter {
  /// A scroll event's time and offset.
  private struct Point {
    let time: Int64
    let y: Double
  }

  /// The sum of the offset's changes, and of those upwards, in points.
  private(set) var distance = 0.0
  private(set) var distanceUp = 0.0
  /// The number of scroll events above the scroll event before.
  private(set) var regressions = 0
  /// The greatest speed, in points per millisecond.
  private(set) var maxSpeed: Double?
  /// The least and the greatest acceleration, in points per square millisecond.
  private(set) var acceleration: ClosedRange<Double>?

  /// The offset of the sample before.
  private var last: Double?
  private var lastScroll: Point?
  /// The beginning of the step before, and its speed, positive downwards.
  private var lastStep: (time: Int64, velocity: Double)?
  private var speeds = (sum: 0.0, count: 0)

  /// The mean of the speeds, in points per millisecond.
  var meanSpeed: Double? { speeds.count > 0 ? speeds.sum / Double(speeds.count) : nil }

  /// Measures a sample.
  mutating func add(_ event: Event, y: Double) {
    // A relayout moves the content without a reader.
    if let last, event.kind != .layout, event.source != .layout {
      let moved = Self.finite(y - last)
      distance = Self.finite(distance + moved.magnitude)
      if moved < 0 { distanceUp = Self.finite(distanceUp - moved) }
    }
    last = y
    if event.kind == .scroll { step(to: Point(time: event.time, y: y)) }
  }

  private mutating func step(to point: Point) {
    defer { lastScroll = point }
    guard let from = lastScroll else { return }
    if point.y < from.y { regressions += 1 }
    guard point.time > from.time else { return }
    let velocity = (point.y - from.y) / Self.milliseconds(point.time - from.time)
    // Absurd offsets overflow.
    guard velocity.isFinite else {
      lastStep = nil
      return
    }
    speeds.sum = Self.finite(speeds.sum + velocity.magnitude)
    speeds.count += 1
    maxSpeed = max(maxSpeed ?? 0, velocity.magnitude)
    if let before = lastStep, from.time > before.time {
      let change = (velocity - before.velocity) / Self.milliseconds(from.time - before.time)
      let value = Self.finite(change)
      acceleration = min(acceleration?.lowerBound ?? value, value)...max(acceleration?.upperBound ?? value, value)
    }
    lastStep = (from.time, velocity)
  }

  /// Sums and differences of the largest numbers overflow.
  private static func finite(_ value: Double) -> Double {
    min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  private static func milliseconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1000 }
}
