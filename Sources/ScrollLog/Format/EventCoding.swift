// Events as bytes.

import ScrollModel

/// An event as bytes: a word with kind and presence mask, the time, then the values that are present in `Event.Field`'s order.
enum EventCoding {
  /// Kind and mask, time, fifteen numbers, two flags and a source.
  static let maximumSize = 4 + 8 + 15 * 8 + 3
  private static let numbers: UInt32 = 0x7FFF
  private static let flags: UInt32 = 0x3_8000

  /// Appends an event. Nothing is allocated while the writer has room.
  static func append(_ event: Event, to writer: inout ByteWriter) {
    writer.reserve(maximumSize)
    let start = writer.cursor
    var mask: UInt32 = 0
    var at = 12
    @inline(__always)
    func put(_ value: Double?, _ bit: UInt32) {
      guard let value else { return }
      start.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: at, as: UInt64.self)
      at += 8
      mask |= 1 << bit
    }
    @inline(__always)
    func putByte(_ value: UInt8?, _ bit: UInt32) {
      guard let value else { return }
      start.storeBytes(of: value, toByteOffset: at, as: UInt8.self)
      at += 1
      mask |= 1 << bit
    }
    put(event.x, 0)
    put(event.y, 1)
    put(event.translationX, 2)
    put(event.translationY, 3)
    put(event.zoomScale, 4)
    put(event.contentWidth, 5)
    put(event.contentHeight, 6)
    put(event.frameWidth, 7)
    put(event.frameHeight, 8)
    put(event.insetTop, 9)
    put(event.insetLeft, 10)
    put(event.insetBottom, 11)
    put(event.insetRight, 12)
    put(event.minimumZoomScale, 13)
    put(event.maximumZoomScale, 14)
    putByte(event.willDecelerate.map { $0 ? 1 : 0 }, 15)
    putByte(event.rightToLeft.map { $0 ? 1 : 0 }, 16)
    putByte(event.source?.rawValue, 17)
    start.storeBytes(of: (mask | UInt32(event.kind.rawValue) << 24).littleEndian, as: UInt32.self)
    start.storeBytes(of: event.time.littleEndian, toByteOffset: 4, as: Int64.self)
    writer.advance(by: at)
  }

  /// Reads an event.
  static func read(_ reader: inout ByteReader) throws(ContentError) -> Event {
    let word: UInt32 = try reader.read()
    let mask = word & 0xFF_FFFF
    guard let kind = Event.Kind(rawValue: UInt8(word >> 24)) else {
      throw .badValue(field: "kind", value: UInt64(word >> 24))
    }
    guard mask & ~(numbers | flags) == 0 else { throw .badValue(field: "presence mask", value: UInt64(mask)) }
    // One check of the length serves all values.
    let size = 8 + 8 * (mask & numbers).nonzeroBitCount + (mask & flags).nonzeroBitCount
    let start = try reader.take(size)
    let bytes = reader.bytes
    defer { withExtendedLifetime(bytes) {} }
    var event = Event(kind, time: Int64(littleEndian: start.loadUnaligned(as: Int64.self)))
    var at = 8
    @inline(__always)
    func number() -> Double {
      defer { at += 8 }
      return Double(bitPattern: UInt64(littleEndian: start.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
    }
    @inline(__always)
    func byte() -> UInt8 {
      defer { at += 1 }
      return start.load(fromByteOffset: at, as: UInt8.self)
    }
    if mask & 1 << 0 != 0 { event.x = number() }
    if mask & 1 << 1 != 0 { event.y = number() }
    if mask & 1 << 2 != 0 { event.translationX = number() }
    if mask & 1 << 3 != 0 { event.translationY = number() }
    if mask & 1 << 4 != 0 { event.zoomScale = number() }
    if mask & 0x7FE0 != 0 {
      if mask & 1 << 5 != 0 { event.contentWidth = number() }
      if mask & 1 << 6 != 0 { event.contentHeight = number() }
      if mask & 1 << 7 != 0 { event.frameWidth = number() }
      if mask & 1 << 8 != 0 { event.frameHeight = number() }
      if mask & 1 << 9 != 0 { event.insetTop = number() }
      if mask & 1 << 10 != 0 { event.insetLeft = number() }
      if mask & 1 << 11 != 0 { event.insetBottom = number() }
      if mask & 1 << 12 != 0 { event.insetRight = number() }
      if mask & 1 << 13 != 0 { event.minimumZoomScale = number() }
      if mask & 1 << 14 != 0 { event.maximumZoomScale = number() }
    }
    if mask & flags != 0 {
      if mask & 1 << 15 != 0 { event.willDecelerate = try flag(byte(), "willDecelerate") }
      if mask & 1 << 16 != 0 { event.rightToLeft = try flag(byte(), "rightToLeft") }
      if mask & 1 << 17 != 0 {
        let value = byte()
        guard let source = Event.Source(rawValue: value) else { throw .badValue(field: "source", value: UInt64(value)) }
        event.source = source
      }
    }
    return event
  }

  private static func flag(_ value: UInt8, _ field: String) throws(ContentError) -> Bool {
    guard value <= 1 else { throw .badValue(field: field, value: UInt64(value)) }
    return value == 1
  }
}
