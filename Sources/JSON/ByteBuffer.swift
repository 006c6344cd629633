import Platform

/// A growable queue of bytes.
///
/// Bytes are appended at the end and consumed from the front, both in amortised constant time. The readable bytes are
/// always followed by `slack` bytes of any value that may also be read, so that a JSON text at the end can be parsed in
/// place. When the buffer becomes empty, it releases memory above `keptCapacity`; when most of a large buffer is consumed, the
/// memory that the rest doesn't need.
public struct ByteBuffer: ~Copyable {
  /// The number of bytes after the readable ones that may also be read.
  @inlinable public static var slack: Int { 64 }

  /// The maximum capacity that an empty buffer keeps, in bytes.
  public static var keptCapacity: Int { 4096 }

  /// The capacity up to which a buffer with readable bytes keeps its memory, and from which it grows by a quarter instead of
  /// doubling, in bytes.
  @usableFromInline static var largeCapacity: Int { 256 * 1024 }

  /// The memory of `capacity + slack` bytes; nil while the capacity is 0.
  @usableFromInline var storage: UnsafeMutableRawPointer?
  @usableFromInline var capacity: Int
  @usableFromInline var start: Int
  @usableFromInline var end: Int

  /// Creates an empty buffer, without allocating memory.
  @inlinable public init() {
    storage = nil
    capacity = 0
    start = 0
    end = 0
  }

  deinit {
    Memory.free(storage)
  }

  /// The number of readable bytes.
  @inlinable public var count: Int { end - start }

  /// Whether the buffer has no readable bytes.
  @inlinable public var isEmpty: Bool { end == start }

  // MARK: Reading

  /// Calls `body` with the readable bytes, after which `slack` more may be read.
  @inlinable public func withUnsafeReadableBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    guard let storage else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return try body(UnsafeRawBufferPointer(start: storage + start, count: end - start))
  }

  /// A copy of the readable bytes.
  public var bytes: [UInt8] {
    withUnsafeReadableBytes { Array($0) }
  }

  /// Removes the first `count` readable bytes.
  public mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "cannot consume more bytes than the buffer holds")
    start += count
    if start == end {
      becomeEmpty()
    } else if capacity > Self.largeCapacity, self.count < capacity / 4 {
      shrink()
    }
  }

  /// Removes bytes from the end, so that the first `count` remain.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "cannot truncate a buffer to more bytes than it holds")
    end = start + count
    if start == end { becomeEmpty() }
  }

  /// Removes all readable bytes.
  public mutating func removeAll() {
    becomeEmpty()
  }

  /// Moves the readable bytes to memory of their size. At least three times as many were consumed before.
  private mutating func shrink() {
    let (old, length) = (storage, count)
    let first = start
    storage = nil
    (capacity, start, end) = (0, 0, 0)
    makeRoom(length)
    if let storage, let old { storage.copyMemory(from: old + first, byteCount: length) }
    end = length
    Memory.free(old)
  }

  /// The size of the memory, in bytes.
  public var allocatedCount: Int { storage == nil ? 0 : capacity + Self.slack }

  private mutating func becomeEmpty() {
    start = 0
    end = 0
    guard capacity > Self.keptCapacity else { return }
    Memory.free(storage)
    storage = nil
    capacity = 0
  }

  // MARK: Writing

  /// Appends one byte.
  @inlinable public mutating func append(_ byte: UInt8) {
    reserve(1)
    storage.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  /// Appends a copy of `bytes`.
  @inlinable public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (storage.unsafelyUnwrapped + end).copyMemory(from: source, byteCount: bytes.count)
    end += bytes.count
  }

  /// Appends a copy of `bytes`.
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends the UTF-8 bytes of a literal.
  @inlinable public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends the bytes that `body` writes into at least `minimumCapacity` bytes of memory. It returns their number.
  @inlinable public mutating func appendUnsafe<E: Error>(
    minimumCapacity: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) {
    reserve(minimumCapacity)
    let room = UnsafeMutableRawBufferPointer(start: storage.map { $0 + end }, count: capacity - end)
    let written = try body(room)
    precondition(written >= 0 && written <= room.count, "wrote more bytes than the memory holds")
    end += written
  }

  /// Reserves memory for `count` more bytes.
  @inlinable public mutating func reserve(_ count: Int) {
    if capacity - end < count { makeRoom(count) }
  }

  @usableFromInline mutating func makeRoom(_ count: Int) {
    let length = end - start
    // Moving the bytes to the front is worth it if at least as many bytes were consumed as have to move.
    if let storage, start >= length, capacity - length >= count {
      storage.copyMemory(from: storage + start, byteCount: length)
    } else {
      // realloc moves large blocks without copying them, so they need not grow by much to be appended to quickly.
      let larger = max(256, length + count, length < Self.largeCapacity ? 2 * length : length + length / 4)
      // Bytes that begin at the front can use realloc: the kernel moves large blocks without copying them.
      guard let memory = Memory.resize(start == 0 ? storage : nil, to: larger + Self.slack) else {
        // Swift's own allocations also end the process when memory runs out.
        fatalError("out of memory: cannot allocate \(larger) bytes for a buffer")
      }
      (memory + larger).initializeMemory(as: UInt8.self, repeating: 0, count: Self.slack)
      if start > 0, let storage {
        memory.copyMemory(from: storage + start, byteCount: length)
        Memory.free(storage)
      }
      storage = memory
      capacity = larger
    }
    start = 0
    end = length
  }
}
