import Glibc

/// SplitMix64, a generator whose random numbers can be reproduced from the seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Returns true with a probability.
  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  /// Returns every few of a number of cases, beginning with any, so that several runs together try all of them.
  mutating func some(of count: Int, each step: Int) -> StrideTo<Int> {
    stride(from: Int.random(in: 0..<min(step, max(1, count)), using: &self), to: count, by: step)
  }

  /// The seed of this run: `SCROLLD_TEST_SEED`, or else a new one. It is printed, so that a failure can be reproduced.
  static let seed: UInt64 = {
    let given = getenv("SCROLLD_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
    print("SCROLLD_TEST_SEED=\(seed)")
    return seed
  }()

  /// Returns a generator for one purpose in this run.
  static func ofThisRun(_ purpose: UInt64 = 0) -> SeededGenerator {
    SeededGenerator(seed: seed &+ purpose &* 1_000_003)
  }
}
