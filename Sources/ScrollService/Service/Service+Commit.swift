// Group commit: blocks out, results in, and the answers that wait for them.

import ScrollLog
import ScrollModel
import Varlink

extension Service {
  // MARK: Jobs

  /// What the commit thread is to do next; `nil` while it is busy or there is nothing to do.
  ///
  /// One job is under way at a time: calls that arrive meanwhile share the next block.
  public func nextJob() -> CommitJob? {
    guard hasJob else { return nil }
    let hasRecords = projection.position >= written.segment
    if hasRecords, wantsRoll || wantsRollToForget || written.segmentBytes >= rollSize {
      commit = .rolling
      return .roll(projection.checkpoint())
    }
    // A segment without records is as good as a new one.
    if wantsRoll { answerRoll { connection, token in connection.varlink.reply(token) } }
    if wantsRollToForget { prepareForgetting() }
    if let snapshot = nextSnapshot {
      commit = .snapshotting
      hasJustSnapshotted = true
      return .snapshot(snapshot)
    }
    if let block = builder.finish(received: clock.wall()) {
      hasJustSnapshotted = false
      commit = .writing
      (writingAnswers, answers) = (answers, [])
      (writingTouched, touched) = (touched, [])
      return .write(block)
    }
    if !syncAnswers.isEmpty {
      commit = .syncing(syncAnswers)
      syncAnswers = []
      return .sync
    }
    if canStop {
      if let snapshot = lastSnapshot {
        commit = .snapshotting
        return .snapshot(snapshot)
      }
      commit = .stopping
      return .stop
    }
    if written.isUnchecked {
      commit = .checking
      return .check
    }
    return nil
  }

  /// Whether `nextJob` has something to do.
  var hasJob: Bool {
    commit.isIdle
      && (!builder.isEmpty || wantsRoll || !syncAnswers.isEmpty || canStop || wantsRollToForget || isSnapshotDue
        || written.isUnchecked)
  }

  /// Whether all that has to be done before the end is done or under way on the commit thread.
  private var canStop: Bool { isStopping && upkeep == nil && nextRemoval == nil }

  /// Takes no more calls; what was accepted is committed and answered, then the log is stopped.
  public func stop() {
    isStopping = true
  }

  /// Takes the result of a job.
  ///
  /// - Returns: What ended the service: the log is stopped in order, or failed for good.
  public func complete(_ result: CommitResult) -> ServiceEnd? {
    switch (result.job, result.outcome) {
    case (.write(let block), .success(let status)):
      written = status
      return didWrite(block, status)
    case (.roll, .success(let status)):
      segments.add(
        status,
        sealing: SealedSegment(
          bytes: written.segmentBytes, snapshotBytes: written.snapshotBytes, lastReceived: projection.received))
      written = status
      snapshotDelay = 0
      segmentHead = status.segmentBytes
      rollDelay = 0
      isRollFailureSaid = false
      metrics.segmentsBegun += 1
      commit = .idle
      answerRoll { connection, token in connection.varlink.reply(token) }
      prepareForgetting()
      applyRetention()
    case (.snapshot, .success(let status)):
      commit = .idle
      didSnapshot(result.snapshot, status)
    case (.snapshot, .failure(.noSnapshot(let error))):
      commit = .idle
      didNotSnapshot(error)
    case (.check, .success(let status)):
      written = status
      commit = .idle
    case (.check, .failure(.badSegment(.logDamaged(let damage)))):
      commit = .failed
      return .damaged(damage)
    case (.sync, .success(let status)):
      written = status
      if case .syncing(let waiting) = commit {
        commit = .idle
        for answer in waiting { give(answer) }
      }
    case (.noop, .success): break
    case (.stop, .success): return .stopped
    case (.write, .failure(.noSpace(let error))): refuseForSpace(error)
    case (.roll, .failure(.noSpace(let error))):
      // The segment grows on meanwhile, within what is reserved for it, too: appends may still find room.
      if !isRollFailureSaid {
        isRollFailureSaid = true
        journal.log(.noRoomForSegment(error))
      }
      rollDelay += Int64(configuration.segmentSize) / 8
      commit = .idle
      refuseForgetting()
      answerRoll { connection, token in connection.varlink.reply(token, error: ServiceError.managerNoSpace) }
    case (_, .failure(let error)):
      commit = .failed
      return .failed("\(error)")
    }
    wakeStalled()
    return nil
  }

  // MARK: Results

  private func didWrite(_ block: Block, _ status: WriterStatus) -> ServiceEnd? {
    let waiting = writingAnswers
    let touchedSessions = writingTouched
    writingAnswers = []
    writingTouched = []
    metrics.blocksWritten += 1
    metrics.bytesWritten += Int64(block.byteCount)
    if isOutOfSpace {
      isOutOfSpace = false
      journal.log(.spaceAgain(from: block.firstPosition))
    }
    var observer = LiveObserver(self)
    do throws(ContentError) {
      try projection.apply(block.view, observer: &observer)
    } catch {
      commit = .failed
      return .failed("a block that was just written does not fold: \(error)")
    }
    segments.noteWritten(block, status, closed: observer.closedSessions)
    recent.add(block.byteCount, projection)
    for session in touchedSessions { session.pending.removeAll { $0.firstPosition <= block.lastPosition } }
    // A session with further runs in the next block is not in its list yet, as it was not empty then.
    for session in touchedSessions where !session.pending.isEmpty { touched.append(session) }
    commit = .idle
    for answer in waiting { give(answer) }
    wakeStalled()
    return nil
  }

  /// The disk is full: what was on its way and all built behind it is refused, and positions begin where they did.
  private func refuseForSpace(_ error: FileError) {
    if !isOutOfSpace {
      isOutOfSpace = true
      journal.log(.diskFull(error))
    }
    let refused = writingAnswers + answers
    writingAnswers = []
    writingTouched = []
    answers = []
    touched = []
    builder.restart(at: projection.position + 1)
    rebuildIntake()
    refuseForgetting()
    commit = .idle
    for answer in refused {
      metrics.appendsWithoutSpace += 1
      if answer.token.isOneway { metrics.onewayCallsRefused += 1 }
      guard let connection = connections[answer.connection] else { continue }
      connection.varlink.reply(answer.token, error: answer.noSpace)
      markDirty(connection)
    }
  }

  /// Lets calls and streams go on that waited for a commit.
  private func wakeStalled() {
    for id in stalled { if let connection = connections[id] { schedule(connection) } }
    stalled.removeAll(keepingCapacity: true)
    wakeWaiting()
  }

  private func answerRoll(_ reply: (Connection, CallToken) -> Void) {
    wantsRoll = false
    for (id, token) in rollAnswers {
      guard let connection = connections[id] else { continue }
      reply(connection, token)
      markDirty(connection)
    }
    rollAnswers = []
  }

  // MARK: Answers

  /// Answers a call once the block that is being built is committed.
  func answer(_ token: CallToken, _ connection: Connection, _ kind: Answer.Kind) {
    answers.append(Answer(connection: connection.id, token: token, kind: kind))
  }

  /// Answers a call once all that is accepted by now is committed.
  func answerWithLastCommit(_ token: CallToken, _ connection: Connection, _ kind: Answer.Kind) {
    if !builder.isEmpty {
      answer(token, connection, kind)
    } else if case .writing = commit {
      writingAnswers.append(Answer(connection: connection.id, token: token, kind: kind))
    } else {
      give(kind, to: token, connection)
    }
  }

  private func give(_ answer: Answer) {
    if let connection = connections[answer.connection] { give(answer.kind, to: answer.token, connection) }
  }

  /// Answers a call now.
  func give(_ kind: Answer.Kind, to token: CallToken, _ connection: Connection) {
    let generation = generations.current
    let isDurable = configuration.sync == .commit
    switch kind {
    case .append(let position, let nextNumber):
      connection.varlink.reply(token) {
        $0.member("position", position)
        $0.member("nextNumber", nextNumber)
        $0.member("durable", isDurable)
        $0.member("generation", generation)
      }
    case .open(let session, let nextNumber):
      connection.varlink.reply(token) {
        $0.member("session", session)
        $0.member("nextNumber", nextNumber)
        $0.member("generation", generation)
      }
    case .close, .respond:
      connection.varlink.reply(token)
    case .scroll(let position):
      connection.varlink.reply(token) { $0.member("position", position) }
    case .sync:
      connection.varlink.reply(token) { $0.member("position", written.synced) }
    }
    markDirty(connection)
  }
}
