import ScrollModel

/// The encoding of an event: a word with kind and presence mask, the time, then the present values in the order of `Event.Field`.
enum EventCoding {
  /// Kind and mask, time, fifteen numbers, two flags and a source.
  static let maximumSize = 4 + 8 + 15 * 8 + 3
  /// How many bits a mask has.
  static let fieldCount = 18
  private static let numbers: UInt32 = 0x7FFF
  private static let flags: UInt32 = 0x3_8000

  /// Appends an event. Allocates nothing while the writer has room.
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

  /// Reads an event into an existing one, which is replaced completely: a fold reads many, and they are large.
  static func read(_ reader: inout ByteReader, into event: inout Event) throws(ContentError) {
    let word: UInt32 = try reader.read()
    let mask = word & 0xFF_FFFF
    guard let kind = Event.Kind(rawValue: UInt8(word >> 24)) else {
      throw .badValue(field: "kind", value: UInt64(word >> 24))
    }
    guard mask & ~(numbers | flags) == 0 else { throw .badValue(field: "presence mask", value: UInt64(mask)) }
    // One check of the length covers all values.
    let start = try reader.take(size(mask) - 4)
    let bytes = reader.bytes
    defer { withExtendedLifetime(bytes) {} }
    event.kind = kind
    event.time = Int64(littleEndian: start.loadUnaligned(as: Int64.self))
    var at = 8
    @inline(__always)
    func number(_ bit: UInt32) -> Double? {
      guard mask & 1 << bit != 0 else { return nil }
      defer { at += 8 }
      return Double(bitPattern: UInt64(littleEndian: start.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
    }
    @inline(__always)
    func byte(_ bit: UInt32) -> UInt8? {
      guard mask & 1 << bit != 0 else { return nil }
      defer { at += 1 }
      return start.load(fromByteOffset: at, as: UInt8.self)
    }
    event.x = number(0)
    event.y = number(1)
    event.translationX = number(2)
    event.translationY = number(3)
    event.zoomScale = number(4)
    event.contentWidth = number(5)
    event.contentHeight = number(6)
    event.frameWidth = number(7)
    event.frameHeight = number(8)
    event.insetTop = number(9)
    event.insetLeft = number(10)
    event.insetBottom = number(11)
    event.insetRight = number(12)
    event.minimumZoomScale = number(13)
    event.maximumZoomScale = number(14)
    event.willDecelerate = try flag(byte(15), "willDecelerate")
    event.rightToLeft = try flag(byte(16), "rightToLeft")
    event.source = try source(byte(17))
  }

  /// Reads an event.
  static func read(_ reader: inout ByteReader) throws(ContentError) -> Event {
    var event = Event(.scroll, time: 0)
    try read(&reader, into: &event)
    return event
  }

  /// Skips an event, decoding only its length.
  static func skip(_ reader: inout ByteReader) throws(ContentError) {
    let word: UInt32 = try reader.read()
    _ = try reader.take(size(word & 0xFF_FFFF) - 4)
  }

  /// Returns the size of an event with these fields.
  private static func size(_ mask: UInt32) -> Int {
    12 + 8 * (mask & numbers).nonzeroBitCount + (mask & flags).nonzeroBitCount
  }

  private static func flag(_ value: UInt8?, _ field: String) throws(ContentError) -> Bool? {
    guard let value else { return nil }
    guard value <= 1 else { throw .badValue(field: field, value: UInt64(value)) }
    return value == 1
  }

  private static func source(_ value: UInt8?) throws(ContentError) -> Event.Source? {
    guard let value else { return nil }
    guard let source = Event.Source(rawValue: value) else { throw .badValue(field: "source", value: UInt64(value)) }
    return source
  }
}
