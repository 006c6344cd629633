import ScrollModel

/// The repair of a damaged segment: sets the bad bytes aside and rewrites the good blocks, as a segment that ends at the first
/// gap, and another one after each gap.
struct SegmentRepair {
  let directory: LogDirectory
  let options: LogOptions
  let segment: DamagedSegment

  private var last: Position { segment.parts.last?.lastPosition ?? segment.firstPosition - 1 }

  /// Repairs the segment.
  ///
  /// - Parameter isDryRun: whether only to report what a repair would do.
  /// - Returns: what was done, or would be done.
  func run(isDryRun: Bool) throws(FileError) -> RepairReport.Repair {
    let time = options.now()
    let generation = generation(at: time)
    var names: [String] = []
    for (_, position) in segment.aside {
      let kept = KeptBytes(directory: directory, suffix: SegmentName.damagedSuffix, position: position, time: time)
      names.append(try kept.freeName(except: names))
    }
    let repair = RepairReport.Repair(
      damage: segment.damage, head: segment.head, isSealed: segment.next != nil, keptThrough: last, gaps: segment.gaps,
      isCut: segment.isCut,
      lostThrough: segment.lostThrough,
      lostSessions: Self.sorted(segment.lostSessions), uncertainSessions: Self.sorted(segment.uncertainSessions),
      records: segment.parts.reduce(0) { $0 + $1.lastPosition - $1.firstPosition + 1 },
      bytes: segment.aside.reduce(0) { $0 + Int64($1.bytes.count) }, kept: names.map { directory.path(of: $0) },
      generation: generation)
    if isDryRun { return repair }
    _ = try directory.removeUnfinished()
    for ((bytes, position), name) in zip(segment.aside, names) {
      let kept = KeptBytes(directory: directory, suffix: SegmentName.damagedSuffix, position: position, time: time)
      try kept.keep(bytes, of: segment.file, as: name)
    }
    let completion = RepairCompletion(directory: directory)
    for (index, part) in segment.parts.enumerated().dropFirst() {
      _ = try directory.createWhole(RepairCompletion.name(of: part.firstPosition)) { file throws(FileError) in
        try write(part, next: next(after: index), generation, to: file)
      }
    }
    if let first = segment.parts.first {
      // From here on the repair is done, even if it is interrupted.
      _ = try directory.createWhole(SegmentName.of(segment.firstPosition)) { file throws(FileError) in
        try write(first, next: next(after: 0), generation, to: file)
      }
    }
    try completion.run()
    // They are of the old file. Until it is replaced, they say what was lost. Those of the last segment stay.
    if segment.next == nil {
      try directory.removeSnapshots(except: nil)
    } else {
      try directory.removeIfThere(directory.path(ofSnapshots: segment.firstPosition))
    }
    return repair
  }

  private func next(after index: Int) -> Position? {
    index + 1 < segment.parts.count ? segment.parts[index + 1].firstPosition : segment.next
  }

  /// Returns the generation that begins; `nil` if only the head was bad, or if other segments follow: the positions in them stay
  /// what they were, and the lost ones are not used again.
  private func generation(at time: Int64) -> Generation? {
    segment.isBroken && segment.next == nil
      ? GenerationHistory.generation(beyond: segment.greatestGeneration, now: time) : nil
  }

  private static func sorted(_ sessions: Set<SessionID>) -> [SessionID] {
    sessions.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
  }

  private func write(
    _ part: SalvagedPart, next: Position?, _ generation: Generation?, to file: any File
  ) throws(FileError) -> Int64 {
    let head = SegmentHead(part.checkpoint, part.generations, options)
    var copy = SegmentCopy(to: file, head.header)
    copy.append(part.checkpoint, part.generations)
    try read(part) { header, view throws(FileError) in try copy.append(header, view) }
    let received = part.fold.projection.received
    if let next {
      copy.append(SegmentSeal(nextSegment: next), after: part.lastPosition, received: received)
      return try copy.finish()
    }
    // A copy remains a copy.
    let isCopy = segment.parts.contains { $0.fold.isCopy }
    let boot = isCopy ? .ofCopy : options.boot
    let mark = StartMark(
      generation: generation ?? part.fold.generations.current, boot: boot, syncMode: options.syncMode.code)
    copy.append(mark, after: last, received: received)
    copy.append(nil, after: last, received: received)
    return try copy.finish()
  }

  /// Reads the blocks of a part as they are written.
  private func read(
    _ part: SalvagedPart, _ body: (BlockHeader, BlockView) throws(FileError) -> Void
  ) throws(FileError) {
    var rewriter = part.rewriter
    do {
      try segment.blocks?.read(part.stretch.ranges) { found in
        let (header, view) = try rewriter?.rewrite(found.header, found.view) ?? (found.header, found.view)
        try body(header, view)
        return true
      }
    } catch let error as FileError {
      throw error
    } catch {
      // They were good a moment ago.
      throw FileError(.read, path: segment.file.path, code: .inputOutput)
    }
  }
}
