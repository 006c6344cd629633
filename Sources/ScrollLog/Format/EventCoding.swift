import ScrollModel

/// The encoding of an event: a word with kind and presence mask, the time, then the present values in the order of `Event.Field`.
enum EventCoding {
  private static let numbers = Event.FieldSet.numbers.rawValue
  /// The fields that take a byte each.
  private static let bytes = Event.FieldSet.all.subtracting(.numbers).rawValue
  /// The size of an event that has every field.
  static let maximumSize = size(Event.FieldSet.all.rawValue)

  /// Appends an event. Allocates nothing while the writer has room.
  static func append(_ event: Event, to writer: inout ByteWriter) {
    writer.reserve(maximumSize)
    let start = writer.cursor
    var mask: UInt32 = 0
    var at = 12
    @inline(__always)
    func put(_ field: Event.Field) {
      switch field.valueType {
      case .number:
        guard let value = event[number: field] else { return }
        start.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: at, as: UInt64.self)
        at += 8
      case .flag:
        guard let value = event[flag: field] else { return }
        start.storeBytes(of: value ? 1 : 0, toByteOffset: at, as: UInt8.self)
        at += 1
      case .source:
        guard let value = event.source else { return }
        start.storeBytes(of: value.rawValue, toByteOffset: at, as: UInt8.self)
        at += 1
      }
      mask |= 1 << UInt32(field.rawValue)
    }
    Event.Field.visitAll(put)
    start.storeBytes(of: (mask | UInt32(event.kind.rawValue) << 24).littleEndian, as: UInt32.self)
    start.storeBytes(of: event.time.littleEndian, toByteOffset: 4, as: Int64.self)
    writer.advance(by: at)
  }

  /// Reads an event into an existing one, which is replaced completely: a fold reads many events, and they are large.
  static func read(_ reader: inout ByteReader, into event: inout Event) throws(ContentError) {
    let word: UInt32 = try reader.read()
    let mask = word & 0xFF_FFFF
    guard let kind = Event.Kind(rawValue: UInt8(word >> 24)) else {
      throw .badValue(field: "kind", value: UInt64(word >> 24))
    }
    guard mask & ~(numbers | bytes) == 0 else { throw .badValue(field: "presence mask", value: UInt64(mask)) }
    // One check of the length covers all values.
    let start = try reader.take(size(mask) - 4)
    let memory = reader.bytes
    defer { withExtendedLifetime(memory) {} }
    event = Event(kind, time: Int64(littleEndian: start.loadUnaligned(as: Int64.self)))
    var at = 8
    var badValue: (field: Event.Field, value: UInt8)?
    @inline(__always)
    func take(_ field: Event.Field) {
      guard mask & Event.FieldSet(field).rawValue != 0 else { return }
      switch field.valueType {
      case .number:
        let bits = start.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        event[number: field] = Double(bitPattern: UInt64(littleEndian: bits))
        at += 8
        return
      case .flag, .source: break
      }
      let value = start.load(fromByteOffset: at, as: UInt8.self)
      at += 1
      if field.valueType == .flag {
        if value > 1 { badValue = badValue ?? (field, value) }
        event[flag: field] = value == 1
      } else {
        let source = Event.Source(rawValue: value)
        if source == nil { badValue = badValue ?? (field, value) }
        event.source = source
      }
    }
    Event.Field.visitAll(take)
    if let (field, value) = badValue { throw .badValue(field: "\(field.name)", value: UInt64(value)) }
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

  /// The size of an event with these fields, in bytes.
  @inline(__always)
  private static func size(_ mask: UInt32) -> Int {
    12 + 8 * (mask & numbers).nonzeroBitCount + (mask & bytes).nonzeroBitCount
  }

  /// The size of a field's value, in bytes.
  @inline(__always)
  static func size(of field: Event.Field) -> Int {
    numbers & Event.FieldSet(field).rawValue == 0 ? 1 : 8
  }
}
