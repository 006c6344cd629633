/// A count of the times that are before those of the event before.
///
///     var times = DisorderedTimes()
///     for event in events { times.add(event.time) }
///     times.count   // 0 if the events are in the order of time
public struct DisorderedTimes: Equatable, Sendable {
  /// The largest step back that callbacks of the same few frames may have when they come out of order, in microseconds.
  private static let tolerance: Int64 = 50_000

  /// The number of steps back.
  public private(set) var count = 0
  private var last: Int64?

  /// Creates a count for a session.
  public init() {}

  /// Adds the time of the session's next event, in microseconds since the Unix epoch.
  public mutating func add(_ time: Int64) {
    if let last, Self.isDisordered(time, after: last) { count += 1 }
    last = time
  }

  /// Whether a time is so far before the last event's that something is wrong.
  static func isDisordered(_ time: Int64, after last: Int64) -> Bool {
    guard time < last else { return false }
    let (span, overflow) = last.subtractingReportingOverflow(time)
    return overflow || span > tolerance
  }
}
