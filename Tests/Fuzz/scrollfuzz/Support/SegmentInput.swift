import ScrollModel

@testable import ScrollLog

/// A segment that an input describes. Its checksums are computed, so that inputs reach the decoders of content.
///
/// The first byte has flags: bit 0, the input includes the blocks of the checkpoint; bit 1, the position of the first record
/// follows in 64 bits. Then come the blocks. Each begins with a byte: the kind less one in bits 0 and 1, the flag of a
/// continued checkpoint in bit 2, an explicit position in bit 3, an explicit synced offset in bit 4, a wrong checksum in bit 5,
/// and, in bit 6, a number of records for a block of another kind. Each explicit value follows in 64 bits, then the number of
/// records and the payload's length in 16 bits each, then the payload.
struct SegmentInput {
  private struct Control: OptionSet {
    var rawValue: UInt8
    static let continues = Control(rawValue: 1 << 2)
    static let hasPosition = Control(rawValue: 1 << 3)
    static let hasSyncedOffset = Control(rawValue: 1 << 4)
    static let isTorn = Control(rawValue: 1 << 5)
    static let hasRecordCount = Control(rawValue: 1 << 6)
  }

  static let hasCheckpoint: UInt8 = 1
  static let hasFirstPosition: UInt8 = 2
  private static let identifier: UInt64 = 0x5EED

  /// The position of the first record.
  let firstPosition: Position
  /// The file.
  let bytes: [UInt8]

  /// Builds the segment of an input.
  init(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    let head = source.byte()
    let given: Position = head & Self.hasFirstPosition != 0 ? source.number() : 1
    firstPosition = max(1, given & (.max / 2))
    var writer = ByteWriter(capacity: 4096)
    let header = SegmentHeader(
      identifier: Self.identifier, generation: 1, firstPosition: firstPosition, created: 0,
      boot: BootID(high: 0, low: 1), syncMode: SyncMode.commit.code)
    header.encode(into: &writer)
    if head & Self.hasCheckpoint == 0 {
      var checkpoint = Checkpoint.empty
      checkpoint.position = firstPosition - 1
      CheckpointCoding.append(
        checkpoint, generations: GenerationHistory(), identifier: Self.identifier, to: &writer)
    }
    var position = firstPosition
    while !source.isEmpty { Self.appendBlock(&source, &position, to: &writer) }
    bytes = writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
  }

  private static func appendBlock(_ source: inout ByteSource, _ position: inout Position, to writer: inout ByteWriter) {
    let byte = source.byte()
    let control = Control(rawValue: byte)
    guard let kind = BlockKind(rawValue: byte & 3 + 1) else { return }
    if control.contains(.hasPosition) { position = source.number() }
    let syncedOffset: Int64 = control.contains(.hasSyncedOffset) ? source.number() : Int64(writer.count)
    let recordCount = kind == .records || control.contains(.hasRecordCount) ? Int(source.number(UInt16.self)) : 0
    let payload = source.bytes(Int(source.number(UInt16.self)))
    let header = BlockHeader(
      payloadLength: 0, kind: kind, flags: control.contains(.continues) ? BlockHeader.continues : 0,
      recordCount: recordCount, firstPosition: position, received: 1, syncedTo: 0, syncedOffset: syncedOffset)
    FramedBlock.append(header, identifier: identifier, to: &writer) { $0.append(payload) }
    if control.contains(.isTorn) { writer.store(0 as UInt64, at: writer.count - BlockHeader.trailerSize) }
    position &+= Int64(recordCount)
  }

  /// Returns the input that describes a good segment.
  static func describing(_ segment: [UInt8]) -> [UInt8] {
    let bytes = Bytes(capacity: segment.count)
    bytes.base.copyMemory(from: segment, byteCount: segment.count)
    var input = [hasCheckpoint]
    guard let header = try? SegmentHeader.decode(bytes) else { return input }
    var offset = SegmentHeader.size
    while offset + BlockHeader.size <= segment.count,
      let block = BlockHeader.decode(bytes, at: offset, identifier: header.identifier)
    {
      input.append(block.kind.rawValue - 1 | (block.flags == BlockHeader.continues ? Control.continues.rawValue : 0))
      if block.kind == .records { input += littleEndian(UInt16(block.recordCount)) }
      input += littleEndian(UInt16(block.payloadLength))
      input += segment[(offset + BlockHeader.size)...].prefix(block.payloadLength)
      offset += block.length
    }
    return input
  }

  private static func littleEndian(_ number: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
  }
}
