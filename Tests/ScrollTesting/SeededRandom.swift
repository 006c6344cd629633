import Glibc

/// A generator of random numbers that are the same for the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator from its seed.
  public init(seed: UInt64) { state = seed }

  /// The seed of this test run: `$SCROLLD_SEED`, or else a new one. It is printed so that you can reproduce a failure.
  public static let seedOfRun: UInt64 = {
    let given = getenv("SCROLLD_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    print("random tests: SCROLLD_SEED=\(seed)")
    return seed
  }()

  /// Returns how many random cases a test tries: as many as it takes by default, times `$SCROLLD_EFFORT`.
  public static func cases(_ usual: UInt64) -> UInt64 { usual * effort }

  private static let effort = max(1, getenv("SCROLLD_EFFORT").flatMap { UInt64(String(cString: $0)) } ?? 1)

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns true with the given probability.
  public mutating func happens(_ probability: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < probability
  }

  /// Returns a multiple of a quarter within a range, like offsets on screens with several pixels per point.
  public mutating func quarters(_ range: ClosedRange<Double>) -> Double {
    let span = UInt64((range.upperBound - range.lowerBound) * 4) + 1
    return range.lowerBound + Double(next() % span) / 4
  }

  /// Replaces, removes or repeats bytes of a text at random places, one more time than `times` says.
  ///
  /// - Parameter values: What bytes are replaced with.
  public mutating func change(_ text: inout [UInt8], times: ClosedRange<Int>, to values: ClosedRange<Int>) {
    for _ in 0...whole(times) {
      let place = whole(0...text.count - 1)
      switch whole(0...2) {
      case 0: text[place] = UInt8(whole(values))
      case 1: text.remove(at: place)
      default: text.insert(text[whole(0...text.count - 1)], at: place)
      }
    }
  }

  /// Returns a whole number within a range.
  public mutating func whole(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }
}
