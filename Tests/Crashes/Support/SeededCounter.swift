import ScrollTesting
import Synchronization

/// A seeded source of random numbers that closures can share.
final class SeededCounter: Sendable {
  private let random: Mutex<SeededRandom>

  init(_ seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func next() -> UInt64 { random.withLock { $0.next() } }
}
