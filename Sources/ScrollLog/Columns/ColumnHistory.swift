// What of a session stands before in a packed block, by which its next values are told.

import ScrollModel

/// What of each session stands before in a packed block: packing and unpacking keep the same, so that only differences
/// need to be stored.
struct ColumnHistory {
  /// The number that the session's next event has.
  private(set) var nextNumbers: [Int64] = []
  /// The time of its last event.
  var times: [Int64] = []
  /// The last value of each of its numbers in units, and as bits.
  private var units: [Int64] = []
  private var bits: [UInt64] = []

  /// How many sessions there are.
  var count: Int { times.count }

  /// Takes up a session, whose first event's time is likely when the block was received.
  mutating func add(received: Int64) {
    nextNumbers.append(1)
    times.append(received)
    units.append(contentsOf: repeatElement(0, count: Column.numberCount))
    bits.append(contentsOf: repeatElement(0, count: Column.numberCount))
  }

  /// Notes a run of events.
  mutating func noteRun(_ session: Int, firstNumber: Int64, count: Int) {
    nextNumbers[session] = firstNumber &+ Int64(count)
  }

  /// The last value of a number that was told in units.
  func units(_ session: Int, _ field: Int) -> Int64 { units[session * Column.numberCount + field] }

  /// The last value of a number as bits.
  func bits(_ session: Int, _ field: Int) -> UInt64 { bits[session * Column.numberCount + field] }

  /// Notes a number that was told in units.
  mutating func note(_ session: Int, _ field: Int, units value: Int64, bits: UInt64) {
    units[session * Column.numberCount + field] = value
    self.bits[session * Column.numberCount + field] = bits
  }

  /// Notes a number that was told as bits.
  mutating func note(_ session: Int, _ field: Int, bits: UInt64) {
    self.bits[session * Column.numberCount + field] = bits
  }
}
