import JSON
import ScrollTesting
import Testing

@Suite struct ByteBufferTests {
  @Test func aNewBufferIsEmpty() {
    var buffer = ByteBuffer()
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    #expect(buffer.bytes == [])
    buffer.append([])
    buffer.consume(0)
    buffer.truncate(to: 0)
    #expect(buffer.count == 0)
  }

  @Test func bytesAreReadInTheOrderOfAppending() {
    var buffer = ByteBuffer()
    buffer.append(UInt8(ascii: "a"))
    buffer.append("bc")
    buffer.append(Array("def".utf8))
    buffer.appendUnsafe(minimumCapacity: 2) { room in
      room[0] = UInt8(ascii: "g")
      return 1
    }
    #expect(buffer.bytes == Array("abcdefg".utf8))
    buffer.consume(2)
    #expect(buffer.bytes == Array("cdefg".utf8))
    buffer.truncate(to: 3)
    #expect(buffer.bytes == Array("cde".utf8))
    buffer.removeAll()
    #expect(buffer.count == 0)
  }

  @Test func aBufferBehavesLikeAnArrayInRandomOperations() {
    var generator = SeededRandom(seed: SeededRandom.seedOfRun)
    var buffer = ByteBuffer()
    var model: [UInt8] = []
    for _ in 0..<SeededRandom.cases(2_000) {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1, 2, 3:
        let length = Int.random(in: 0...400, using: &generator)
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        buffer.append(bytes)
        model += bytes
      case 4, 5, 6:
        let count = Int.random(in: 0...model.count, using: &generator)
        buffer.consume(count)
        model.removeFirst(count)
      default:
        let count = Int.random(in: 0...model.count, using: &generator)
        buffer.truncate(to: count)
        model.removeLast(model.count - count)
      }
      #expect(buffer.count == model.count)
      let isSame = buffer.withUnsafeReadableBytes { $0.elementsEqual(model) }
      #expect(isSame)
    }
  }

  @Test func theSlackAfterTheEndIsReadable() {
    var buffer = ByteBuffer()
    for length in 1...1000 {
      buffer.append(UInt8(truncatingIfNeeded: length))
      let sum = buffer.withUnsafeReadableBytes { bytes -> Int in
        let padded = UnsafeRawBufferPointer(start: bytes.baseAddress, count: bytes.count + ByteBuffer.slack)
        return padded[bytes.count...].reduce(0) { $0 + Int($1) }
      }
      #expect(sum >= 0)
    }
  }

  @Test func theFewBytesAfterALargeMessageKeptItsMemory() {
    var buffer = ByteBuffer()
    let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0) }
    buffer.append(bytes)
    let full = buffer.allocatedCount
    #expect(full >= bytes.count && full <= bytes.count + bytes.count / 4 + ByteBuffer.slack)
    buffer.consume(bytes.count - 5)
    let rest = buffer.allocatedCount
    #expect(rest <= 1024)
    #expect(buffer.bytes == Array(bytes.suffix(5)))
    buffer.append([7])
    #expect(buffer.bytes == Array(bytes.suffix(5)) + [7])
    buffer.consume(6)
    let empty = buffer.allocatedCount
    #expect(empty <= ByteBuffer.keptCapacity + ByteBuffer.slack)
  }

  @Test func aLargeBufferGrowsByAQuarter() {
    var buffer = ByteBuffer()
    let piece = [UInt8](repeating: 1, count: 64 << 10)
    for _ in 0..<64 {
      buffer.append(piece)
      let (allocated, count) = (buffer.allocatedCount, buffer.count)
      #expect(allocated <= max(512 << 10, count + count / 4) + ByteBuffer.slack)
    }
  }
}
