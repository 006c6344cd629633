import ScrollModel

/// A file that has a segment's name, holds no block, and does not continue the segment before it, such as an empty file that
/// somebody made. As a part of the log it would skip positions, and end all sessions.
struct StraySegment {
  let directory: LogDirectory
  let firstPosition: Position
  private let file: any File
  private let bytes: Int64
  /// The position after the last one of the segment before it.
  private let expected: Position

  /// Looks at a segment.
  ///
  /// - Parameter previous: the first position of the segment before it.
  /// - Returns: `nil` if it is a part of the log, or may be.
  init?(_ directory: LogDirectory, _ firstPosition: Position, after previous: Position) throws(FileError) {
    self.directory = directory
    self.firstPosition = firstPosition
    file = try directory.fileSystem.openForReading(directory.path(ofSegment: firstPosition))
    bytes = try file.size()
    guard try Self.holdsNothing(file), let next = try Self.end(directory, previous), next != firstPosition else {
      return nil
    }
    expected = next
  }

  /// Returns whether a file has neither a good header nor a good block.
  private static func holdsNothing(_ file: any File) throws(FileError) -> Bool {
    let bytes = Bytes(capacity: SegmentHeader.size)
    let buffer = UnsafeMutableRawBufferPointer(start: bytes.base, count: bytes.capacity)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    _ = try file.read(at: 0, into: buffer)
    do {
      _ = try SegmentHeader.decode(bytes)
      return false
    } catch {
      switch error {
      case .notASegment, .badChecksum: break
      case .unknownVersion, .unknownFeatures: return false
      }
    }
    var scanner = SegmentScanner(file, identifier: SegmentHeader.storedIdentifier(bytes), offset: 0)
    return try !scanner.skipToNextBlock()
  }

  /// Returns the position after the last one of a segment; `nil` if damage hides it.
  private static func end(_ directory: LogDirectory, _ firstPosition: Position) throws(FileError) -> Position? {
    let file = try directory.fileSystem.openForReading(directory.path(ofSegment: firstPosition))
    do {
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      _ = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
      if header.isPacked { return try PackedSegment.recordedEnd(scanner) }
      if let seal = try SegmentSeal.find(in: file, header) { return seal.nextSegment }
      var next = firstPosition
      while case .block(let block, _, _) = try scanner.next() { next = block.nextPosition }
      return try SegmentReading.lastNonZero(in: file, from: scanner.offset) == nil ? next : nil
    } catch let error as FileError {
      throw error
    } catch {
      return nil
    }
  }

  /// Sets the file aside.
  ///
  /// - Parameter isDryRun: whether only to report what would be done.
  func setAside(_ options: LogOptions, isDryRun: Bool) throws(FileError) -> RepairReport.Stray {
    let kept = KeptBytes(
      directory: directory, suffix: SegmentName.damagedSuffix, position: firstPosition - 1, time: options.now())
    let name = try kept.freeName()
    let content = bytes == 0 ? "it is empty" : "its \(bytes) bytes hold no header and no block"
    let stray = RepairReport.Stray(
      file: file.path,
      reason: "this is no part of the log: \(content), and the segment before it ends at position \(expected - 1)",
      kept: directory.path(of: name))
    if isDryRun { return stray }
    try kept.keep(0..<bytes, of: file, as: name)
    try directory.fileSystem.remove(file.path)
    try directory.fileSystem.syncDirectory(directory.logPath)
    return stray
  }
}
