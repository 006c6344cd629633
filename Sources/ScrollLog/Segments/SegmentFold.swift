import ScrollModel

/// The fold over the blocks of one segment, marks included, from its checkpoint on.
struct SegmentFold {
  let projection: Projection
  private(set) var generations: GenerationHistory
  private(set) var closedSessions: ClosedSessionIDs
  /// When the daemon received the first record, microseconds since the Unix epoch; `nil` while there are no records.
  private(set) var firstReceived: Int64?
  /// The boot in which the last writer ran, and its sync mode.
  private(set) var boot: BootID
  private(set) var syncMode: UInt8
  /// Whether the last start mark says that the log is a copy that no daemon has written to yet.
  private(set) var isCopy = false
  /// Whether the last block marks a clean shutdown.
  private(set) var isCleanlyStopped = false

  /// The first position of the segment that follows, if the last block says so.
  private(set) var nextSegment: Position?

  /// Whether the last block says that another segment follows.
  var isSealed: Bool { nextSegment != nil }

  /// Creates a fold that starts at a checkpoint.
  ///
  /// - Parameters:
  ///   - closedSessions: the sessions that were closed in the segment before the checkpoint.
  ///   - firstReceived: when the daemon received the segment's first record; `nil` when it is after the checkpoint.
  init(
    _ checkpoint: Checkpoint, _ generations: GenerationHistory, boot: BootID, syncMode: UInt8,
    foldVersion: UInt32 = Policy.foldVersion, closedSessions: ClosedSessionIDs = .ofStart, firstReceived: Int64? = nil
  ) {
    projection = Projection(checkpoint, foldVersion: foldVersion)
    self.generations = generations
    self.boot = boot
    self.syncMode = syncMode
    self.closedSessions = closedSessions
    self.firstReceived = firstReceived
  }

  /// Folds the next block.
  ///
  /// - Throws: ``ContentError`` when it does not follow the previous one.
  mutating func take(_ header: BlockHeader, _ view: BlockView) throws(ContentError) {
    guard header.firstPosition == projection.position + 1 else {
      throw .positionGap(expected: projection.position + 1, found: header.firstPosition)
    }
    try header.validate()
    isCleanlyStopped = header.kind == .cleanStop
    nextSegment = nil
    switch header.kind {
    case .records:
      firstReceived = firstReceived ?? view.received
      var observer = ClosedSessions()
      defer { for session in observer.sessions { closedSessions.insert(session.id, of: session.owner) } }
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
    case .seal:
      var reader = view.reader
      nextSegment = try SegmentSeal.read(&reader).nextSegment
    case .packed, .innerCheckpoint, .packedIndex, .indexPlace:
      throw .badValue(field: "block kind", value: UInt64(header.kind.rawValue))
    }
  }
}

/// An observer that collects the sessions that are closed.
struct ClosedSessions: ProjectionObserver {
  private(set) var sessions: [ClosedSession] = []

  mutating func opened(_ session: Session, at place: RecordPlace) {}
  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {}
  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}
  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}
  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    sessions.append(ClosedSession(session))
  }
  mutating func forgot(_ session: SessionID, at place: RecordPlace) {
    sessions.append(ClosedSession(id: session, owner: .unknown))
  }
}
