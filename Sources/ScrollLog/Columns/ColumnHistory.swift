import ScrollModel

/// The previous values of each session in a packed block. Packing and unpacking keep the same history, so that only
/// differences are stored.
struct ColumnHistory {
  /// The number of the session's next event.
  private(set) var nextNumbers: [Int64] = []
  /// The time of its last event.
  var times: [Int64] = []
  /// The last value of each of its numbers, in units and as bits.
  private var units: [Int64] = []
  private var bits: [UInt64] = []

  /// How many sessions there are.
  var count: Int { times.count }

  /// Adds a session. The time of its first event is likely close to when the block was received.
  mutating func add(received: Int64) {
    nextNumbers.append(1)
    times.append(received)
    units.append(contentsOf: repeatElement(0, count: Column.numberCount))
    bits.append(contentsOf: repeatElement(0, count: Column.numberCount))
  }

  /// Records a run of events.
  mutating func addRun(_ session: Int, firstNumber: Int64, count: Int) {
    nextNumbers[session] = firstNumber &+ Int64(count)
  }

  /// Returns the last value of a number that was stored in units.
  func units(_ session: Int, _ field: Int) -> Int64 { units[session * Column.numberCount + field] }

  /// Returns the last value of a number as bits.
  func bits(_ session: Int, _ field: Int) -> UInt64 { bits[session * Column.numberCount + field] }

  /// Records a number that was stored in units.
  mutating func record(_ session: Int, _ field: Int, units value: Int64, bits: UInt64) {
    units[session * Column.numberCount + field] = value
    self.bits[session * Column.numberCount + field] = bits
  }

  /// Records a number that was stored as bits.
  mutating func record(_ session: Int, _ field: Int, bits: UInt64) {
    self.bits[session * Column.numberCount + field] = bits
  }
}
