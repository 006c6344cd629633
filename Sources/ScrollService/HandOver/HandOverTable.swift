import CXXHash

/// A table of connection states in memory that the next daemon inherits, with one slot per connection.
///
/// A slot holds the state of a connection while the connection is *idle*, and is empty while it is *busy*. The daemon
/// empties the slot before it uses the connection's socket, and fills it again when the connection is idle. A filled
/// slot is therefore accurate whenever the daemon is killed; the next daemon ends the connections whose slots are
/// empty.
///
/// A daemon that shuts down cleanly writes the states of all connections, idle or not. States that are too large for
/// their slots then follow the last slot.
///
/// Layout, little endian:
///
///     0   "scrollho"                                        64 + 1024 × i  slot i
///     8   version, 32 bits                                    0  length of the state, 32 bits; 0 if busy or unused
///     12  count of slots, 32 bits                             8  checksum of the state
///     16  length of the large states, 64 bits                 16 the state
///     24  checksum of the 24 bytes before
///
/// After the last slot, for each large state: slot, 32 bits; 0, 32 bits; length, 64 bits; checksum, 64 bits; the state.
/// Checksums are XXH3-64. That of a state is seeded with its socket's inode number, so it matches no other socket.
struct HandOverTable {
  /// The version of this layout and of the states in it.
  static let version: UInt32 = 1
  /// The size of the head, in bytes.
  static let headSize = 64
  /// The size of a slot, in bytes.
  static let slotSize = 1024
  /// The size of the largest state that fits into a slot, in bytes.
  static let slotCapacity = slotSize - SlotOffset.state

  /// Where the fields of the head are, in bytes from the start of the table.
  enum HeadOffset {
    static let magic = 0
    static let version = 8
    static let slotCount = 12
    static let tailLength = 16
    /// The checksum of everything before it.
    static let checksum = 24
  }

  /// Where the fields of a slot are, in bytes from its start.
  enum SlotOffset {
    static let length = 0
    static let checksum = 8
    static let state = 16
  }

  private static let magic: UInt64 = 0x6f68_6c6c_6f72_6373
  private static let tailEntryHead = 24

  private let memory: UnsafeMutableRawBufferPointer
  let slotCount: Int

  /// The size of a table without large states, in bytes.
  static func size(slotCount: Int) -> Int { headSize + slotCount * slotSize }

  /// Creates a table of empty slots.
  ///
  /// - Parameter memory: `size(slotCount:)` zeros, which must outlive the table.
  init(new memory: UnsafeMutableRawBufferPointer, slotCount: Int) {
    self.memory = memory
    self.slotCount = slotCount
    store(Self.magic, at: HeadOffset.magic)
    store(Self.version, at: HeadOffset.version)
    store(UInt32(slotCount), at: HeadOffset.slotCount)
    store(0 as UInt64, at: HeadOffset.tailLength)
    sealHead()
  }

  /// Opens the table that the previous daemon wrote.
  ///
  /// - Parameter memory: The table, which must outlive the value.
  /// - Throws: ``HandOverError`` when the table is malformed or has another version.
  init(existing memory: UnsafeMutableRawBufferPointer) throws(HandOverError) {
    guard memory.count >= Self.headSize else { throw .endsEarly }
    self.memory = memory
    guard memory.loadUnaligned(as: UInt64.self).littleEndian == Self.magic else { throw .badValue("beginning") }
    let version = memory.loadUnaligned(fromByteOffset: HeadOffset.version, as: UInt32.self).littleEndian
    guard version == Self.version else { throw .otherVersion(version, expected: Self.version) }
    slotCount = Int(memory.loadUnaligned(fromByteOffset: HeadOffset.slotCount, as: UInt32.self).littleEndian)
    guard load(at: HeadOffset.checksum) == Self.checksum(memory[..<HeadOffset.checksum], seed: 0) else {
      throw .badChecksum
    }
    guard tailLength <= memory.count, Self.size(slotCount: slotCount) + tailLength <= memory.count else {
      throw .endsEarly
    }
  }

  // MARK: Slots

  /// Empties a slot, because its connection is busy.
  func empty(_ slot: Int) {
    store(0 as UInt32, at: offset(of: slot))
  }

  /// Writes the state of an idle connection to its slot.
  ///
  /// - Parameter inode: The socket's inode number.
  /// - Returns: Whether the state fits. If not, the slot is empty.
  func fill(_ slot: Int, _ state: [UInt8], inode: UInt64) -> Bool {
    guard state.count <= Self.slotCapacity else {
      empty(slot)
      return false
    }
    let start = offset(of: slot)
    state.withUnsafeBytes { state in
      UnsafeMutableRawBufferPointer(rebasing: memory[(start + SlotOffset.state)...]).copyMemory(from: state)
      store(Self.checksum(state[...], seed: inode), at: start + SlotOffset.checksum)
    }
    // The length comes last. If the daemon is killed before, the checksum doesn't match the bytes of the old length.
    store(UInt32(state.count), at: start)
    return true
  }

  /// Returns the state of the connection in a slot; `nil` if it was busy.
  ///
  /// - Parameter inode: The socket's inode number.
  /// - Throws: ``HandOverError`` when the state is malformed or belongs to another socket.
  func state(in slot: Int, inode: UInt64) throws(HandOverError) -> ConnectionState? {
    guard slot < slotCount else { throw .badValue("slot") }
    if let state = try largeState(of: slot, inode: inode) { return state }
    let start = offset(of: slot)
    let length = Int(memory.loadUnaligned(fromByteOffset: start, as: UInt32.self).littleEndian)
    if length == 0 { return nil }
    guard length <= Self.slotCapacity else { throw .badValue("length") }
    let bytes = memory[(start + SlotOffset.state)..<(start + SlotOffset.state + length)]
    return try Self.state(bytes, checksum: load(at: start + SlotOffset.checksum), inode: inode)
  }

  // MARK: Large states

  /// Encodes the large states, for the end of the table.
  static func tail(_ states: [(slot: Int, inode: UInt64, state: [UInt8])]) -> [UInt8] {
    var writer = StateWriter()
    for entry in states {
      writer.append(UInt32(entry.slot))
      writer.append(0 as UInt32)
      writer.append(UInt64(entry.state.count))
      writer.append(entry.state.withUnsafeBytes { checksum($0[...], seed: entry.inode) })
      writer.append(raw: entry.state)
    }
    return writer.bytes
  }

  /// Records the length of the large states after they were written; 0 discards them.
  func setTailLength(_ length: Int) {
    store(UInt64(length), at: HeadOffset.tailLength)
    sealHead()
  }

  private var tailLength: Int { Int(clamping: load(at: HeadOffset.tailLength)) }

  private func largeState(of slot: Int, inode: UInt64) throws(HandOverError) -> ConnectionState? {
    var start = Self.size(slotCount: slotCount)
    let end = start + tailLength
    while start < end {
      guard end - start >= Self.tailEntryHead else { throw .endsEarly }
      let entry = Int(memory.loadUnaligned(fromByteOffset: start, as: UInt32.self).littleEndian)
      let length = Int(clamping: load(at: start + 8))
      let stateStart = start + Self.tailEntryHead
      guard length <= end - stateStart else { throw .endsEarly }
      if entry == slot {
        return try Self.state(memory[stateStart..<stateStart + length], checksum: load(at: start + 16), inode: inode)
      }
      start = stateStart + length
    }
    return nil
  }

  // MARK: Bytes

  private static func state(
    _ bytes: Slice<UnsafeMutableRawBufferPointer>, checksum: UInt64, inode: UInt64
  ) throws(HandOverError) -> ConnectionState {
    guard Self.checksum(bytes, seed: inode) == checksum else { throw .badChecksum }
    return try ConnectionState(UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: bytes)))
  }

  private func offset(of slot: Int) -> Int { Self.headSize + slot * Self.slotSize }

  private func sealHead() {
    store(Self.checksum(memory[..<HeadOffset.checksum], seed: 0), at: HeadOffset.checksum)
  }

  private func store(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
  }

  private func load(at offset: Int) -> UInt64 {
    memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
  }

  private static func checksum(_ bytes: Slice<UnsafeMutableRawBufferPointer>, seed: UInt64) -> UInt64 {
    let bytes = UnsafeMutableRawBufferPointer(rebasing: bytes)
    return XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }

  private static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>, seed: UInt64) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    return XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }
}
