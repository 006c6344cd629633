/// A source of numbers and decisions from the front of an input. Zeros follow its end.
struct ByteSource {
  private var bytes: UnsafeRawBufferPointer.SubSequence

  init(_ input: UnsafeRawBufferPointer) { bytes = input[...] }

  /// Whether all of the input has been read.
  var isEmpty: Bool { bytes.isEmpty }

  /// The rest of the input.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes) }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// Reads a number of 16, 32 or 64 bits, little endian.
  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
    var number: Number = 0
    for index in 0..<(Number.bitWidth / 8) { number |= Number(truncatingIfNeeded: byte()) << Number(index * 8) }
    return number
  }

  /// Reads up to a number of bytes.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    let taken = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return UnsafeRawBufferPointer(rebasing: taken)
  }
}
