import ScrollModel

/// A segment that cannot be opened, or not be read as a whole, with the parts of it that are good.
struct DamagedSegment {
  let firstPosition: Position
  /// The first position of the segment that follows, or has to; `nil` for the last one, which a daemon writes to.
  let next: Position?
  let file: any File
  let damage: LogDamage
  private(set) var head = RepairReport.Head.whole
  /// The segments that take its place: one, and another one after each gap.
  private(set) var parts: [SalvagedPart] = []
  /// The offsets of the bytes to set aside, and the last position before each.
  private(set) var aside: [(bytes: Range<Int64>, after: Position)] = []
  /// Whether records at its end are lost, or may be.
  private(set) var isCut = false
  /// Whether anything but its head is bad.
  private(set) var isBroken = false
  /// The last position that it is known to have had, if more than the parts keep.
  private(set) var lostThrough: Position?
  /// The sessions that have lost records, as far as that shows.
  private(set) var lostSessions: Set<SessionID> = []
  /// The other sessions that were open where records are lost, and may have lost some.
  private(set) var uncertainSessions: Set<SessionID> = []
  /// The greatest generation found anywhere in the segment.
  private(set) var greatestGeneration: Generation = 0
  /// Its good blocks.
  private(set) var blocks: GoodBlocks?

  /// Reads a segment.
  ///
  /// - Parameters:
  ///   - firstPosition: its first position.
  ///   - end: the first position after those that it has to hold, if another segment follows; `nil` for the last one.
  ///   - damage: why the segment cannot be opened, or what is wrong with it.
  /// - Throws: ``OpenError/file(_:)``; ``OpenError/damaged(_:)`` when a newer program wrote the segment.
  init(
    _ directory: LogDirectory, _ firstPosition: Position, before end: Position?, _ damage: LogDamage
  ) throws(OpenError) {
    self.damage = damage
    self.firstPosition = firstPosition
    do {
      file = try directory.fileSystem.openForReading(directory.path(ofSegment: firstPosition))
      next = try end.map { [file] in try Self.recordedEnd(of: file, firstPosition, before: $0) }
      let positions = try directory.segments()
      try read(directory, positions.filter { $0 < firstPosition }, isFollowed: next.map(positions.contains) ?? false)
    } catch let error as FileError {
      throw .file(error)
    } catch let damage as LogDamage {
      throw .damaged(damage)
    } catch {
      // The calls above throw nothing else.
      throw .damaged(damage)
    }
  }

  /// The positions between the parts, and those at the end of a segment that another one follows.
  var gaps: [ClosedRange<Position>] {
    let starts = parts.dropFirst().map(\.firstPosition) + [next].compactMap(\.self)
    return zip(parts, starts).compactMap { part, next in
      part.lastPosition + 1 < next ? (part.lastPosition + 1)...(next - 1) : nil
    }
  }

  /// Whether there is nothing to repair.
  var isWhole: Bool { head == .whole && parts.count == 1 && gaps.isEmpty && aside.isEmpty }

  /// Returns where the positions of a segment end by what it says itself: even if segments are missing after it, those that it
  /// holds are not.
  private static func recordedEnd(
    of file: any File, _ firstPosition: Position, before next: Position
  ) throws -> Position {
    let header: SegmentHeader
    do {
      header = try SegmentReading.header(of: file, firstPosition: firstPosition)
    } catch is LogDamage {
      return next
    }
    let found =
      try header.isPacked
      ? PackedSegment.recordedEnd(SegmentScanner(file, identifier: header.identifier))
      : SegmentSeal.find(in: file, header)?.nextSegment
    return found.map { $0 > firstPosition ? min($0, next) : next } ?? next
  }

  private mutating func read(_ directory: LogDirectory, _ previous: [Position], isFollowed: Bool) throws {
    let (header, identifier, isHeaderGood) = try readHeader()
    var scanner = SegmentScanner(file, identifier: identifier)
    var standing: Salvage.Standing
    if let found = try readCheckpoint(&scanner) {
      standing = Salvage.Standing(checkpoint: found.0, generations: found.1, isExact: true)
      if !isHeaderGood { head = .rebuilt }
    } else {
      // Without a good block, any number of blocks may be lost.
      isCut = try !Self.skipCheckpoint(&scanner) && next == nil
      standing = try Self.standing(directory, previous, firstPosition, header)
      head = standing.isExact ? .rebuilt : .lost
      if let header, header.generation > standing.generations.current {
        standing.generations.entries.append(.init(generation: header.generation, after: firstPosition - 1))
      }
    }
    // With a bad header, it is unknown whether it is packed.
    let extent = GoodBlocks.Extent(
      offset: scanner.offset, first: firstPosition, next: next, isPacked: header?.isPacked ?? true)
    let blocks = try GoodBlocks(of: file, identifier: identifier, extent)
    self.blocks = blocks
    let snapshots = try? SnapshotFile(directory, firstPosition: firstPosition, identifier: identifier)
    let snapshot = snapshots.map {
      Salvage.Standing(checkpoint: $0.last.checkpoint, generations: $0.last.generations, isExact: true)
    }
    let following = try isFollowed ? Self.head(directory, of: next) : nil
    let known = blocks.checkpoints + [snapshot, following].compactMap(\.self)
    if head != .whole, let generations = known.first?.generations.before(firstPosition) {
      standing.generations = generations
    }
    let salvage = try Salvage(blocks, after: standing, known: known, next: next)
    parts = salvage.parts
    let fold = parts.last.map(\.fold)
    greatestGeneration = max(
      standing.generations.current, blocks.greatestGeneration, fold?.generations.current ?? 0)
    lostSessions = parts.reduce(into: salvage.unusableSessions.union(salvage.sessionsCutAtEnd)) {
      $0.formUnion($1.damaged)
    }
    uncertainSessions = parts.reduce(into: salvage.sessionsUnsureAtEnd) { $0.formUnion($1.uncertain) }
    if let header, let index = try PackedSegment.indexed(file, header)?.index {
      for gap in gaps { lostSessions.formUnion(index.sessions(in: gap)) }
    }
    if next == nil {
      let last = fold?.projection.position ?? firstPosition - 1
      isCut = isCut || blocks.hasBadEnd
      let shown = max(
        snapshots?.syncedTo ?? 0, salvage.unusableEnd, try Self.lastRecorded(scanner, header, extent) ?? 0)
      if shown > last { (isCut, lostThrough) = (true, shown) }
      if isCut, let fold { uncertainSessions.formUnion(fold.projection.checkpoint().sessions.map(\.id)) }
    }
    uncertainSessions.subtract(lostSessions)
    isBroken = isCut || head == .lost || parts.count > 1 || !blocks.bad.isEmpty || !salvage.unusable.isEmpty
    var bad = blocks.bad + salvage.unusable
    if head != .whole {
      let fileEnd = try SegmentReading.lastNonZero(in: file, from: 0).map { $0 + 1 } ?? 0
      let end = blocks.stretches.first?.ranges.first?.lowerBound ?? fileEnd
      let badHead = damage.offset..<max(damage.offset, end)
      bad = bad.filter { $0.lowerBound >= badHead.upperBound } + [badHead]
    }
    bad.sort { $0.lowerBound < $1.lowerBound }
    aside = bad.map { range in
      let before = parts.last { ($0.stretch.ranges.first?.lowerBound ?? .max) < range.lowerBound }
      return (range, before?.lastPosition ?? firstPosition - 1)
    }
  }

  /// Returns the last position of a packed segment that no other one follows, from its index; `nil` if that does not show it.
  private static func lastRecorded(
    _ scanner: SegmentScanner, _ header: SegmentHeader?, _ extent: GoodBlocks.Extent
  ) throws(FileError) -> Position? {
    guard extent.isPacked, header != nil else { return nil }
    var scanner = scanner
    scanner.offset = extent.offset
    return try PackedSegment.recordedEnd(scanner).map { $0 - 1 }
  }

  /// Reads what the next segment begins with; `nil` if that is bad as well.
  private static func head(_ directory: LogDirectory, of next: Position?) throws -> Salvage.Standing? {
    guard let next else { return nil }
    do {
      let file = try directory.fileSystem.openForReading(directory.path(ofSegment: next))
      let header = try SegmentReading.header(of: file, firstPosition: next)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: next)
      return Salvage.Standing(checkpoint: checkpoint, generations: generations, isExact: true)
    } catch is LogDamage {
      return nil
    }
  }

  /// Returns what is known where the segment begins, from the previous ones.
  private static func standing(
    _ directory: LogDirectory, _ previous: [Position], _ first: Position, _ header: SegmentHeader?
  ) throws -> Salvage.Standing {
    if first == 1 {
      // The log begins at position 1.
      let generations = GenerationHistory(first: header?.generation ?? 1)
      return Salvage.Standing(checkpoint: .empty, generations: generations, isExact: true)
    }
    if let (checkpoint, generations) = try rebuiltCheckpoint(directory, previous.last, first) {
      return Salvage.Standing(checkpoint: checkpoint, generations: generations, isExact: true)
    }
    var checkpoint = Checkpoint.empty
    checkpoint.position = first - 1
    let generations = try generations(directory, previous, first, header)
    return Salvage.Standing(checkpoint: checkpoint, generations: generations, isExact: false)
  }

  /// Returns the generations before a position, as far as the heads of the segments show them.
  private static func generations(
    _ directory: LogDirectory, _ previous: [Position], _ first: Position, _ header: SegmentHeader?
  ) throws -> GenerationHistory {
    var found: [GenerationHistory.Entry] = []
    func add(_ generation: Generation, before position: Position) {
      if generation > found.last?.generation ?? 0 {
        found.append(.init(generation: generation, after: found.isEmpty ? 0 : position - 1))
      }
    }
    for position in previous {
      if let head = try Self.head(directory, of: position)?.generations, head.current >= found.last?.generation ?? 0 {
        found = head.entries
      } else {
        let file = try directory.fileSystem.openForReading(directory.path(ofSegment: position))
        do {
          add(try SegmentReading.header(of: file, firstPosition: position).generation, before: position)
        } catch let error as FileError {
          throw error
        } catch {}
      }
    }
    if let header { add(header.generation, before: first) }
    return GenerationHistory(entries: found) ?? GenerationHistory()
  }

  /// Reads the header. Even the identifier of a bad header is used: if the checksums of blocks match it, it is right.
  ///
  /// - Returns: the header, `nil` if more than a bit of it is wrong; the identifier that the checksums of the blocks depend on; and
  ///   whether the header is good as it is.
  private func readHeader() throws -> (SegmentHeader?, identifier: UInt64, isGood: Bool) {
    let bytes = Bytes(capacity: SegmentHeader.size)
    let buffer = UnsafeMutableRawBufferPointer(start: bytes.base, count: bytes.capacity)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    _ = try file.read(at: 0, into: buffer)
    let identifier = SegmentHeader.storedIdentifier(bytes)
    do {
      let header = try SegmentHeader.decode(bytes)
      let isGood = header.firstPosition == firstPosition
      return (isGood ? header : nil, identifier, isGood)
    } catch {
      switch error {
      case .notASegment, .badChecksum:
        let header = SegmentHeader.corrected(bytes).flatMap { $0.firstPosition == firstPosition ? $0 : nil }
        return (header, header?.identifier ?? identifier, false)
      // This is not damage, and this program must not touch the segment.
      case .unknownVersion, .unknownFeatures: throw damage
      }
    }
  }

  private func readCheckpoint(_ scanner: inout SegmentScanner) throws -> (Checkpoint, GenerationHistory)? {
    do {
      return try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    } catch is LogDamage {
      return nil
    }
  }

  /// Moves to the first good block that is not part of a checkpoint, or else to the end of the file.
  ///
  /// - Returns: whether there is such a block.
  private static func skipCheckpoint(_ scanner: inout SegmentScanner) throws -> Bool {
    scanner.offset = Int64(SegmentHeader.size)
    while true {
      if let header = try scanner.peek() {
        if header.kind != .checkpoint, case .block = try scanner.next() {
          scanner.offset -= Int64(header.length)
          return true
        }
      }
      if try !scanner.skipToNextBlock() {
        scanner.offset = try scanner.file.size()
        return false
      }
    }
  }

  /// Computes the checkpoint at the head of a segment from the previous segment.
  ///
  /// - Returns: `nil` if that one is missing or damaged.
  private static func rebuiltCheckpoint(
    _ directory: LogDirectory, _ previous: Position?, _ firstPosition: Position
  ) throws -> (Checkpoint, GenerationHistory)? {
    guard let previous else { return nil }
    do {
      let file = try directory.fileSystem.openForReading(directory.path(ofSegment: previous))
      let header = try SegmentReading.header(of: file, firstPosition: previous)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: previous)
      var fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
      var blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
      while case .block(let header, let bytes, let at) = try blocks.readNext() {
        try fold.take(header, header.view(bytes, at: at))
      }
      guard fold.projection.position == firstPosition - 1 else { return nil }
      return (fold.projection.checkpoint(), fold.generations)
    } catch let error as FileError {
      throw error
    } catch {
      // The previous segment is damaged as well.
      return nil
    }
  }
}
