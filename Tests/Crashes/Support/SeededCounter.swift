// Random numbers that closures can share.

import ScrollTesting
import Synchronization

/// Random numbers that closures can share, the same for the same seed.
final class SeededCounter: Sendable {
  private let random: Mutex<SeededRandom>

  init(_ seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func next() -> UInt64 { random.withLock { $0.next() } }
}
