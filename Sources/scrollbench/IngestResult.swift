// What one measurement of the ingest came to.

import ScrollModel

/// What one measurement of the ingest came to.
struct IngestResult: CustomStringConvertible {
  let events: Int
  /// The calls that the events came in, all of them answered.
  let calls: Int
  /// How long it took.
  let seconds: Double
  /// How much processor time the daemon used meanwhile.
  let processorSeconds: Double
  /// How many segments followed on the first one, and how many of the sealed ones were packed by the end.
  let segmentsBegun: Int64
  let segmentsPacked: Int64

  /// Events a second of wall time.
  private var rate: Double { Double(events) / seconds }
  /// The daemon's processor time for an event, in microseconds.
  private var cost: Double { processorSeconds / Double(events) * 1e6 }

  var description: String {
    """
    \(Int(rate)) events/s; \(events) events in \(calls) answered calls in \(Self.hundredths(seconds)) s; the daemon used \
    \(Self.hundredths(processorSeconds)) s of processor time, \(Self.hundredths(cost)) µs an event; \(segmentsBegun) segments \
    sealed, \(segmentsPacked) packed
    """
  }

  /// The medians of some measurements as parts of those of others.
  static func comparison(of some: [IngestResult], to others: [IngestResult]) -> String {
    let rate = median(some.map(\.rate)) / median(others.map(\.rate))
    let cost = median(some.map(\.cost)) / median(others.map(\.cost))
    return
      "\(hundredths(rate)) of the events/s, \(hundredths(cost)) of the processor time an event, medians of \(some.count)"
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  private static func hundredths(_ value: Double) -> String { shortest((value * 100).rounded() / 100) }
}
