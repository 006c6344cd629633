import ScrollModel

/// A part of a damaged segment that becomes a segment of its own: good blocks after a checkpoint.
struct SalvagedPart {
  let checkpoint: Checkpoint
  /// The generations up to the checkpoint.
  let generations: GenerationHistory
  /// The blocks.
  var stretch: GoodBlocks.Stretch
  /// What makes the blocks follow the checkpoint; `nil` if they do.
  let rewriter: SalvageRewriter?
  /// The fold over its blocks.
  var fold: SegmentFold
  /// The sessions that have lost records, as far as that shows.
  var damaged: Set<SessionID> = []
  /// The sessions that may have lost records before it.
  var uncertain: Set<SessionID> = []

  var firstPosition: Position { checkpoint.position + 1 }
  var lastPosition: Position { fold.projection.position }
}

/// The division of a damaged segment into parts that fold.
struct Salvage {
  /// The open sessions at a position, and the generations up to it.
  struct Standing {
    var checkpoint: Checkpoint
    var generations: GenerationHistory
    /// Whether nothing before it is missing.
    var isExact: Bool
  }

  private let blocks: GoodBlocks
  /// What is known at later positions, in order: from snapshots, checkpoints within the segment, and that of the next one.
  private let known: [Standing]
  /// The first position of the next segment; `nil` in the last one.
  private let next: Position?
  private(set) var parts: [SalvagedPart] = []
  /// The offsets of blocks whose checksums are right, but whose content doesn't follow what precedes it.
  private(set) var unusable: [Range<Int64>] = []
  /// The last position in those.
  private(set) var unusableEnd: Position = 0
  /// The sessions with records in those.
  private(set) var unusableSessions: Set<SessionID> = []
  /// The sessions that lost records after the last part, by what the next segment begins with.
  private(set) var sessionsCutAtEnd: Set<SessionID> = []
  /// The sessions that were open after the last part and may have lost records there.
  private(set) var sessionsUnsureAtEnd: Set<SessionID> = []

  /// Divides a segment.
  ///
  /// - Parameters:
  ///   - head: the head of the segment.
  ///   - known: what is known at later positions, in order.
  ///   - next: the first position of the next segment; `nil` in the last one.
  init(_ blocks: GoodBlocks, after head: Standing, known: [Standing], next: Position?) throws {
    self.blocks = blocks
    self.known = known
    self.next = next
    var left = blocks.stretches
    let first = head.checkpoint.position + 1
    // The segment keeps its name, even if its first records are lost.
    let hasFirst = left.first?.positions.lowerBound == first
    let empty = GoodBlocks.Stretch(ranges: [], positions: first..<first)
    var standing = try add(hasFirst ? left.removeFirst() : empty, after: head, &left)
    while !left.isEmpty { standing = try add(left.removeFirst(), after: standing, &left) }
    if let next { compareEnd(with: next) }
    guard next == nil, let newest = known.last, let last = parts.last else { return }
    // The last segment has to begin with what is known best.
    if newest.checkpoint.position > last.lastPosition
      || newest.checkpoint.position == last.lastPosition && last.rewriter != nil
    {
      let next = newest.checkpoint.position + 1
      _ = try add(GoodBlocks.Stretch(ranges: [], positions: next..<next), after: standing, &left)
    }
  }

  /// Finds the sessions that have lost records between the last part and the next segment.
  private mutating func compareEnd(with next: Position) {
    guard let last = parts.last, last.lastPosition + 1 < next else { return }
    let end = last.fold.projection.checkpoint()
    if let following = known.last(where: { $0.checkpoint.position == next - 1 }) {
      sessionsCutAtEnd = Self.sessionsThatChanged(from: end, to: following.checkpoint)
    } else {
      sessionsUnsureAtEnd = Set(end.sessions.map(\.id))
    }
  }

  /// Returns the sessions that have records between two checkpoints, as far as the second one shows them.
  private static func sessionsThatChanged(from first: Checkpoint, to second: Checkpoint) -> Set<SessionID> {
    let later = Dictionary(uniqueKeysWithValues: second.sessions.map { ($0.id, $0.lastPosition) })
    let changed = first.sessions.filter { later[$0.id] != $0.lastPosition }
    return Set((changed + second.sessions.filter { $0.openedPosition > first.position }).map(\.id))
  }

  /// Adds a part.
  ///
  /// - Parameters:
  ///   - standing: what is known after the previous part.
  ///   - left: the stretches after this one, to which the rest of this one is added if it has to be divided.
  /// - Returns: what is known after this part.
  private mutating func add(
    _ stretch: GoodBlocks.Stretch, after standing: Standing, _ left: inout [GoodBlocks.Stretch]
  ) throws -> Standing {
    let first = stretch.positions.lowerBound
    var before = standing
    var cut: Set<SessionID> = []
    if let last = known.last(where: { $0.checkpoint.position < first }),
      last.checkpoint.position > before.checkpoint.position
        || last.checkpoint.position == before.checkpoint.position && !before.isExact
    {
      before = last
      // Everything between the two is lost.
      cut = Self.sessionsThatChanged(from: standing.checkpoint, to: last.checkpoint)
    }
    let isExact = before.isExact && before.checkpoint.position == first - 1
    let later = known.first { $0.checkpoint.position >= first }
    if !isExact, let later { before.generations = later.generations.before(first) ?? before.generations }
    var rewriter = isExact ? nil : try rewriter(stretch, before.checkpoint, later)
    var checkpoint = before.checkpoint
    checkpoint.position = first - 1
    if let rewriter { checkpoint.sessions = rewriter.sessions }
    var part = SalvagedPart(
      checkpoint: checkpoint, generations: before.generations, stretch: stretch, rewriter: rewriter,
      fold: SegmentFold(checkpoint, before.generations, boot: BootID(high: 0, low: 0), syncMode: SyncMode.commit.code))
    // From there on, everything is known again. The next segment exists already.
    let known = rewriter == nil ? nil : later.map { $0.checkpoint.position + 1 }.flatMap { $0 == next ? nil : $0 }
    var end: Int64?
    var unusable: (range: Range<Int64>, next: Position)?
    try blocks.read(stretch.ranges) { found in
      do throws(ContentError) {
        let (header, view) = try rewriter?.rewrite(found.header, found.view) ?? (found.header, found.view)
        try part.fold.take(header, view)
      } catch {
        unusable = (found.range, found.stored.nextPosition)
        end = found.range.lowerBound
        return false
      }
      if found.isLast, found.stored.recordCount > 0, found.stored.nextPosition == known {
        end = found.range.upperBound
        return false
      }
      return true
    }
    part.damaged = (rewriter?.damaged ?? []).union(cut)
    part.uncertain = rewriter?.uncertain ?? []
    if let end {
      let rest = part.stretch.cut(at: end)
      // A part of the unusable block has been folded.
      if unusable != nil { try refold(&part) }
      part.stretch.positions = first..<(part.lastPosition + 1)
      divide(rest, unusable, next: part.lastPosition + 1, through: stretch.positions.upperBound, &left)
    }
    parts.append(part)
    let isKnown = isExact || later.map { $0.checkpoint.position == part.lastPosition } ?? false
    if isKnown, !isExact, let later { return later }
    return Standing(
      checkpoint: part.fold.projection.checkpoint(), generations: part.fold.generations, isExact: isExact)
  }

  /// Puts the rest of a stretch before those that are left.
  private mutating func divide(
    _ rest: [Range<Int64>], _ unusable: (range: Range<Int64>, next: Position)?, next: Position,
    through end: Position, _ left: inout [GoodBlocks.Stretch]
  ) {
    var rest = GoodBlocks.Stretch(ranges: rest, positions: next..<end)
    if let unusable {
      self.unusable.append(unusable.range)
      unusableEnd = max(unusableEnd, unusable.next - 1)
      var sessions: Set<SessionID> = []
      // Its content may be invalid, too.
      try? blocks.read([unusable.range]) { found in
        guard found.header.kind == .records else { return true }
        var records = found.view.records()
        while let stored = try records.next() { sessions.insert(stored.session) }
        return true
      }
      unusableSessions.formUnion(sessions)
      rest.ranges = rest.cut(at: unusable.range.upperBound)
      rest.positions = unusable.next..<end
    }
    if !rest.ranges.isEmpty { left.insert(rest, at: 0) }
  }

  private func rewriter(
    _ stretch: GoodBlocks.Stretch, _ before: Checkpoint, _ later: Standing?
  ) throws -> SalvageRewriter {
    var survey = SalvageSurvey()
    try blocks.read(stretch.ranges) { found in
      // The sessions in the snapshot are those after its position.
      if let later, found.header.firstPosition > later.checkpoint.position { return false }
      do throws(ContentError) { if found.header.kind == .records { try survey.add(found.view) } } catch { return false }
      return true
    }
    return SalvageRewriter(
      SalvageRewriter.Knowledge(before: before, later: later?.checkpoint), from: stretch.positions.lowerBound, survey)
  }

  private func refold(_ part: inout SalvagedPart) throws {
    var rewriter = part.rewriter
    part.fold = SegmentFold(
      part.checkpoint, part.generations, boot: BootID(high: 0, low: 0), syncMode: SyncMode.commit.code)
    try blocks.read(part.stretch.ranges) { found in
      let (header, view) = try rewriter?.rewrite(found.header, found.view) ?? (found.header, found.view)
      try part.fold.take(header, view)
      return true
    }
  }
}
