import ScrollModel

/// A last segment that cannot be opened, with the parts of it that are good.
struct DamagedSegment {
  let firstPosition: Position
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
  /// The greatest generation found anywhere in the segment.
  private(set) var greatestGeneration: Generation = 0
  /// The identifier that the checksums of the good blocks depend on.
  private(set) var identifier: UInt64 = 0

  /// Reads the last segment of a log.
  ///
  /// - Parameter damage: why the segment cannot be opened.
  /// - Throws: ``OpenError/file(_:)``; ``OpenError/damaged(_:)`` when a newer program wrote the segment.
  init(_ directory: LogDirectory, _ positions: [Position], _ damage: LogDamage) throws(OpenError) {
    self.damage = damage
    firstPosition = positions.last ?? 1
    do {
      file = try directory.fileSystem.openForReading(directory.path(ofSegment: firstPosition))
      try read(directory, before: positions.dropLast().last)
    } catch let error as FileError {
      throw .file(error)
    } catch let damage as LogDamage {
      throw .damaged(damage)
    } catch {
      // The calls above throw nothing else.
      throw .damaged(damage)
    }
  }

  private mutating func read(_ directory: LogDirectory, before previous: Position?) throws {
    let header = try readHeader()
    var scanner = SegmentScanner(file, identifier: identifier)
    var standing: Salvage.Standing
    if let found = try readCheckpoint(&scanner) {
      standing = Salvage.Standing(checkpoint: found.0, generations: found.1, isExact: true)
      if header == nil { head = .rebuilt }
    } else {
      // Without a good block, any number of blocks may be lost.
      isCut = try !Self.skipCheckpoint(&scanner)
      standing = try Self.standing(directory, previous, firstPosition, header)
      head = standing.isExact ? .rebuilt : .lost
      if let header, header.generation > standing.generations.current {
        standing.generations.entries.append(.init(generation: header.generation, after: firstPosition - 1))
      }
    }
    let start = scanner.offset
    let blocks = try GoodBlocks(of: file, identifier: identifier, from: start, firstPosition: firstPosition)
    let snapshots = try? SnapshotFile(directory, firstPosition: firstPosition, identifier: identifier)
    let snapshot = snapshots.map {
      Salvage.Standing(checkpoint: $0.last.checkpoint, generations: $0.last.generations, isExact: true)
    }
    let salvage = try Salvage(blocks, after: standing, snapshot: snapshot)
    parts = salvage.parts
    let fold = parts.last.map(\.fold)
    greatestGeneration = max(
      standing.generations.current, blocks.greatestGeneration, fold?.generations.current ?? 0)
    lostSessions = parts.reduce(into: salvage.unusableSessions) { $0.formUnion($1.damaged) }
    let last = fold?.projection.position ?? firstPosition - 1
    isCut = isCut || blocks.hasBadEnd
    let shown = max(snapshots?.syncedTo ?? 0, salvage.unusableEnd)
    if shown > last { (isCut, lostThrough) = (true, shown) }
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

  /// Returns what is known where the segment begins, from the previous one.
  private static func standing(
    _ directory: LogDirectory, _ previous: Position?, _ first: Position, _ header: SegmentHeader?
  ) throws -> Salvage.Standing {
    if let (checkpoint, generations) = try rebuiltCheckpoint(directory, previous, first) {
      return Salvage.Standing(checkpoint: checkpoint, generations: generations, isExact: true)
    }
    var checkpoint = Checkpoint.empty
    checkpoint.position = first - 1
    let generations = GenerationHistory(first: header?.generation ?? 1)
    return Salvage.Standing(checkpoint: checkpoint, generations: generations, isExact: false)
  }

  /// Reads the header. Even the identifier of a bad header is used: if the checksums of blocks match it, it is right.
  ///
  /// - Returns: `nil` if the header is bad.
  private mutating func readHeader() throws -> SegmentHeader? {
    let bytes = Bytes(capacity: SegmentHeader.size)
    let buffer = UnsafeMutableRawBufferPointer(start: bytes.base, count: bytes.capacity)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    _ = try file.read(at: 0, into: buffer)
    identifier = SegmentHeader.storedIdentifier(bytes)
    do {
      let header = try SegmentHeader.decode(bytes)
      return header.firstPosition == firstPosition ? header : nil
    } catch {
      switch error {
      case .notASegment, .badChecksum: return nil
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
    // The log begins at position 1.
    if firstPosition == 1 { return (.empty, GenerationHistory()) }
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
