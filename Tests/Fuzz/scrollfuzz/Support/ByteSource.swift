// Decisions and numbers out of an input's bytes.

/// Takes an input apart from its front. An input that is used up goes on with zeros.
struct ByteSource {
  private var bytes: UnsafeRawBufferPointer.SubSequence

  init(_ input: UnsafeRawBufferPointer) { bytes = input[...] }

  /// Whether the input is used up.
  var isEmpty: Bool { bytes.isEmpty }

  /// What was not taken yet.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes) }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// A number of 16, 32 or 64 bits, little endian.
  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
    var number: Number = 0
    for index in 0..<(Number.bitWidth / 8) { number |= Number(truncatingIfNeeded: byte()) << Number(index * 8) }
    return number
  }

  /// At most so many bytes.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    let taken = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return UnsafeRawBufferPointer(rebasing: taken)
  }
}
