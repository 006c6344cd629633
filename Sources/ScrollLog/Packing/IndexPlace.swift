// Where the index of a packed segment stands.

import ScrollModel

/// What the last block of a packed segment holds: where its index stands in the file.
enum IndexPlace {
  /// How long the whole block is.
  static let blockSize = BlockHeader.length(payload: 8)

  static func append(_ offset: Int64, to writer: inout ByteWriter) { writer.append(offset) }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> Int64 {
    let offset = try reader.natural("offset")
    guard reader.isAtEnd else { throw .badValue(field: "place of the index", value: UInt64(offset)) }
    return offset
  }
}
