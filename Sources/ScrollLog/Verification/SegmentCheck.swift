import ScrollModel

/// A check of one segment, which continues after bad bytes.
struct SegmentCheck {
  private let directory: LogDirectory
  private let firstPosition: Position
  /// The first position of the segment after this one; `nil` for the last one.
  private let nextSegment: Position?
  /// Whether a packed segment without a next one is no loss.
  private let mayEndPacked: Bool
  /// The position after the last one that the segment has to hold, if it is known.
  private var end: Position?
  private var nextPosition: Position
  /// The check of a packed segment's inner checkpoints and index; `nil` if the segment is not packed.
  private var derived: DerivedCheck?
  /// Whether records are missing or out of reach for readers.
  private var isMissingRecords = false
  /// The segment that the seal names, and the offset of the seal.
  private var seal: (nextSegment: Position, offset: Int64)?
  private(set) var found: SegmentVerification

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - nextSegment: the first position of the segment after this one; `nil` for the last one.
  ///   - mayEndPacked: whether not to report that the next segment is missing if this one is packed and the last one.
  init(
    _ directory: LogDirectory, firstPosition: Position, nextSegment: Position?, mayEndPacked: Bool = false
  ) {
    self.directory = directory
    self.firstPosition = firstPosition
    self.nextSegment = nextSegment
    self.mayEndPacked = mayEndPacked
    end = nextSegment
    nextPosition = firstPosition
    let path = directory.path(ofSegment: firstPosition)
    found = SegmentVerification(file: path, firstPosition: firstPosition)
  }

  mutating func run() throws(FileError) {
    let file = try directory.fileSystem.openForReading(found.file)
    try check(file)
    if !found.problems.isEmpty { found.damage = try damage(of: file) }
  }

  /// Returns what the problems cost.
  private func damage(of file: any File) throws(FileError) -> SegmentVerification.Damage {
    guard let end, !isMissingRecords, nextPosition == end else { return .records }
    guard let derived else { return .derived(isRebuilt: true) }
    let positions = firstPosition..<end
    return .derived(isRebuilt: try !PackedSegment.isIndexed(file, derived.header, holding: positions))
  }

  private mutating func check(_ file: any File) throws(FileError) {
    var scanner: SegmentScanner
    do {
      let header = try SegmentReading.header(of: file, firstPosition: firstPosition)
      scanner = SegmentScanner(file, identifier: header.identifier)
      let (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
      found.checkpointSessions = checkpoint.sessions.count
      try checkJoin(checkpoint, generations)
      found.isPacked = header.isPacked
      if header.isPacked {
        derived = DerivedCheck(header, checkpoint, generations)
        end = try end ?? PackedSegment.recordedEnd(scanner)
      }
    } catch let error as FileError {
      throw error
    } catch let damage as LogDamage {
      // Without header and checkpoint, nothing after them can be trusted.
      addLoss(damage.offset, damage.reason)
      return
    } catch {
      addLoss(0, "\(error)")
      return
    }
    try checkBlocks(&scanner)
    if let problem = try derived?.indexProblem(of: file, isWhole: found.problems.isEmpty) {
      found.problems.append(problem)
    }
    try checkNext(scanner.offset)
  }

  /// Checks that the segment that has to follow does.
  ///
  /// - Parameter offset: where the blocks end.
  private mutating func checkNext(_ offset: Int64) throws(FileError) {
    if let seal, seal.nextSegment != nextSegment { return try addMissing(seal.nextSegment, at: seal.offset) }
    // A segment is packed only after the next one was begun.
    if found.isPacked, nextSegment == nil, !mayEndPacked, let end { return try addMissing(end, at: offset) }
    guard let nextSegment, found.problems.isEmpty, nextPosition != nextSegment else { return }
    if nextPosition < nextSegment { found.gap = nextPosition...(nextSegment - 1) }
    // Only a repair writes a seal that names a segment further on.
    found.isGapRepaired = found.gap != nil && seal?.nextSegment == nextSegment
    if found.isGapRepaired { return }
    if found.isPacked, found.gap != nil { return try addMissing(nextPosition, at: offset) }
    addLoss(
      offset, "the segment ends after position \(nextPosition - 1), but the next one begins at \(nextSegment)")
  }

  /// Adds the loss of the segment that has to follow.
  private mutating func addMissing(_ first: Position, at offset: Int64) throws(FileError) {
    // A running daemon may have begun it after the segments were listed.
    if nextSegment == nil, try directory.segments().contains(first) { return }
    let isOnlyLoss = found.problems.isEmpty
    let last = nextSegment.map { $0 - 1 }
    let through = last.map { $0 > first ? ", with positions up to \($0)" : "" } ?? ""
    addLoss(offset, "the segment that begins at position \(first) is missing after this one\(through)")
    guard isOnlyLoss, last ?? first >= first else { return }
    found.missing = MissingSegments(
      file: directory.path(ofSegment: first), firstPosition: first, lastPosition: last)
  }

  /// Checks that the next segment continues this one, and does not belong to another log.
  private mutating func checkJoin(_ checkpoint: Checkpoint, _ generations: GenerationHistory) throws(FileError) {
    guard let nextSegment else { return }
    let next: (checkpoint: Checkpoint, generations: GenerationHistory)
    do {
      let file = try directory.fileSystem.openForReading(directory.path(ofSegment: nextSegment))
      let header = try SegmentReading.header(of: file, firstPosition: nextSegment)
      var scanner = SegmentScanner(file, identifier: header.identifier)
      next = try SegmentReading.checkpoint(&scanner, firstPosition: nextSegment)
    } catch let error as FileError {
      // A running daemon may have removed it in the meantime.
      if error.code == .noSuchFile { return }
      throw error
    } catch {
      // The check of that segment reports it.
      return
    }
    let openings = Dictionary(uniqueKeysWithValues: checkpoint.sessions.map { ($0.id, $0.openedPosition) })
    let isSame = next.checkpoint.sessions.allSatisfy {
      openings[$0.id, default: $0.openedPosition] == $0.openedPosition
    }
    if next.generations.entries.starts(with: generations.entries), isSame { return }
    found.isForeign = true
    addLoss(
      0,
      "the segment that begins at position \(nextSegment) does not continue this one: one of them belongs to another log"
    )
  }

  private mutating func checkBlocks(_ scanner: inout SegmentScanner) throws(FileError) {
    while true {
      let offset = scanner.offset
      switch try scanner.next() {
      case .block(let header, let bytes, let at): check(header, header.view(bytes, at: at), at: offset)
      case .end:
        guard try SegmentReading.lastNonZero(in: scanner.file, from: offset) != nil else { return }
        if try !resume(&scanner, SegmentVerification.Problem(offset: offset, reason: "a block is missing here")) {
          return
        }
      case .bad(let problem):
        if try !resume(&scanner, SegmentVerification.Problem(offset: offset, reason: "\(problem)")) { return }
      }
    }
  }

  /// Moves to the next good block after bad bytes, and decides what they mean.
  ///
  /// - Returns: whether there is such a block.
  private mutating func resume(
    _ scanner: inout SegmentScanner, _ problem: SegmentVerification.Problem
  ) throws(FileError) -> Bool {
    derived?.loseTrack()
    let hasMore = try scanner.skipToNextBlock()
    // A packed segment is never written to, even if it is the last one.
    if nextSegment != nil || found.isPacked {
      // Readers find what follows bad bytes only in a packed segment.
      if !found.isPacked, let end, nextPosition < end { isMissingRecords = true }
      found.problems.append(problem)
      return hasMore
    }
    // In the last segment, bad bytes are damage only if a later block says that they were synced.
    let next = scanner.offset
    var isSynced = false
    while hasMore, !isSynced {
      if case .block(let header, _, _) = try scanner.next() {
        isSynced = header.syncedOffset > problem.offset
      } else if try !scanner.skipToNextBlock() {
        break
      }
    }
    if isSynced {
      // A running daemon may have finished the write in the meantime. Then the block is good by now.
      scanner.offset = problem.offset
      if case .block = try scanner.next() {
        scanner.offset = problem.offset
        return true
      }
      scanner.offset = next
      found.problems.append(problem)
      return true
    }
    found.unfinished = problem
    return false
  }

  private mutating func check(_ header: BlockHeader, _ view: BlockView, at offset: Int64) {
    do throws(ContentError) {
      switch header.kind {
      case .records, .start, .cleanStop, .seal, .checkpoint, .snapshotIndex: try checkContent(header, view, offset)
      case .packed: try checkPacked(header, view, offset)
      case .innerCheckpoint:
        try checkDerived(header) { (check) throws(ContentError) in try check.addCheckpoint(header, view, at: offset) }
      case .packedIndex, .indexPlace: try checkDerived(header) { _ in }
      }
    } catch {
      switch header.kind {
      case .innerCheckpoint, .packedIndex, .indexPlace:
        found.problems.append(SegmentVerification.Problem(offset: offset, reason: "\(error)"))
        if derived == nil { isMissingRecords = true }
      case .records, .start, .cleanStop, .seal, .checkpoint, .snapshotIndex, .packed:
        addLoss(offset, "\(error)")
      }
      derived?.loseTrack()
    }
  }

  private mutating func checkPacked(_ header: BlockHeader, _ view: BlockView, _ offset: Int64) throws(ContentError) {
    try checkDerived(header) { _ in }
    let unpacked = try ColumnUnpacker.unpack(header, view.reader, offset: offset)
    for (block, at) in unpacked.blocks { try checkContent(block, block.view(unpacked.bytes, at: at), offset) }
    try derived?.add(header, unpacked, at: offset)
  }

  /// Checks a block of a kind that only packed segments have.
  private mutating func checkDerived(
    _ header: BlockHeader, _ body: (inout DerivedCheck) throws(ContentError) -> Void
  ) throws(ContentError) {
    guard derived != nil else { throw .badValue(field: "block kind", value: UInt64(header.kind.rawValue)) }
    try header.validate()
    if var check = derived {
      derived = nil
      defer { derived = check }
      try body(&check)
    }
  }

  private mutating func checkContent(_ header: BlockHeader, _ view: BlockView, _ offset: Int64) throws(ContentError) {
    found.blocks += 1
    if header.firstPosition != nextPosition {
      isMissingRecords = true
      if found.problems.isEmpty {
        addLoss(offset, "\(ContentError.positionGap(expected: nextPosition, found: header.firstPosition))")
      }
    }
    nextPosition = header.nextPosition
    try header.validate()
    switch header.kind {
    case .records:
      var records = view.records()
      while try records.next() != nil { found.records += 1 }
      found.lastPosition = view.lastPosition
    case .start:
      var reader = view.reader
      _ = try StartMark.read(&reader)
    case .cleanStop:
      break
    case .seal:
      var reader = view.reader
      seal = (try SegmentSeal.read(&reader).nextSegment, offset)
    case .checkpoint, .snapshotIndex:
      throw .badCheckpoint
    case .packed, .innerCheckpoint, .packedIndex, .indexPlace:
      throw .badValue(field: "block kind", value: UInt64(header.kind.rawValue))
    }
  }

  /// Adds a problem that costs records.
  private mutating func addLoss(_ offset: Int64, _ reason: String) {
    isMissingRecords = true
    found.problems.append(SegmentVerification.Problem(offset: offset, reason: reason))
  }
}
