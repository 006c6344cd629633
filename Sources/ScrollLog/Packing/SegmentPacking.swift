import ScrollModel

/// Writes a sealed segment anew, packed, by one renaming. Whoever reads the old file reads on in it.
struct SegmentPacking {
  let directory: LogDirectory
  let options: LogOptions
  let firstPosition: Position

  /// Does it. What was done before is found done, unless its index is bad.
  ///
  /// - Parameter isCancelled: is asked at each block whether it shall come to nothing.
  /// - Returns: how large the segment is then; `nil` when it is gone.
  /// - Throws: ``PackingError``; then the segment is as it was, but for ``PackingError/unsynced(bytes:_:)``.
  func run(isCancelled: () -> Bool = { false }) throws(PackingError) -> Int64? {
    let name = SegmentName.of(firstPosition)
    do {
      let size = try pack(name, isCancelled)
      // Those beside the segment are of the old file.
      try directory.removeIfThere(directory.path(ofSnapshots: firstPosition))
      // Also where nothing was to be done, since an earlier try may have ended before this.
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

  /// How large the segment is when it stands there packed with a good index, since what failed may have come after the
  /// renaming; `nil` also where that can't be told: then the failure before it is what counts.
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
      // Retention was faster.
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
        let reason = "position \(writer.nextPosition) is missing behind all blocks"
        throw LogDamage(file: file.path, offset: 0, reason: reason)
      }
      return try writer.finish()
    }
  }
}
