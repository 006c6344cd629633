import ScrollModel

/// Growing memory to which values are appended, little endian and unaligned.
struct ByteWriter: ~Copyable {
  private(set) var bytes: Bytes { didSet { base = bytes.base } }
  private(set) var count = 0
  /// The memory that was taken last. It is written again once it has no other owner.
  private var taken: Bytes?
  /// The base of ``bytes``, stored because Swift 6.0 cannot compile reading it through them.
  private var base: UnsafeMutableRawPointer

  init(capacity: Int) {
    bytes = Bytes(capacity: max(64, capacity))
    base = bytes.base
  }

  /// Makes room for more bytes, which can then be written at ``cursor``.
  @inline(__always)
  mutating func reserve(_ additional: Int) {
    if additional > bytes.capacity - count { grow(additional) }
  }

  @inline(never)
  private mutating func grow(_ additional: Int) {
    let larger = Bytes(capacity: max(bytes.capacity * 2, count + additional))
    larger.base.copyMemory(from: bytes.base, byteCount: count)
    bytes = larger
  }

  /// Where the next byte goes. Valid after ``reserve(_:)``.
  var cursor: UnsafeMutableRawPointer { base + count }

  /// Counts bytes written at ``cursor``.
  mutating func advance(by written: Int) {
    precondition(written <= bytes.capacity - count)
    count += written
  }

  mutating func append(_ value: some FixedWidthInteger) {
    let size = value.bitWidth / 8
    reserve(size)
    cursor.storeBytes(of: value.littleEndian, as: type(of: value))
    count += size
  }

  mutating func append(_ value: Double) { append(value.bitPattern) }

  mutating func append(_ value: Bool) { append(value ? 1 as UInt8 : 0) }

  /// Appends a session's 16 bytes in the order of its digits.
  mutating func append(_ session: SessionID) {
    append(session.high.byteSwapped)
    append(session.low.byteSwapped)
  }

  /// Appends a string: the length of its UTF-8 in 32 bits, then the UTF-8.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      append(UInt32(utf8.count))
      append(UnsafeRawBufferPointer(utf8))
    }
  }

  mutating func append(_ raw: UnsafeRawBufferPointer) {
    guard let start = raw.baseAddress else { return }
    reserve(raw.count)
    cursor.copyMemory(from: start, byteCount: raw.count)
    count += raw.count
  }

  mutating func appendZeros(_ zeros: Int) {
    reserve(zeros)
    cursor.initializeMemory(as: UInt8.self, repeating: 0, count: zeros)
    count += zeros
  }

  /// Overwrites bytes with a value.
  mutating func store(_ value: some FixedWidthInteger, at offset: Int) {
    precondition(offset >= 0 && offset <= count - value.bitWidth / 8)
    bytes.base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
  }

  /// Drops all bytes past a length.
  mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count)
    count = length
  }

  /// The capacity up to which taken memory is kept to be written again.
  private static let keptCapacity = 256 << 10

  /// Returns the memory and starts again with other memory of the same size.
  mutating func take() -> Bytes {
    let full = bytes
    let isFree = isKnownUniquelyReferenced(&taken)
    if isFree, let free = taken, free.capacity == full.capacity {
      bytes = free
    } else {
      bytes = Bytes(capacity: full.capacity)
    }
    taken = full.capacity <= Self.keptCapacity ? full : nil
    count = 0
    return full
  }
}
