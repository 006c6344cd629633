import ScrollModel

/// A file beside a segment that keeps bytes cut from it.
package struct KeptBytes {
  /// The size of what precedes the bytes: a copy of the segment's header, the bytes' offset, and their count.
  package static let headSize = SegmentHeader.size + 8 + 8
  private static let chunk = 1 << 20

  let directory: LogDirectory
  /// The suffix of the name, ``SegmentName/tornSuffix`` or ``SegmentName/damagedSuffix``.
  let suffix: String
  /// The last position that stays in the segment.
  let position: Position
  /// The current time, microseconds since the Unix epoch.
  let time: Int64

  /// Returns a name that no file has yet.
  ///
  /// - Parameter promised: names that other files will have.
  func freeName(except promised: [String] = []) throws(FileError) -> String {
    let taken = Set(try directory.fileSystem.list(directory.logPath)).union(promised)
    var attempt = 0
    while true {
      let name = SegmentName.kept(after: position, time: time, attempt: attempt, suffix)
      if !taken.contains(name) { return name }
      attempt += 1
    }
  }

  /// Writes the file.
  func keep(_ bytes: Range<Int64>, of source: any File, as name: String) throws(FileError) {
    _ = try directory.createWhole(name) { file throws(FileError) in try copy(bytes, of: source, to: file) }
  }

  private func copy(_ bytes: Range<Int64>, of source: any File, to file: any File) throws(FileError) -> Int64 {
    var writer = ByteWriter(capacity: Self.chunk)
    var written: Int64 = 0
    // A file that ends within its header is padded with zeros.
    writer.appendZeros(SegmentHeader.size)
    _ = try source.read(
      at: 0, into: UnsafeMutableRawBufferPointer(start: writer.bytes.base, count: SegmentHeader.size))
    writer.append(bytes.lowerBound)
    writer.append(Int64(bytes.count))
    var offset = bytes.lowerBound
    repeat {
      let count = Int(min(bytes.upperBound - offset, Int64(Self.chunk)))
      writer.reserve(count)
      let read = try source.read(at: offset, into: UnsafeMutableRawBufferPointer(start: writer.cursor, count: count))
      guard read == count else { throw FileError(.read, path: source.path, code: .inputOutput) }
      writer.advance(by: count)
      offset += Int64(count)
      try writer.bytes.withBytes(0, writer.count) { (bytes) throws(FileError) in try file.write(bytes, at: written) }
      written += Int64(writer.count)
      writer.truncate(to: 0)
    } while offset < bytes.upperBound
    return written
  }
}
