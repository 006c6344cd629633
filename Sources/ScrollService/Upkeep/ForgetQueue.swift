import ScrollLog
import ScrollModel

/// The calls to `Forget`, carried out one after the other: each removes sessions from all files of the log.
struct ForgetQueue {
  private struct Forgetting {
    let caller: Caller
    var scope: ForgetScope
    /// The last position that can have a record of the sessions.
    let through: Position
    /// Whether the active segment has records of the sessions, so that it has to be sealed; `nil` before it was searched.
    var needsRoll: Bool?
    /// The remaining jobs, the next one last; `nil` before that segment is sealed.
    var jobs: [ForgetJob]?
    /// The number of records removed.
    var count: Int64 = 0
    /// The first failure.
    var error: ReadError?
  }

  private var queue: [Forgetting] = []
  private let segments: SegmentList
  private let effects: EffectQueue
  private let journal: Journal

  init(_ segments: SegmentList, effects: EffectQueue, journal: Journal) {
    self.segments = segments
    self.effects = effects
    self.journal = journal
  }

  var isEmpty: Bool { queue.isEmpty }

  /// What the first call removes; `nil` without a call.
  var scope: ForgetScope? { queue.first?.scope }

  /// Adds a call. Its sessions are already closed.
  ///
  /// - Parameter through: The last position that can have a record of the sessions.
  mutating func add(_ scope: ForgetScope, through: Position, for caller: Caller) {
    queue.append(Forgetting(caller: caller, scope: scope, through: through))
  }

  /// Whether the active segment has to be sealed for the first call.
  var needsRoll: Bool {
    guard let first = queue.first, first.jobs == nil else { return false }
    return first.needsRoll == true
  }

  /// Begins the first call, once no record of its sessions is in the active segment.
  ///
  /// - Parameter now: The present, in the time in which records are received.
  mutating func begin(_ horizon: Horizon, now: Int64) {
    guard let first = queue.first, first.jobs == nil, first.needsRoll != nil, horizon.position >= first.through else {
      return
    }
    // Sessions that clients have opened since the call are kept.
    let open = horizon.sessions.filter {
      first.scope.includes($0.id, given: $0.shownID, of: $0.client, received: $0.openedReceived)
    }
    let scope = first.scope.excepting(Set(open.map(\.id)))
    queue[0].scope = scope
    // Jobs are taken from the end, so the newest segment comes first.
    var jobs = segments.firstPositions.dropLast().map { ForgetJob.segment($0, scope) }
    let files = segments.takeSetAside()
    if !files.isEmpty { jobs.append(.files(files)) }
    // A backup must not bring back what is gone from the log, so the list comes before everything else.
    jobs.append(.record(scope, received: now))
    queue[0].jobs = jobs
  }

  /// Returns the next job of the first call.
  func nextJob(at horizon: Position) -> ForgetJob? {
    guard let first = queue.first else { return nil }
    if let jobs = first.jobs { return jobs.last }
    guard first.needsRoll == nil, horizon >= first.through, let active = segments.firstPositions.last else {
      return nil
    }
    return .search(active, first.scope, through: first.through)
  }

  /// Records that a search has ended.
  ///
  /// - Parameter isFound: Whether the segment may have records of the sessions.
  mutating func didSearch(_ search: ForgetJob, isFound: Bool) {
    // Without space, the call may have been refused in the meantime.
    guard let first = queue.first, first.jobs == nil, case .search(let segment, first.scope, first.through) = search
    else { return }
    // A segment that was sealed in the meantime is rewritten with the others.
    queue[0].needsRoll = isFound && segments.firstPositions.last == segment
  }

  /// Records that a job has succeeded.
  mutating func didForget(_ job: ForgetJob, _ found: ForgottenRecords, removalError: FileError?) {
    if case .segment(let first, _) = job, let bytes = found.segmentBytes { segments.resize(first, to: bytes) }
    queue[0].count += found.count
    finishJob(removalError: removalError)
  }

  /// Records that a job has failed.
  ///
  /// If a segment can't be written, older ones are left alone: without a session's opening, its newer records could no
  /// longer be read. The next attempt does them all. Damaged records would stop every attempt, so the older segments
  /// are done regardless; the damaged one can't be read to its end anyway.
  mutating func didNotForget(_ job: ForgetJob, _ error: ReadError, removalError: FileError?) {
    journal.log(.forgettingFailed(error))
    if case .search = job { return didSearch(job, isFound: true) }
    queue[0].error = queue[0].error ?? error
    if case .file = error, case .segment = job { queue[0].jobs = [job] }
    finishJob(removalError: removalError)
  }

  private mutating func finishJob(removalError: FileError?) {
    queue[0].jobs?.removeLast()
    finish(removalError: removalError)
  }

  private mutating func finish(removalError: FileError?) {
    guard let first = queue.first, first.jobs?.isEmpty == true else { return }
    queue.removeFirst()
    journal.log(.forgotten(records: first.count))
    if let error = first.error {
      effects.add(.refuse(first.caller, ServiceError.notForgotten(error)))
    } else if let removalError {
      effects.add(.refuse(first.caller, ServiceError.notRemoved(removalError)))
    } else {
      effects.add(.answer(Answer(caller: first.caller, content: .forgotten(records: first.count))))
    }
  }

  /// Refuses the calls that have not begun, because there is no space and their sessions may be open again.
  ///
  /// - Returns: Whether there were any.
  mutating func refuseWaiting() -> Bool {
    let isAnyWaiting = queue.contains { $0.jobs == nil }
    for forgetting in queue where forgetting.jobs == nil {
      effects.add(.refuse(forgetting.caller, ServiceError.managerNoSpace))
    }
    queue.removeAll { $0.jobs == nil }
    return isAnyWaiting
  }
}
