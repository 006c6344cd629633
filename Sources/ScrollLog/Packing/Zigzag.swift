// Numbers that may be negative, folded so that small ones stay small.

extension Int64 {
  /// The number that stands at a place in 0, -1, 1, -2, 2 …
  init(zigzag place: UInt64) { self = Int64(bitPattern: place >> 1) ^ -Int64(bitPattern: place & 1) }

  /// The number's place in 0, -1, 1, -2, 2 …
  var zigzag: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }
}
