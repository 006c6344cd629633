import ScrollAnalysis
import ScrollModel

/// Measures sessions, and keeps their measures.
final class MeasuredSessions: SessionSink {
  /// A session that has ended, with its measures.
  struct Measured {
    var head: SessionHead
    var reading: Reading
  }

  /// An open session.
  final class Session {
    fileprivate let head: SessionHead
    fileprivate var meter: ReadingMeter
    fileprivate var times = DisorderedTimes()

    fileprivate init(_ head: SessionHead, _ meter: ReadingMeter) {
      self.head = head
      self.meter = meter
    }
  }

  /// The number of bands, and the idle time.
  let bands: Int
  let idle: Int64
  /// The sessions that have ended, in the order in which they began.
  var sessions: [Measured] { ended.sorted { $0.head.key < $1.head.key } }

  /// Which sessions have times that run backwards.
  private(set) var clocks = ClockNote()

  private var ended: [Measured] = []

  init(bands: Int, idle: Int64) {
    self.bands = bands
    self.idle = idle
  }

  func begin(_ head: SessionHead) -> Session {
    Session(head, ReadingMeter(policy: head.policy, bands: bands, idle: idle))
  }

  func add(_ event: Event, at place: EventPlace, to session: Session) {
    session.meter.add(event)
    session.times.add(event.time)
  }

  func end(_ session: Session, _ end: SessionEnd) {
    clocks.add(
      session.times, of: session.head.path ?? session.head.id?.suffixed(to: session.head.name) ?? session.head.name)
    if let closed = end.closed { session.meter.close(at: closed) }
    ended.append(Measured(head: session.head, reading: session.meter.reading))
  }
}
