import ScrollModel

/// A last segment that cannot be opened, and what of it can be believed.
struct DamagedSegment {
  let firstPosition: Position
  let file: any File
  let damage: LogDamage
  private(set) var head = RepairReport.Head.whole
  private(set) var checkpoint: Checkpoint
  /// The generations up to the checkpoint.
  private(set) var generations: GenerationHistory
  /// What the good blocks fold to.
  private(set) var fold: SegmentFold
  /// What seeds the checksums of the good blocks.
  private(set) var identifier: UInt64 = 0
  /// Where the blocks are that stay.
  private(set) var kept: Range<Int64> = 0..<0
  /// What is set aside, from the first bad byte on.
  private(set) var aside: Range<Int64> = 0..<0
  /// Records are lost, or may be.
  private(set) var isCut = false
  /// The last position and the sessions in good blocks among what is lost.
  private(set) var lostThrough: Position?
  private(set) var lostSessions: Set<SessionID> = []
  /// The greatest generation that is told anywhere.
  private(set) var greatestGeneration: Generation

  /// Reads the last of a log's segments.
  ///
  /// - Parameter damage: why it cannot be opened.
  /// - Throws: ``OpenError/file(_:)``, and ``OpenError/damaged(_:)`` when a newer program wrote it.
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
      // Where no block is good, there may have been any.
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

  /// Reads the header. Of a bad one the identifier is taken all the same: where blocks have right checksums by it, it is
  /// right.
  ///
  /// - Returns: `nil` for a bad one.
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
      // That is no damage, and this program must not touch it.
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

  /// Goes to the first good block that is none of a checkpoint, else to the end of the file.
  ///
  /// - Returns: whether there is one.
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

  /// The checkpoint that a segment begins with, by the segment before it.
  ///
  /// - Returns: `nil` when that is gone or damaged.
  private static func rebuiltCheckpoint(
    _ directory: LogDirectory, _ previous: Position?, _ firstPosition: Position
  ) throws -> (Checkpoint, GenerationHistory)? {
    // Before position 1 there is nothing.
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
      // Damaged as well.
      return nil
    }
  }

  /// Folds the blocks up to the first that cannot be believed, and looks at what stands behind.
  private mutating func readBlocks(_ scanner: inout SegmentScanner) throws {
    let start = scanner.offset
    kept = start..<start
    // Without a checkpoint nobody knows which sessions the blocks go on with, even where some fold on an empty one.
    while head != .lost {
      let offset = scanner.offset
      kept = start..<offset
      guard case .block(let header, let bytes, let at) = try scanner.next() else { break }
      do throws(ContentError) {
        try fold.take(header, header.view(bytes, at: at))
      } catch {
        // A part of the block is folded, so that all has to be folded again up to it.
        try foldKept()
        scanner.offset = offset
        break
      }
    }
    greatestGeneration = max(greatestGeneration, fold.generations.current)
    // Without its head a segment may have held anything; else what counts is whether anything stands behind.
    let hasMore = try SegmentReading.lastNonZero(in: file, from: kept.upperBound) != nil
    isCut = isCut || head == .lost || hasMore
    repeat {
      guard case .block(let header, let bytes, let at) = try scanner.next() else { continue }
      noteLost(header, header.view(bytes, at: at))
      while case .block(let header, let bytes, let at) = try scanner.next() {
        noteLost(header, header.view(bytes, at: at))
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

  private mutating func noteLost(_ header: BlockHeader, _ view: BlockView) {
    switch header.kind {
    case .records:
      lostThrough = max(lostThrough ?? 0, view.lastPosition)
      var records = view.records()
      // A content that makes no sense tells nothing, and is kept like all the rest.
      while let stored = try? records.next() { lostSessions.insert(stored.session) }
    case .start:
      var reader = view.reader
      if let mark = try? StartMark.read(&reader) { greatestGeneration = max(greatestGeneration, mark.generation) }
    case .checkpoint, .cleanStop, .snapshotIndex, .packed, .innerCheckpoint, .packedIndex, .indexPlace:
      break
    }
  }
}
