// The memory in which one daemon leaves the next one what its connections were at.

import CXXHash

/// The memory in which one daemon leaves the next one what its connections were at: a slot for each.
///
/// A slot holds a connection's state while it is *at rest*, and is empty while it is *busy*. Whoever touches a connection's
/// socket empties its slot before, and fills it when the connection has come to rest again. So whenever the daemon is
/// killed, what stands in a slot is true, and of the others nothing is believed.
///
/// A daemon that stops in order leaves the state of every connection, at rest or not. States that are too large for their
/// slots then follow behind the last slot.
///
/// Layout, little endian:
///
///     0   "scrollho"                                        64 + 1024 × i  slot i
///     8   version, 32 bits                                    0  length of the state, 32 bits; 0: busy, or nobody's
///     12  count of slots, 32 bits                             8  checksum of the state
///     16  length of what follows the last slot, 64 bits       16 the state
///     24  checksum of the 24 bytes before
///
/// and behind the last slot, for each large state: slot, 32 bits; 0, 32 bits; length, 64 bits; checksum, 64 bits; the state.
/// Checksums are XXH3-64. A state's is seeded with the number of its socket's inode: it never fits another socket.
struct HandOverTable {
  /// The version of this layout and of the states in it.
  static let version: UInt32 = 1
  /// How large the head is, in bytes.
  static let headSize = 64
  /// How large a slot is, in bytes.
  static let slotSize = 1024
  /// How large a state fits into a slot, in bytes.
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
  /// How many slots there are.
  let slotCount: Int

  /// How large the memory of a table is, in bytes, when nothing follows its slots.
  static func size(slotCount: Int) -> Int { headSize + slotCount * slotSize }

  /// A new table of empty slots in memory of `size(slotCount:)` zeros, which must outlive it.
  init(new memory: UnsafeMutableRawBufferPointer, slotCount: Int) {
    self.memory = memory
    self.slotCount = slotCount
    store(Self.magic, at: HeadOffset.magic)
    store(Self.version, at: HeadOffset.version)
    store(UInt32(slotCount), at: HeadOffset.slotCount)
    store(0 as UInt64, at: HeadOffset.tailLength)
    sealHead()
  }

  /// The table that another daemon left in memory, which must outlive it.
  ///
  /// - Throws: ``HandOverError`` when it can't be believed, or another version wrote it.
  init(left memory: UnsafeMutableRawBufferPointer) throws(HandOverError) {
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

  /// Notes that a connection is busy: what its slot says is true no longer.
  func empty(_ slot: Int) {
    store(0 as UInt32, at: offset(of: slot))
  }

  /// Notes what a connection that is at rest is at.
  ///
  /// - Parameter inode: The number of its socket's inode.
  /// - Returns: Whether the state fits; if not, the slot is empty: what it said before is true no longer.
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
    // Where the daemon is killed in between, the checksum of the state that was there before doesn't fit.
    store(UInt32(state.count), at: start)
    return true
  }

  /// What a slot says of the connection whose socket has this inode; `nil` when it was busy.
  ///
  /// - Throws: ``HandOverError`` when it says something that can't be believed.
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

  /// The bytes that follow the last slot for large states, and the head's count of them.
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

  /// Notes how many bytes follow the last slot, once they are there; 0 for none.
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

  // MARK: Parts

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
