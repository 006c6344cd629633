// Makes the last segment fit to be written to.

import ScrollModel

/// Makes the last segment fit to be written to: marks the start where the last stop was in order, else writes its good
/// part to a new file.
struct SegmentRecovery {
  let directory: LogDirectory
  let options: LogOptions
  let segment: LastSegment

  /// Recovers the segment.
  ///
  /// - Returns: what goes on writing to it, and the generations with the one that began, if one did.
  func run(_ notes: inout [RecoveryNote]) throws(OpenError) -> (SegmentWriter, GenerationHistory) {
    if segment.isCleanlyStopped { return (try goOn(), segment.generations) }
    do throws(FileError) {
      if let torn = segment.torn {
        let kept = try keep(torn.bytes)
        let damage = LogDamage(file: segment.path, offset: torn.bytes.lowerBound, reason: torn.reason)
        notes.append(.cutTornTail(damage, bytes: Int64(torn.bytes.count), after: last, kept: kept))
      }
      var generations = segment.generations
      if let reason = generationReason {
        let entry = GenerationHistory.Entry(generation: generations.current + 1, after: last)
        generations.entries.append(entry)
        notes.append(.newGeneration(entry.generation, after: last, reason))
      }
      let writer = try rewrite(generations)
      notes.append(.recovered(file: segment.path, through: last))
      return (writer, generations)
    } catch {
      throw .file(error)
    }
  }

  private var last: Position { segment.projection.position }

  /// Why somebody may have seen what is no longer there; `nil` when nobody can have.
  private var generationReason: RecoveryNote.GenerationReason? {
    if segment.torn != nil { return .tornTail }
    let wasSeenUnsynced = segment.syncMode != SyncMode.commit.code && segment.boot != options.boot
    return wasSeenUnsynced ? .unsynced : nil
  }

  private func goOn() throws(OpenError) -> SegmentWriter {
    let file: any File
    do throws(FileError) {
      file = try directory.fileSystem.openForWriting(segment.path)
    } catch {
      throw .file(error)
    }
    let writer = writer(file, segment.header, end: segment.end, segment.generations)
    do throws(WriteError) {
      try writer.start()
    } catch {
      throw .write(error)
    }
    return writer
  }

  /// Copies the good blocks into a new file that takes the segment's place, under a new identifier, so that nothing that
  /// stands on the disk from before can ever pass for a part of it.
  private func rewrite(_ generations: GenerationHistory) throws(FileError) -> SegmentWriter {
    var header = segment.header
    header.identifier = options.identifier()
    header.created = options.now()
    header.boot = options.boot
    header.syncMode = options.syncMode.code
    let (file, end) = try directory.createWhole(SegmentName.of(header.firstPosition)) { file throws(FileError) in
      try copy(to: file, header, generations)
    }
    return writer(file, header, end: end, generations)
  }

  /// Writes header, good blocks and a start mark. All of it is synced before anybody sees it, and the blocks say so.
  private func copy(
    to file: any File, _ header: SegmentHeader, _ generations: GenerationHistory
  ) throws(FileError) -> Int64 {
    var writer = ByteWriter(capacity: Self.chunk)
    var written: Int64 = 0
    header.encode(into: &writer)
    var scanner = SegmentScanner(segment.file, identifier: segment.header.identifier)
    var received: Int64 = 0
    while scanner.offset < segment.end {
      // These blocks were good a moment ago.
      guard case .block(let block, let bytes, let at) = try scanner.next() else {
        throw FileError(.read, path: segment.path, code: .inputOutput)
      }
      var framed = block
      framed.syncedTo = block.firstPosition - 1
      framed.syncedOffset = written + Int64(writer.count)
      received = block.received
      FramedBlock.append(framed, identifier: header.identifier, to: &writer) { writer in
        bytes.withBytes(at + BlockHeader.size, block.payloadLength) { writer.append($0) }
      }
      if writer.count >= Self.chunk { try flush(&writer, to: file, &written) }
    }
    let mark = StartMark(generation: generations.current, boot: options.boot, syncMode: options.syncMode.code)
    let framed = BlockHeader(
      payloadLength: 0, kind: .start, recordCount: 0, firstPosition: last + 1, received: received, syncedTo: last,
      syncedOffset: written + Int64(writer.count))
    FramedBlock.append(framed, identifier: header.identifier, to: &writer) { mark.encode(into: &$0) }
    try flush(&writer, to: file, &written)
    return written
  }

  private static let chunk = 1 << 20

  private func flush(_ writer: inout ByteWriter, to file: any File, _ written: inout Int64) throws(FileError) {
    try writer.bytes.withBytes(0, writer.count) { (bytes) throws(FileError) in try file.write(bytes, at: written) }
    written += Int64(writer.count)
    writer.truncate(to: 0)
  }

  /// Keeps bytes that will be cut in a file of their own: the segment's header, the offset, the number of bytes, the bytes.
  ///
  /// - Returns: the file's path.
  private func keep(_ bytes: Range<Int64>) throws(FileError) -> String {
    let taken = Set(try directory.fileSystem.list(directory.logPath))
    let time = options.now()
    var attempt = 0
    var name = SegmentName.torn(after: last, time: time, attempt: attempt)
    while taken.contains(name) {
      attempt += 1
      name = SegmentName.torn(after: last, time: time, attempt: attempt)
    }
    _ = try directory.createWhole(name) { file throws(FileError) in try copyTail(bytes, to: file) }
    return directory.path(of: name)
  }

  private func copyTail(_ bytes: Range<Int64>, to file: any File) throws(FileError) -> Int64 {
    var writer = ByteWriter(capacity: Self.chunk)
    var written: Int64 = 0
    segment.header.encode(into: &writer)
    writer.append(bytes.lowerBound)
    writer.append(Int64(bytes.count))
    var offset = bytes.lowerBound
    while offset < bytes.upperBound {
      let count = Int(min(bytes.upperBound - offset, Int64(Self.chunk)))
      writer.reserve(count)
      let read = try segment.file.read(
        at: offset, into: UnsafeMutableRawBufferPointer(start: writer.cursor, count: count))
      guard read == count else { throw FileError(.read, path: segment.path, code: .inputOutput) }
      writer.advance(by: count)
      offset += Int64(count)
      try flush(&writer, to: file, &written)
    }
    return written
  }

  private func writer(
    _ file: any File, _ header: SegmentHeader, end: Int64, _ generations: GenerationHistory
  ) -> SegmentWriter {
    SegmentWriter(
      directory, options, generations, file: file, header: header, end: end, written: last,
      received: segment.projection.received)
  }
}
