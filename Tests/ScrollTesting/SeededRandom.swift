// Random numbers that come again when asked with the same seed.

import Glibc

/// Random numbers that come again when asked with the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A sequence of its seed.
  public init(seed: UInt64) { state = seed }

  /// The seed of this run of the tests: `$SCROLLD_SEED`, or else a new one. It is printed, so that a failure can be had
  /// again.
  public static let seedOfRun: UInt64 = {
    let given = getenv("SCROLLD_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    print("random tests: SCROLLD_SEED=\(seed)")
    return seed
  }()

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whether something happens that does so with a probability.
  public mutating func happens(_ probability: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < probability
  }

  /// A number within a range, in quarters, as offsets are on screens of several pixels a point.
  public mutating func quarters(_ range: ClosedRange<Double>) -> Double {
    let span = UInt64((range.upperBound - range.lowerBound) * 4) + 1
    return range.lowerBound + Double(next() % span) / 4
  }

  /// A whole number within a range.
  public mutating func whole(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }
}
