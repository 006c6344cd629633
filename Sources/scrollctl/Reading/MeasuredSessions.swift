import ScrollAnalysis
import ScrollModel

/// Measures sessions, and keeps their measures.
final class MeasuredSessions: SessionSink {
  /// A session with its measures.
  struct Session {
    var head: SessionHead
    var reading: Reading
  }

  /// The number of bands, and the idle time.
  let bands: Int
  let idle: Int64
  /// The sessions that have ended, in the order in which they began.
  var sessions: [Session] { ended.sorted { $0.head.key < $1.head.key } }

  private var ended: [Session] = []
  private var open: [Int64: (head: SessionHead, meter: ReadingMeter)] = [:]

  init(bands: Int, idle: Int64) {
    self.bands = bands
    self.idle = idle
  }

  func begin(_ session: SessionHead) {
    open[session.key] = (session, ReadingMeter(policy: session.policy, bands: bands, idle: idle))
  }

  func add(_ event: Event, at place: EventPlace, to key: Int64) { open[key]?.meter.add(event) }

  func end(_ key: Int64, _ end: SessionEnd) {
    guard var session = open.removeValue(forKey: key) else { return }
    if let closed = end.closed { session.meter.close(at: closed) }
    ended.append(Session(head: session.head, reading: session.meter.reading))
  }

  func discard(_ key: Int64) { open[key] = nil }
}
