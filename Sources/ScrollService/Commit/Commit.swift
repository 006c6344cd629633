import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// A record to add to the block under construction.
struct NewRecord {
  let session: SessionID
  let record: Record
}

/// The group commit: the block under construction with the answers that wait for it, and the commit thread's job.
///
/// The thread has one job at a time. Calls that arrive in the meantime share the next block.
final class Commit {
  /// What a finished job leads to.
  enum Outcome {
    case nothing
    /// A block was written. The caller folds it and then sends the answers.
    case wrote(Block, [Answer])
    /// The next segment was begun and added to the list.
    case beganSegment
    /// There was no space for the next segment.
    case noSpaceForSegment
    /// There was no space for the block. The answers are those of all calls that are refused, except for oneway calls.
    case noSpace([Answer], onewayCalls: Int)
    /// The service ends.
    case end(ServiceEnd)
  }

  /// What the rest of the service needs from the commit thread.
  struct Demands {
    /// Whether the active segment has to be sealed before records can be forgotten.
    var rollsToForget: Bool
    /// Whether the daemon was asked to stop.
    var isStopping: Bool
    /// Whether the daemon was asked to stop, and the upkeep is done.
    var mayStop: Bool
  }

  /// Counters from the start of the daemon.
  struct Counters {
    /// How many blocks were handed to the commit thread, or refused for lack of space.
    var blocksBegun: Int64 = 0
    var blocksWritten: Int64 = 0
    var bytesWritten: Int64 = 0
    var segmentsBegun: Int64 = 0
    var appendsWithoutSpace: Int64 = 0
  }

  /// A connection whose calls alone were answered by the last blocks.
  private struct LoneFeeder {
    private var connection: ConnectionID?
    /// How many blocks in a row answered a single call of it.
    private var blocks = 0

    /// Whether it counts as alone.
    var isAlone: Bool { blocks >= 4 }

    mutating func count(_ block: Waiting) {
      let only = block.onlyConnection
      blocks = only == nil ? 0 : only == connection ? blocks + 1 : 1
      connection = only
    }
  }

  /// The calls that wait for a block.
  private struct Waiting {
    var answers: [Answer] = []
    /// How many oneway calls are among them, which get no answers.
    var onewayCalls = 0
    /// Whose calls alone the blocks before this one answered.
    var loneFeeder = LoneFeeder()

    var count: Int { answers.count + onewayCalls }

    mutating func add(_ caller: Caller, _ content: Answer.Content) {
      if caller.token.isOneway {
        onewayCalls += 1
      } else {
        answers.append(Answer(caller: caller, content: content))
      }
    }

    /// Takes the calls, and leaves none for the next block.
    mutating func take() -> Waiting {
      loneFeeder.count(self)
      defer { self = Waiting(loneFeeder: loneFeeder) }
      return self
    }

    /// The connection of the only call; `nil` if there are none or several, or if nobody waits for its answer.
    var onlyConnection: ConnectionID? { count == 1 ? answers.first?.caller.connection : nil }
  }

  private enum State {
    case idle
    /// Writing a block, for which these answers wait.
    case writing(Waiting)
    case rolling
    case snapshotting
    case checking
    /// Syncing the log for these callers of `Sync`.
    case syncing([Caller])
    /// Closing the log; the thread gets no more jobs.
    case stopping
    /// Writing has failed for good, and nothing more is acknowledged.
    case failed
  }

  /// How many answers may wait for the disk before calls have to wait.
  private static let maximumAnswers = 1 << 17

  /// The writer's status after the last job.
  private(set) var written: WriterStatus
  private(set) var counters = Counters()
  /// Whether appends are refused because the disk is full.
  private(set) var isOutOfSpace = false
  var rolls: RollSchedule
  var snapshots = SnapshotSchedule()
  /// How large a block may grow before calls have to wait, in bytes.
  var maximumBlockSize = 4 << 20
  /// How much of a block one user's records may take before the user's calls have to wait for the next one, in bytes and in
  /// work that counts as much. What is in a block is folded together, and all its answers wait for that.
  var maximumShareSize = 64 << 10
  /// How many bytes a record other than an event counts more than it has, since it takes longer to fold: about a millisecond
  /// for a full share.
  private static let recordWeight = 250
  private var builder: BlockBuilder
  /// The calls that wait for the block under construction.
  private var waiting = Waiting()
  private var state = State.idle
  private var syncCallers: [Caller] = []
  private let log: FoldedLog
  private let effects: EffectQueue
  private let clock: ServiceClock
  private let journal: Journal

  init(
    _ log: FoldedLog, _ status: WriterStatus, segmentSize: Int, effects: EffectQueue, clock: ServiceClock,
    journal: Journal
  ) {
    self.log = log
    written = status
    rolls = RollSchedule(segmentSize: segmentSize)
    builder = BlockBuilder(nextPosition: log.horizon.position + 1, received: log.horizon.received)
    self.effects = effects
    self.clock = clock
    self.journal = journal
  }

  // MARK: Accepting records

  /// The position of the last record that was accepted.
  var lastAccepted: Position { builder.nextPosition - 1 }

  /// The size of the block under construction, in bytes.
  var pendingBytes: Int { builder.byteCount }

  /// Whether calls have to wait, because too much already waits for the disk.
  var isFull: Bool { pendingBytes >= maximumBlockSize || waitingCount >= Self.maximumAnswers }

  /// Returns whether a user's calls have to wait for the next block. Root's don't.
  func isFull(for share: UserShare) -> Bool {
    share.user != 0 && share.pendingBlock == counters.blocksBegun && share.pendingBytes >= maximumShareSize
  }

  /// Counts what was added to the block for a user.
  ///
  /// - Parameters:
  ///   - bytes: Its size.
  ///   - records: How many records other than events it has.
  func count(_ bytes: Int, records: Int, of share: UserShare) {
    if share.pendingBlock != counters.blocksBegun {
      share.pendingBlock = counters.blocksBegun
      share.pendingBytes = 0
    }
    share.pendingBytes += bytes + records * Self.recordWeight
  }

  /// Whether everything that was accepted is answered.
  var isSettled: Bool { builder.isEmpty && waitingCount == 0 }

  private var waitingCount: Int {
    if case .writing(let writing) = state { return waiting.count + writing.count }
    return waiting.count
  }

  /// Returns whether the record at a position is committed, or no accepted record waits for its commit.
  func isCommitted(_ position: Position) -> Bool {
    log.horizon.position >= position || (builder.isEmpty && isIdle)
  }

  /// Adds a record to the block.
  func add(_ new: NewRecord) {
    switch new.record {
    case .open(let opening):
      rolls.countOpening()
      builder.append(opening, of: new.session)
    case .close(let closing): builder.append(closing, of: new.session)
    case .request(let request): builder.append(request, of: new.session)
    case .response(let response): builder.append(response, of: new.session)
    case .event(let event, let number):
      builder.beginRun(new.session, firstNumber: number)
      builder.append(event)
      builder.endRun()
    }
  }

  /// Adds the events of a call to the block, except for the first `known`.
  ///
  /// - Returns: The position of the first one added.
  /// - Throws: `InvalidEvent`; then nothing was added.
  func add(
    _ events: JSONArray, skipping known: Int, to session: SessionID, from number: Int64
  ) throws(VarlinkError) -> Position {
    let firstPosition = builder.nextPosition
    try builder.append(events, skipping: known, to: session, from: number)
    return firstPosition
  }

  /// Sends an answer once the block under construction is committed.
  func answer(_ caller: Caller, _ content: Answer.Content) { waiting.add(caller, content) }

  /// Sends an answer once everything that was accepted is committed.
  func answerAfterLastCommit(_ caller: Caller, _ content: Answer.Content) {
    if !builder.isEmpty {
      self.answer(caller, content)
    } else if case .writing(var writing) = state {
      // The state gives up the array, so that appending does not copy it.
      state = .idle
      writing.add(caller, content)
      state = .writing(writing)
    } else {
      effects.add(.answer(Answer(caller: caller, content: content)))
    }
  }

  /// Syncs the log, and then answers a caller.
  func sync(for caller: Caller) { syncCallers.append(caller) }

  // MARK: Jobs

  /// Whether the active segment has records.
  var hasRecords: Bool { log.horizon.position >= written.segment }

  /// Whether writing has failed for good.
  var hasFailed: Bool {
    if case .failed = state { return true }
    return false
  }

  /// Whether the block that is being written, like those before it, answers a single call, each time of the same connection. Then
  /// a feeder waits for each of its answers, and no other one is there whose calls could share a sync.
  var hasSingleCaller: Bool { waiting.loneFeeder.isAlone }

  private var isIdle: Bool {
    if case .idle = state { return true }
    return false
  }

  /// Whether there is a job for the commit thread.
  func hasJob(_ demands: Demands) -> Bool {
    isIdle
      && (!builder.isEmpty || rolls.isRequested || !syncCallers.isEmpty || demands.mayStop || demands.rollsToForget
        || isSnapshotDue(demands) || written.isUnchecked || isRollDue)
  }

  /// Whether the active segment is to be sealed. The block that fills it may be written in the loop, and then no result of the
  /// thread causes another turn.
  private var isRollDue: Bool { hasRecords && rolls.isDue(segmentBytes: written.segmentBytes) }

  /// Returns the next job for the commit thread; `nil` while one is in progress, or when nothing is due.
  func nextJob(_ demands: Demands) -> CommitJob? {
    guard isIdle else { return nil }
    if hasRecords && demands.rollsToForget || isRollDue {
      state = .rolling
      return .roll(log.horizon.checkpoint())
    }
    // A segment without records is as good as a new one.
    if rolls.isRequested { answer(rolls.finish(headSize: nil)) }
    if isSnapshotDue(demands), !(snapshots.isLastJob && !builder.isEmpty), let snapshot = snapshot() {
      snapshots.isLastJob = true
      state = .snapshotting
      return .snapshot(snapshot)
    }
    if let block = builder.finish(received: clock.wall()) {
      snapshots.isLastJob = false
      counters.blocksBegun += 1
      state = .writing(waiting.take())
      return .write(block)
    }
    if !syncCallers.isEmpty {
      state = .syncing(syncCallers)
      syncCallers = []
      return .sync
    }
    if demands.mayStop {
      if let snapshot = lastSnapshot() {
        state = .snapshotting
        return .snapshot(snapshot)
      }
      state = .stopping
      return .stop
    }
    if written.isUnchecked {
      state = .checking
      return .check
    }
    return nil
  }

  private func isSnapshotDue(_ demands: Demands) -> Bool {
    // The first of these is almost always the answer.
    guard written.segmentBytes >= snapshots.interval, !demands.isStopping, !isOutOfSpace, hasRecords else {
      return false
    }
    return snapshots.isDue(
      sessions: log.horizon.sessions.count, segmentBytes: written.segmentBytes,
      last: log.segments.lastSnapshot?.segmentOffset ?? 0)
  }

  private func snapshot() -> Snapshot? { log.segments.snapshot(of: log.horizon.checkpoint()) }

  /// Returns the snapshot for a clean shutdown; `nil` if it would be the same as the last one, or if it was attempted.
  private func lastSnapshot() -> Snapshot? {
    let last = log.segments.lastSnapshot?.position ?? 0
    guard !snapshots.hasTriedLast, log.horizon.position > last, written.snapshotBytes <= written.segmentBytes else {
      return nil
    }
    snapshots.hasTriedLast = true
    return snapshot()
  }

  // MARK: Results

  /// Processes the result of a job.
  func complete(_ result: CommitResult) -> Outcome {
    switch (result.job, result.outcome) {
    case (.noop, .success):
      return .nothing
    case (.write(let block), .success(let status)):
      return didWrite(block, status)
    case (.roll, .success(let status)):
      didRoll(status)
      return .beganSegment
    case (.snapshot, .success(let status)):
      didSnapshot(result.snapshot, status)
    case (.snapshot, .failure(.noSnapshot(let error))):
      if snapshots.didFail() { journal.log(.snapshotFailed(error)) }
    case (.check, .success(let status)):
      written = status
    case (.check, .failure(.badSegment(.logDamaged(let damage)))):
      return fail(.damaged(damage))
    case (.sync, .success(let status)):
      written = status
      // A sync that was due by the interval has no callers, and may finish at any time.
      guard case .syncing(let callers) = state else { return .nothing }
      for caller in callers { effects.add(.answer(Answer(caller: caller, content: .synced(status.synced)))) }
    case (.stop, .success):
      return .end(.stopped)
    case (.write, .failure(.noSpace(let error))):
      return refuseForSpace(error)
    case (.roll, .failure(.noSpace(let error))):
      let (refused, isFirst) = rolls.fail()
      if isFirst { journal.log(.noSpaceForSegment(error)) }
      for caller in refused { effects.add(.refuse(caller, ServiceError.managerNoSpace)) }
      state = .idle
      return .noSpaceForSegment
    case (_, .failure(let error)):
      return fail(.failed("\(error)"))
    }
    state = .idle
    return .nothing
  }

  /// Ends the service, because the log can no longer be written.
  func fail(_ end: ServiceEnd) -> Outcome {
    state = .failed
    return .end(end)
  }

  private func didWrite(_ block: Block, _ status: WriterStatus) -> Outcome {
    written = status
    counters.blocksWritten += 1
    counters.bytesWritten += Int64(block.byteCount)
    if isOutOfSpace {
      isOutOfSpace = false
      journal.log(.spaceAvailable(from: block.firstPosition))
    }
    return .wrote(block, takeWriting().answers)
  }

  private func takeWriting() -> Waiting {
    guard case .writing(let writing) = state else { return Waiting() }
    state = .idle
    return writing
  }

  private func didRoll(_ status: WriterStatus) {
    let sealed = SealedSegment(
      bytes: status.sealedBytes, snapshotBytes: written.snapshotBytes, lastReceived: log.horizon.received)
    log.segments.add(status, sealing: sealed)
    written = status
    counters.segmentsBegun += 1
    snapshots.didRoll()
    state = .idle
    answer(rolls.finish(headSize: status.segmentBytes))
  }

  private func didSnapshot(_ place: SnapshotPlace?, _ status: WriterStatus) {
    snapshots.didWrite(status.snapshotBytes - written.snapshotBytes)
    written = status
    if let place { log.segments.addSnapshot(place) }
  }

  /// Refuses the block that was being written and the one under construction. Positions continue where the log ends.
  private func refuseForSpace(_ error: FileError) -> Outcome {
    if !isOutOfSpace {
      isOutOfSpace = true
      journal.log(.diskFull(error))
    }
    let writing = takeWriting()
    let refused = Waiting(
      answers: writing.answers + waiting.answers, onewayCalls: writing.onewayCalls + waiting.onewayCalls)
    waiting = Waiting()
    counters.blocksBegun += 1
    builder.restart(at: log.horizon.position + 1)
    counters.appendsWithoutSpace += Int64(refused.count)
    return .noSpace(refused.answers, onewayCalls: refused.onewayCalls)
  }

  private func answer(_ callers: [Caller]) {
    for caller in callers { effects.add(.answer(Answer(caller: caller, content: .done))) }
  }
}

extension BlockBuilder {
  /// Appends the events of a call as a run. If one is invalid, nothing is appended.
  fileprivate mutating func append(
    _ events: JSONArray, skipping known: Int, to session: SessionID, from number: Int64
  ) throws(VarlinkError) {
    let mark = mark
    beginRun(session, firstNumber: number)
    var event = Event(.scroll, time: 0)
    var index = 0
    for value in events {
      defer { index += 1 }
      if index < known { continue }
      do throws(EventProblem) {
        try event.replace(withJSON: value)
        append(event)
      } catch {
        rollback(to: mark)
        throw ServiceError.invalidEvent(index: index, error)
      }
    }
    endRun()
  }
}
