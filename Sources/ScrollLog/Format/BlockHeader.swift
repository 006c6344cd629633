import ScrollModel

/// The header of a block. Behind its 56 bytes come the payload, zeros up to a multiple of 8, and an 8-byte checksum of
/// everything before it.
package struct BlockHeader: Equatable {
  package static let size = 56
  static let trailerSize = 8
  static let maximumPayload = 1 << 30
  /// `SBLK` in the file.
  package static let magic: UInt32 = 0x4B4C_4253
  /// The limit of a decompressed payload, and so of the memory that reading a packed segment takes.
  static let maximumUnpacked = 64 << 20
  /// The flag of a checkpoint's block that is continued in the next one.
  static let continues: UInt8 = 1
  /// The flag of a block whose payload is a zstd frame.
  private static let compressed: UInt8 = 2

  /// Where the fields are, in bytes from the header's start.
  package enum Offset {
    package static let magic = 0
    /// The lower 32 bits of the checksum of the fields that follow it.
    static let headerChecksum = 4
    package static let payloadLength = 8
    static let unpackedLength = 12
    static let kind = 16
    static let flags = 17
    static let reserved = 18
    static let recordCount = 20
    static let firstPosition = 24
    static let received = 32
    static let syncedTo = 40
    static let syncedOffset = 48
    /// Where the payload begins.
    package static let payload = size
  }

  /// The length of the payload in the file.
  var payloadLength: Int
  var kind: BlockKind
  /// ``continues`` or 0.
  var flags: UInt8 = 0
  /// The length of the decompressed payload; `nil` when the payload is not compressed.
  var unpackedLength: Int?
  var recordCount: Int
  /// The position of the first record, or of the next record in a block without any.
  var firstPosition: Position
  /// When the daemon received the records, microseconds since the Unix epoch; never less than in the previous block.
  var received: Int64
  /// The last position that was synced when this block was written.
  var syncedTo: Position
  /// The offset in the file below which everything was synced when this block was written.
  var syncedOffset: Int64

  /// The length of the whole block in the file.
  var length: Int { Self.length(payload: payloadLength) }

  /// The position after the block's last record.
  var nextPosition: Position { firstPosition + Int64(recordCount) }

  /// Checks what checksums cannot: a block of records holds records, a packed block may, and any other block does not.
  ///
  /// - Throws: ``ContentError/badValue(field:value:)``.
  func validate() throws(ContentError) {
    guard kind == .packed || (recordCount > 0) == (kind == .records) else {
      throw .badValue(field: "record count", value: UInt64(recordCount))
    }
  }

  package static func length(payload: Int) -> Int { size + (payload + 7) & ~7 + trailerSize }

  /// Writes header, padding and checksum around a payload that is already in place, `size` bytes after an offset.
  func seal(_ bytes: Bytes, at offset: Int, identifier: UInt64) {
    precondition(offset + length <= bytes.capacity)
    let start = bytes.base + offset
    func put<T: FixedWidthInteger>(_ value: T, _ at: Int) {
      start.storeBytes(of: value.littleEndian, toByteOffset: at, as: T.self)
    }
    put(Self.magic, Offset.magic)
    put(UInt32(payloadLength), Offset.payloadLength)
    put(UInt32(unpackedLength ?? payloadLength), Offset.unpackedLength)
    put(kind.rawValue, Offset.kind)
    put(unpackedLength == nil ? flags : flags | Self.compressed, Offset.flags)
    put(0 as UInt16, Offset.reserved)
    put(UInt32(recordCount), Offset.recordCount)
    put(firstPosition, Offset.firstPosition)
    put(received, Offset.received)
    put(syncedTo, Offset.syncedTo)
    put(syncedOffset, Offset.syncedOffset)
    put(Self.headerChecksum(bytes, at: offset, identifier: identifier), Offset.headerChecksum)
    for padding in (Self.size + payloadLength)..<(length - Self.trailerSize) { put(0 as UInt8, padding) }
    let covered = length - Self.trailerSize
    put(bytes.checksum(offset, covered, seed: identifier), covered)
  }

  /// Reads a header and checks its own checksum.
  ///
  /// - Returns: `nil` when there is no block header at the offset.
  static func decode(_ bytes: Bytes, at offset: Int, identifier: UInt64) -> BlockHeader? {
    func get<T: FixedWidthInteger & BitwiseCopyable>(_ at: Int) -> T {
      bytes.withBytes(offset + at, MemoryLayout<T>.size) { T(littleEndian: $0.loadUnaligned(as: T.self)) }
    }
    guard get(Offset.magic) == magic,
      get(Offset.headerChecksum) == headerChecksum(bytes, at: offset, identifier: identifier)
    else { return nil }
    let payloadLength: UInt32 = get(Offset.payloadLength)
    let unpackedLength: UInt32 = get(Offset.unpackedLength)
    let flags: UInt8 = get(Offset.flags)
    let reserved: UInt16 = get(Offset.reserved)
    let recordCount: UInt32 = get(Offset.recordCount)
    let firstPosition: Int64 = get(Offset.firstPosition)
    let isCompressed = flags & compressed != 0
    guard payloadLength <= UInt32(maximumPayload), let kind = BlockKind(rawValue: get(Offset.kind)),
      isCompressed ? unpackedLength <= UInt32(maximumUnpacked) : unpackedLength == payloadLength,
      flags & ~(continues | compressed) == 0, reserved == 0, (1...Int64.max / 2).contains(firstPosition)
    else { return nil }
    return BlockHeader(
      payloadLength: Int(payloadLength), kind: kind, flags: flags & continues,
      unpackedLength: isCompressed ? Int(unpackedLength) : nil, recordCount: Int(recordCount),
      firstPosition: firstPosition, received: get(Offset.received), syncedTo: get(Offset.syncedTo),
      syncedOffset: get(Offset.syncedOffset))
  }

  private static func headerChecksum(_ bytes: Bytes, at offset: Int, identifier: UInt64) -> UInt32 {
    let start = Offset.payloadLength
    return UInt32(truncatingIfNeeded: bytes.checksum(offset + start, size - start, seed: identifier))
  }

  /// Returns whether the checksum of the whole block is right.
  func isIntact(_ bytes: Bytes, at offset: Int, identifier: UInt64) -> Bool {
    let covered = length - Self.trailerSize
    let stored = bytes.withBytes(offset + covered, Self.trailerSize) { $0.loadUnaligned(as: UInt64.self) }
    return UInt64(littleEndian: stored) == bytes.checksum(offset, covered, seed: identifier)
  }
}
