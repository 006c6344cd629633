// A queue of bytes: appended at the back, consumed from the front, always with slack behind its end.

import Platform

/// A growable queue of bytes.
///
/// Bytes are appended at the back and consumed from the front, both in amortised constant time. Behind the readable
/// bytes there are always `slack` more that may be read, whatever stands in them, so that a JSON text at the buffer's
/// end can be parsed where it lies. Memory beyond `keptCapacity` is given back when the buffer runs empty.
public struct ByteBuffer: ~Copyable {
  /// How many bytes behind the readable ones may be read.
  @inlinable public static var slack: Int { 64 }

  /// What an empty buffer keeps of its memory, in bytes.
  public static var keptCapacity: Int { 64 * 1024 }

  /// `capacity + slack` bytes, or nil while the capacity is 0.
  @usableFromInline var storage: UnsafeMutableRawPointer?
  @usableFromInline var capacity: Int
  @usableFromInline var start: Int
  @usableFromInline var end: Int

  /// An empty buffer, without memory.
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

  /// Whether there are no readable bytes.
  @inlinable public var isEmpty: Bool { end == start }

  // MARK: Reading

  /// Calls `body` with the readable bytes; `slack` more may be read behind them.
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

  /// Takes the first `count` readable bytes away.
  public mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "more bytes consumed than there are")
    start += count
    if start == end { becomeEmpty() }
  }

  /// Takes bytes away at the back, so that the first `count` remain.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "a buffer cannot be truncated to more than it has")
    end = start + count
    if start == end { becomeEmpty() }
  }

  /// Takes all readable bytes away.
  public mutating func removeAll() {
    becomeEmpty()
  }

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

  /// Appends plain text that the program holds.
  @inlinable public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends what `body` writes: it gets room for at least `minimumCapacity` bytes and returns how many it wrote.
  @inlinable public mutating func appendUnsafe<E: Error>(
    minimumCapacity: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) {
    reserve(minimumCapacity)
    let room = UnsafeMutableRawBufferPointer(start: storage.map { $0 + end }, count: capacity - end)
    let written = try body(room)
    precondition(written >= 0 && written <= room.count, "more bytes written than there was room for")
    end += written
  }

  /// Makes room for `count` more bytes.
  @inlinable public mutating func reserve(_ count: Int) {
    if capacity - end < count { makeRoom(count) }
  }

  @usableFromInline mutating func makeRoom(_ count: Int) {
    let length = end - start
    // Moving the bytes to the front pays when at least as many were consumed as are to be moved.
    if let storage, start >= length, capacity - length >= count {
      storage.copyMemory(from: storage + start, byteCount: length)
    } else {
      let larger = max(256, length + count, 2 * length)
      // What stands at the front can grow where it is: the kernel moves large blocks without copying them.
      guard let memory = Memory.resize(start == 0 ? storage : nil, to: larger + Self.slack) else {
        // Without memory nothing can be kept or said; ending is what Swift itself does then.
        fatalError("out of memory: no \(larger) bytes for a buffer")
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
