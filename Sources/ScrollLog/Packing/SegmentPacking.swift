import ScrollModel

/// The packing of a sealed segment. The packed file replaces the old one in a single rename; readers that have the old file
/// open continue in it.
struct SegmentPacking {
  let directory: LogDirectory
  let options: LogOptions
  let firstPosition: Position

  /// Packs the segment. A packed segment does not change unless its index is bad.
  ///
  /// - Parameter isCancelled: called at each block; packing stops once it returns true.
  /// - Returns: the new size of the segment; `nil` when it no longer exists.
  /// - Throws: ``PackingError``. The segment is then unchanged, except after ``PackingError/unsynced(bytes:_:)``.
  func run(isCancelled: () -> Bool = { false }) throws(PackingError) -> Int64? {
    let name = SegmentName.of(firstPosition)
    do {
      let size = try pack(name, isCancelled)
      // The snapshots are of the old file.
      try directory.removeIfThere(directory.path(ofSnapshots: firstPosition))
      // Even if the segment was already packed, since an earlier attempt may have ended before this.
      try directory.fileSystem.syncDirectory(directory.logPath)
      return size
    } catch let error as PackingError {
      throw error
    } catch {
      let failure = ReadError(error, file: directory.path(of: name), offset: 0)
      if let bytes = packedSize(name) { throw .unsynced(bytes: bytes, failure) }
      throw .failed(failure)
    }
  }

  /// Returns the size of the segment if it is packed and its index is good, since the failure may have come after the
  /// rename; `nil` also if that is unknown.
  private func packedSize(_ name: String) -> Int64? {
    guard let file = try? directory.fileSystem.openForReading(directory.path(of: name)),
      let header = try? SegmentReading.header(of: file, firstPosition: firstPosition), header.isPacked,
      let positions = try? directory.positions(ofSealed: firstPosition),
      let isIndexed = try? PackedSegment.isIndexed(file, header, holding: positions), isIndexed
    else { return nil }
    return try? file.size()
  }

  private func pack(_ name: String, _ isCancelled: () -> Bool) throws -> Int64? {
    let file: any File
    do throws(FileError) {
      file = try directory.fileSystem.openForReading(directory.path(of: name))
    } catch {
      // Retention has removed the segment.
      if error.code == .noSuchFile { return nil }
      throw error
    }
    var header = try SegmentReading.header(of: file, firstPosition: firstPosition)
    let positions = try directory.positions(ofSealed: firstPosition)
    let wasPacked = header.isPacked
    if wasPacked, try PackedSegment.isIndexed(file, header, holding: positions) { return try file.size() }
    var scanner = SegmentScanner(file, identifier: header.identifier)
    let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    header.identifier = options.identifier()
    header.created = options.now()
    return try directory.replaceWhole(name) { new in
      var writer = PackedSegmentWriter(to: new, header, checkpoint, generations, options)
      var blocks = SegmentBlocks(scanner, isPacked: wasPacked)
      try blocks.readAll(of: positions) {
        if isCancelled() { throw PackingError.cancelled }
        try writer.append($0, $1)
      }
      guard writer.nextPosition == positions.upperBound else {
        let reason = "position \(writer.nextPosition) is missing after the last block"
        throw LogDamage(file: file.path, offset: 0, reason: reason)
      }
      return try writer.finish()
    }
  }
}
