import ScrollLogTesting
import ScrollModel

@testable import ScrollLog

/// All bytes in a file of a log, to search them for what must not be there.
enum StoredBytes {
  /// Returns the raw bytes of a file and, if it is a packed segment, what they unpack to.
  ///
  /// The raw bytes alone would prove nothing: a zstd frame does not show the text that it holds, and in columns a number is a
  /// difference, or its bytes are spread out. So this decompresses every payload, and unpacks packed blocks.
  static func all(of path: String, in fileSystem: FaultyFileSystem) throws -> [[UInt8]] {
    guard let bytes = fileSystem[path] else { return [] }
    var found = [bytes]
    guard let first = SegmentName.firstPosition(String(path.split(separator: "/").last ?? "")) else { return found }
    let file = try fileSystem.openForReading(path)
    let header = try SegmentReading.header(of: file, firstPosition: first)
    var scanner = SegmentScanner(file, identifier: header.identifier)
    while true {
      let offset = scanner.offset
      guard case .block(let block, let bytes, let at) = try scanner.next() else { return found }
      let view = block.view(bytes, at: at)
      if block.unpackedLength != nil {
        found.append(bytes.withBytes(view.payload.lowerBound, view.payload.count) { [UInt8]($0) })
      }
      guard block.kind == .packed else { continue }
      let unpacked = try ColumnUnpacker.unpack(block, view.reader, offset: offset)
      for (header, at) in unpacked.blocks {
        let view = header.view(unpacked.bytes, at: at)
        found.append(unpacked.bytes.withBytes(view.payload.lowerBound, view.payload.count) { [UInt8]($0) })
      }
    }
  }
}
