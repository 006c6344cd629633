// The header and trailer that frame each block.

import ScrollModel

/// The header of a block: 56 bytes, then the payload, zeros up to a multiple of 8, and an 8-byte checksum of all that.
struct BlockHeader: Equatable {
  static let size = 56
  static let trailerSize = 8
  static let maximumPayload = 1 << 30
  /// `SBLK` as it stands in the file.
  static let magic: UInt32 = 0x4B4C_4253
  /// How long a payload may be once it is unpacked: so much memory the worst block of a packed segment takes to be read.
  static let maximumUnpacked = 64 << 20
  /// The flag of a checkpoint's block that another one follows.
  static let continues: UInt8 = 1
  /// The flag of a block whose payload is one frame of zstd.
  private static let compressed: UInt8 = 2

  /// The length of the payload as it stands in the file.
  var payloadLength: Int
  var kind: BlockKind
  /// ``continues`` or nothing.
  var flags: UInt8 = 0
  /// The length of the payload that the frame of zstd holds which stands in the file; `nil` where it stands there as it is.
  var unpackedLength: Int?
  var recordCount: Int
  /// The position of the first record, or of the next one where the block holds none.
  var firstPosition: Position
  /// When the daemon got the records, microseconds since the Unix epoch, never less than in the block before.
  var received: Int64
  /// The last position that was synced when this block was written.
  var syncedTo: Position
  /// The offset in this file below which everything was synced when this block was written.
  var syncedOffset: Int64

  /// The whole block's length in the file.
  var length: Int { Self.length(payload: payloadLength) }

  /// The position after the block's last record.
  var nextPosition: Position { firstPosition + Int64(recordCount) }

  /// Checks what the checksums say nothing of: a block of records holds some, a packed one may, any other block holds none.
  ///
  /// - Throws: ``ContentError/badValue(field:value:)``.
  func validate() throws(ContentError) {
    guard kind == .packed || (recordCount > 0) == (kind == .records) else {
      throw .badValue(field: "record count", value: UInt64(recordCount))
    }
  }

  static func length(payload: Int) -> Int { size + (payload + 7) & ~7 + trailerSize }

  /// Writes header, padding and checksum around a payload that stands `size` bytes behind an offset already.
  func seal(_ bytes: Bytes, at offset: Int, identifier: UInt64) {
    precondition(offset + length <= bytes.capacity)
    let start = bytes.base + offset
    func put<T: FixedWidthInteger>(_ value: T, _ at: Int) {
      start.storeBytes(of: value.littleEndian, toByteOffset: at, as: T.self)
    }
    put(Self.magic, 0)
    put(UInt32(payloadLength), 8)
    put(UInt32(unpackedLength ?? payloadLength), 12)
    put(kind.rawValue, 16)
    put(unpackedLength == nil ? flags : flags | Self.compressed, 17)
    put(0 as UInt16, 18)
    put(UInt32(recordCount), 20)
    put(firstPosition, 24)
    put(received, 32)
    put(syncedTo, 40)
    put(syncedOffset, 48)
    put(UInt32(truncatingIfNeeded: bytes.checksum(offset + 8, Self.size - 8, seed: identifier)), 4)
    for padding in (Self.size + payloadLength)..<(length - Self.trailerSize) { put(0 as UInt8, padding) }
    let covered = length - Self.trailerSize
    put(bytes.checksum(offset, covered, seed: identifier), covered)
  }

  /// Reads a header whose own checksum is right.
  ///
  /// - Returns: `nil` when no block's header stands there.
  static func decode(_ bytes: Bytes, at offset: Int, identifier: UInt64) -> BlockHeader? {
    func get<T: FixedWidthInteger & BitwiseCopyable>(_ at: Int) -> T {
      bytes.withBytes(offset + at, MemoryLayout<T>.size) { T(littleEndian: $0.loadUnaligned(as: T.self)) }
    }
    guard get(0) == magic,
      get(4) == UInt32(truncatingIfNeeded: bytes.checksum(offset + 8, size - 8, seed: identifier))
    else { return nil }
    let payloadLength: UInt32 = get(8)
    let unpackedLength: UInt32 = get(12)
    let flags: UInt8 = get(17)
    let reserved: UInt16 = get(18)
    let recordCount: UInt32 = get(20)
    let firstPosition: Int64 = get(24)
    let isCompressed = flags & compressed != 0
    guard payloadLength <= UInt32(maximumPayload), let kind = BlockKind(rawValue: get(16)),
      isCompressed ? unpackedLength <= UInt32(maximumUnpacked) : unpackedLength == payloadLength,
      flags & ~(continues | compressed) == 0, reserved == 0, (1...Int64.max / 2).contains(firstPosition)
    else { return nil }
    return BlockHeader(
      payloadLength: Int(payloadLength), kind: kind, flags: flags & continues,
      unpackedLength: isCompressed ? Int(unpackedLength) : nil, recordCount: Int(recordCount),
      firstPosition: firstPosition, received: get(32), syncedTo: get(40), syncedOffset: get(48))
  }

  /// Whether the checksum of the whole block is right.
  func isIntact(_ bytes: Bytes, at offset: Int, identifier: UInt64) -> Bool {
    let covered = length - Self.trailerSize
    let stored = bytes.withBytes(offset + covered, Self.trailerSize) { $0.loadUnaligned(as: UInt64.self) }
    return UInt64(littleEndian: stored) == bytes.checksum(offset, covered, seed: identifier)
  }
}
