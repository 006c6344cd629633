import Synchronization

/// A clock that the workload advances, in microseconds.
final class SteppedClock: Sendable {
  private let time = Mutex<Int64>(0)

  var now: Int64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}
