// Everything that the files of a log hold, to be searched.

import ScrollLogTesting
import ScrollModel

@testable import ScrollLog

/// Everything that a file of a log holds, to be searched for what must not be there.
enum StoredBytes {
  /// A file's bytes as they stand, and, where it is a packed segment, what they unpack to.
  ///
  /// The bytes alone would prove nothing: zstd's frames don't show a text that they hold, and in the columns a number of a packed
  /// block is a difference, or its bytes stand apart. Whoever wants to read them unpacks them, and so does this: every block's
  /// payload, and of packed blocks the group commits.
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
