import ScrollModel

/// The repair of a damaged last segment: sets the bad part aside and rewrites the good part.
struct SegmentRepair {
  let directory: LogDirectory
  let options: LogOptions
  let segment: DamagedSegment

  private var last: Position { segment.fold.projection.position }

  /// Repairs the segment.
  ///
  /// - Parameter isDryRun: whether only to report what a repair would do.
  /// - Returns: what was done, or would be done.
  func run(isDryRun: Bool) throws(FileError) -> RepairReport.Repair {
    let kept = KeptBytes(directory: directory, suffix: SegmentName.damagedSuffix, position: last, time: options.now())
    let name = try kept.freeName()
    let repair = RepairReport.Repair(
      damage: segment.damage, head: segment.head, keptThrough: last, lostThrough: segment.lostThrough,
      lostSessions: segment.lostSessions.sorted { ($0.high, $0.low) < ($1.high, $1.low) },
      bytes: Int64(segment.aside.count), kept: directory.path(of: name), generation: generation)
    if isDryRun { return repair }
    _ = try directory.removeUnfinished()
    try directory.removeSnapshots(except: nil)
    try kept.keep(segment.aside, of: segment.file, as: name)
    _ = try directory.createWhole(SegmentName.of(segment.firstPosition)) { file throws(FileError) in
      try write(to: file)
    }
    return repair
  }

  /// The generation that begins; `nil` if no record is lost.
  private var generation: Generation? {
    segment.isCut ? GenerationHistory.generation(beyond: segment.greatestGeneration, now: options.now()) : nil
  }

  private func write(to file: any File) throws(FileError) -> Int64 {
    let current = generation ?? segment.fold.generations.current
    var head = SegmentHead(segment.checkpoint, segment.generations, options)
    head.header.generation = segment.generations.current
    var copy = SegmentCopy(to: file, head.header)
    copy.append(segment.checkpoint, segment.generations)
    try copy.append(segment.kept, of: segment.file, identifier: segment.identifier)
    let received = segment.fold.projection.received
    // A copy remains a copy.
    let boot = segment.fold.isCopy ? .ofCopy : options.boot
    let mark = StartMark(generation: current, boot: boot, syncMode: options.syncMode.code)
    copy.append(mark, after: last, received: received)
    copy.append(nil, after: last, received: received)
    return try copy.finish()
  }
}
