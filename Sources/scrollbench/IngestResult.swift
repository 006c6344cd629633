import ScrollModel

/// The result of one measurement of the ingest.
struct IngestResult: CustomStringConvertible {
  let events: Int
  /// The number of calls, all of them answered.
  let calls: Int
  /// The duration.
  let seconds: Double
  /// The daemon's processor time.
  let processorSeconds: Double
  /// The number of segments after the first, and how many sealed ones were packed by the end.
  let segmentsBegun: Int64
  let segmentsPacked: Int64

  /// Events per second.
  private var rate: Double { Double(events) / seconds }
  /// The daemon's processor time per event, in microseconds.
  private var cost: Double { processorSeconds / Double(events) * 1e6 }

  var description: String {
    """
    \(Int(rate)) events/s; \(events) events in \(calls) answered calls in \(Self.hundredths(seconds)) s; the daemon used \
    \(Self.hundredths(processorSeconds)) s of processor time, \(Self.hundredths(cost)) µs per event; \(segmentsBegun) segments \
    sealed, \(segmentsPacked) packed
    """
  }

  /// Returns the medians of some measurements relative to those of others.
  static func comparison(of some: [IngestResult], to others: [IngestResult]) -> String {
    let rate = median(some.map(\.rate)) / median(others.map(\.rate))
    let cost = median(some.map(\.cost)) / median(others.map(\.cost))
    return
      "\(hundredths(rate)) of the events/s, \(hundredths(cost)) of the processor time per event, medians of \(some.count)"
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  private static func hundredths(_ value: Double) -> String { shortest((value * 100).rounded() / 100) }
}
