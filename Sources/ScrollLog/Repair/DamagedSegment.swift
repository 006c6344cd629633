import ScrollModel

/// A last segment that cannot be opened, with the parts of it that are good.
struct DamagedSegment {
  let firstPosition: Position
  let file: any File
  let damage: LogDamage
  private(set) var head = RepairReport.Head.whole
  private(set) var checkpoint: Checkpoint
  /// The generations up to the checkpoint.
  private(set) var generations: GenerationHistory
  /// The fold over the good blocks.
  private(set) var fold: SegmentFold
  /// The identifier that the checksums of the good blocks depend on.
  private(set) var identifier: UInt64 = 0
  /// The offsets of the blocks to keep.
  private(set) var kept: Range<Int64> = 0..<0
  /// The offsets of the bytes to set aside, from the first bad one on.
  private(set) var aside: Range<Int64> = 0..<0
  /// Whether records are lost, or may be.
  private(set) var isCut = false
  /// The last position, and the sessions, in good blocks after the damage.
  private(set) var lostThrough: Position?
  private(set) var lostSessions: Set<SessionID> = []
  /// The greatest generation found anywhere in the segment.
  private(set) var greatestGeneration: Generation

  /// Reads the last segment of a log.
  ///
  /// - Parameter damage: why the segment cannot be opened.
  /// - Throws: ``OpenError/file(_:)``; ``OpenError/damaged(_:)`` when a newer program wrote the segment.
  init(_ directory: LogDirectory, _ positions: [Position], _ damage: LogDamage) throws(OpenError) {
    self.damage = damage
    firstPosition = positions.last ?? 1
    checkpoint = .empty
    generations = GenerationHistory()
    greatestGeneration = 0
    fold = SegmentFold(.empty, generations, boot: BootID(high: 0, low: 0), syncMode: SyncMode.commit.code)
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
    if let found = try readCheckpoint(&scanner) {
      (checkpoint, generations) = found
      if header == nil { head = .rebuilt }
    } else {
      // Without a good block, any number of blocks may be lost.
      isCut = try !Self.skipCheckpoint(&scanner)
      if let found = try Self.rebuiltCheckpoint(directory, previous, firstPosition) {
        (checkpoint, generations) = found
        head = .rebuilt
      } else {
        checkpoint.position = firstPosition - 1
        generations = GenerationHistory(entries: [.init(generation: header?.generation ?? 1, after: 0)]) ?? generations
        head = .lost
      }
      if let header, header.generation > generations.current {
        generations.entries.append(.init(generation: header.generation, after: firstPosition - 1))
      }
    }
    greatestGeneration = generations.current
    fold = SegmentFold(checkpoint, generations, boot: BootID(high: 0, low: 0), syncMode: SyncMode.commit.code)
    try readBlocks(&scanner)
    let first = head == .whole ? kept.upperBound : damage.offset
    aside = first..<max(first, try SegmentReading.lastNonZero(in: file, from: first).map { $0 + 1 } ?? first)
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

  /// Folds the blocks up to the first bad one, and examines what follows it.
  private mutating func readBlocks(_ scanner: inout SegmentScanner) throws {
    let start = scanner.offset
    kept = start..<start
    // Without a checkpoint it is unknown which sessions the blocks continue, even if some can be folded from an empty one.
    while head != .lost {
      let offset = scanner.offset
      kept = start..<offset
      guard case .block(let header, let bytes, let at) = try scanner.next() else { break }
      do throws(ContentError) {
        try fold.take(header, header.view(bytes, at: at))
      } catch {
        // A part of the block has been folded, so the fold has to be repeated up to the block.
        try foldKept()
        scanner.offset = offset
        break
      }
    }
    greatestGeneration = max(greatestGeneration, fold.generations.current)
    // A segment without its head may have held anything. Otherwise records may be lost if anything follows.
    let hasMore = try SegmentReading.lastNonZero(in: file, from: kept.upperBound) != nil
    isCut = isCut || head == .lost || hasMore
    repeat {
      guard case .block(let header, let bytes, let at) = try scanner.next() else { continue }
      addLost(header, header.view(bytes, at: at))
      while case .block(let header, let bytes, let at) = try scanner.next() {
        addLost(header, header.view(bytes, at: at))
      }
    } while try scanner.skipToNextBlock()
  }

  private mutating func foldKept() throws {
    fold = SegmentFold(checkpoint, generations, boot: BootID(high: 0, low: 0), syncMode: SyncMode.commit.code)
    var scanner = SegmentScanner(file, identifier: identifier, offset: kept.lowerBound)
    while scanner.offset < kept.upperBound, case .block(let header, let bytes, let at) = try scanner.next() {
      try fold.take(header, header.view(bytes, at: at))
    }
  }

  private mutating func addLost(_ header: BlockHeader, _ view: BlockView) {
    switch header.kind {
    case .records:
      lostThrough = max(lostThrough ?? 0, view.lastPosition)
      var records = view.records()
      // Invalid content is set aside like the rest.
      while let stored = try? records.next() { lostSessions.insert(stored.session) }
    case .start:
      var reader = view.reader
      if let mark = try? StartMark.read(&reader) { greatestGeneration = max(greatestGeneration, mark.generation) }
    case .checkpoint, .cleanStop, .snapshotIndex, .packed, .innerCheckpoint, .packedIndex, .indexPlace:
      break
    }
  }
}
