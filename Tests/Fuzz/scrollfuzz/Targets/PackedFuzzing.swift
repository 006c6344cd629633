import ScrollModel

@testable import ScrollLog

/// Any bytes, unpacked as columns or read as an index. What is accepted is the same after it is packed or written again.
///
/// The first byte is a ``Part``. Columns are preceded by the number of records in 32 bits and the time of the packed block's
/// header in 64.
enum PackedFuzzing: Fuzzing {
  /// The content of an input.
  enum Part: UInt8 {
    case columns
    case index
  }

  private static let firstPosition: Position = 7

  static func check(_ input: UnsafeRawBufferPointer) throws {
    var source = ByteSource(input)
    switch Part(rawValue: source.byte() & 1) {
    case .columns:
      let recordCount = Int(source.number(UInt32.self))
      let received: Int64 = source.number()
      try checkColumns([UInt8](source.rest), recordCount: recordCount, received: received)
    case .index: try checkIndex([UInt8](source.rest))
    case nil: break
    }
  }

  private static func checkColumns(_ columns: [UInt8], recordCount: Int, received: Int64) throws {
    let header = BlockHeader(
      payloadLength: 0, kind: .packed, recordCount: recordCount, firstPosition: firstPosition, received: received,
      syncedTo: firstPosition - 1, syncedOffset: 0)
    guard let unpacked = try taken({ () throws(ContentError) in try unpack(header, columns) }) else { return }
    var packer = ColumnPacker()
    var position = firstPosition
    for (block, at) in unpacked.blocks {
      hold(block.firstPosition == position, "blocks are consecutive")
      position = block.nextPosition
      // The fold rejects invalid entries other than runs, and impossible times.
      let view = block.view(unpacked.bytes, at: at)
      guard try taken({ () throws(ContentError) in try packer.append(block, view) { _, _ in } }) != nil else { return }
    }
    hold(position == header.nextPosition, "as many records as the header says")
    let again = packer.payload()
    let found = try unpack(header, again.bytes.withBytes(0, again.count) { [UInt8]($0) })
    hold(found.blocks.count == unpacked.blocks.count, "the number of blocks is the same")
    for (one, other) in zip(found.blocks, unpacked.blocks) {
      hold(one.header == other.header, "a header is the same")
      hold(payload(one, found.bytes) == payload(other, unpacked.bytes), "a block is the same")
    }
  }

  private static func checkIndex(_ input: [UInt8]) throws {
    var reader = reader(input)
    guard let index = try taken({ () throws(ContentError) in try PackedIndexCoding.read(&reader) }) else { return }
    var writer = ByteWriter(capacity: input.count)
    PackedIndexCoding.append(index, to: &writer)
    hold(writer.bytes.withBytes(0, writer.count) { $0.elementsEqual(input) }, "an index is the same")
    reader = Self.reader(input)
    let outline = try IndexOutline(&reader)
    hold(outline.blocks == index.blocks && outline.checkpoints == index.checkpoints, "readers find the same places")
    for block in index.blocks where block.recordCount > 0 {
      hold(index.blocks.block(of: block.firstPosition) == block, "a block is found by its first position")
      hold(index.blocks.block(of: block.nextPosition - 1) == block, "a block is found by its last position")
    }
  }

  /// Returns the result of a body; `nil` when it refuses the input with an expected error.
  private static func taken<Value>(_ body: () throws(ContentError) -> Value) throws -> Value? {
    do throws(ContentError) {
      return try body()
    } catch {
      hold(!error.description.isEmpty, "a refusal has a reason")
      return nil
    }
  }

  private static func unpack(_ header: BlockHeader, _ columns: [UInt8]) throws(ContentError) -> UnpackedBlocks {
    try ColumnUnpacker.unpack(header, reader(columns), offset: 0)
  }

  private static func reader(_ bytes: [UInt8]) -> ByteReader {
    var writer = ByteWriter(capacity: bytes.count)
    bytes.withUnsafeBytes { writer.append($0) }
    return ByteReader(writer.take(), from: 0, to: bytes.count)
  }

  private static func payload(_ block: (header: BlockHeader, at: Int), _ bytes: Bytes) -> [UInt8] {
    bytes.withBytes(block.at + BlockHeader.size, block.header.payloadLength) { [UInt8]($0) }
  }
}
