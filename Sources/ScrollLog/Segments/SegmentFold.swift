import ScrollModel

/// Folds the blocks of one segment, one after the other, from its checkpoint on.
struct SegmentFold {
  let projection: Projection
  private(set) var generations: GenerationHistory
  private(set) var closedSessions: Set<SessionID>
  /// When the daemon got the first record, microseconds since the Unix epoch; `nil` when there is none.
  private(set) var firstReceived: Int64?
  /// The run of the machine that wrote last, and its sync mode.
  private(set) var boot: BootID
  private(set) var syncMode: UInt8
  /// Whether nobody has written to the log yet since it was copied, as the last start says.
  private(set) var isCopy = false
  /// Whether the last block says that the daemon stopped in order.
  private(set) var isCleanlyStopped = false

  /// A fold that begins with a checkpoint.
  ///
  /// - Parameters:
  ///   - closedSessions: the sessions that were closed in the segment before the checkpoint.
  ///   - firstReceived: when the daemon received the segment's first record; `nil` when it is after the checkpoint.
  init(
    _ checkpoint: Checkpoint, _ generations: GenerationHistory, boot: BootID, syncMode: UInt8,
    foldVersion: UInt32 = Policy.foldVersion, closedSessions: Set<SessionID> = [], firstReceived: Int64? = nil
  ) {
    projection = Projection(checkpoint, foldVersion: foldVersion)
    self.generations = generations
    self.boot = boot
    self.syncMode = syncMode
    self.closedSessions = closedSessions
    self.firstReceived = firstReceived
  }

  /// Takes the next block.
  ///
  /// - Throws: ``ContentError`` when it doesn't follow what was taken.
  mutating func take(_ header: BlockHeader, _ view: BlockView) throws(ContentError) {
    guard header.firstPosition == projection.position + 1 else {
      throw .positionGap(expected: projection.position + 1, found: header.firstPosition)
    }
    try header.validate()
    isCleanlyStopped = header.kind == .cleanStop
    switch header.kind {
    case .records:
      firstReceived = firstReceived ?? view.received
      var observer = ClosedSessions()
      defer { closedSessions.formUnion(observer.ids) }
      try projection.apply(view, observer: &observer)
    case .checkpoint, .snapshotIndex:
      throw .badCheckpoint
    case .start:
      var reader = view.reader
      let mark = try StartMark.read(&reader)
      boot = mark.boot
      isCopy = mark.boot == .ofCopy
      syncMode = mark.syncMode
      if mark.generation > generations.current {
        generations.entries.append(.init(generation: mark.generation, after: header.firstPosition - 1))
      }
    case .cleanStop:
      break
    case .packed, .innerCheckpoint, .packedIndex, .indexPlace:
      throw .badValue(field: "block kind", value: UInt64(header.kind.rawValue))
    }
  }
}

/// Collects the sessions that a fold sees closed.
struct ClosedSessions: ProjectionObserver {
  private(set) var ids: [SessionID] = []

  mutating func opened(_ session: Session, at place: RecordPlace) {}
  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {}
  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}
  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}
  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) { ids.append(session.id) }
}
