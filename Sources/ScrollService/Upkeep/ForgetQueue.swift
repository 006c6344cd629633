import ScrollLog
import ScrollModel

/// The calls to `Forget`, carried out one after the other: each removes sessions from all files of the log.
struct ForgetQueue {
  private struct Forgetting {
    let caller: Caller
    var scope: ForgetScope
    /// The last position that can have a record of the sessions. Once it is committed, its segment has to be sealed.
    let through: Position
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

  /// Adds a call. Its sessions are already closed.
  ///
  /// - Parameter through: The last position that can have a record of the sessions.
  mutating func add(_ scope: ForgetScope, through: Position, for caller: Caller) {
    queue.append(Forgetting(caller: caller, scope: scope, through: through))
  }

  /// Returns whether the active segment has to be sealed for the first call.
  func needsRoll(at horizon: Position) -> Bool {
    guard let first = queue.first, first.jobs == nil else { return false }
    return horizon >= first.through
  }

  /// Begins the first call if it waits for the segment that is now sealed or has no records.
  ///
  /// - Parameter removalError: Why the files of trimmed segments could not be removed.
  mutating func begin(_ horizon: Horizon, removalError: FileError?) {
    guard needsRoll(at: horizon.position) else { return }
    if case .client(let name, let user, _) = queue[0].scope {
      // Sessions that the client has opened since the call are kept.
      let open = horizon.sessions.filter { $0.client.name == name && (user == nil || $0.client.user == user) }
      queue[0].scope = .client(name: name, user: user, except: Set(open.map(\.id)))
    }
    let scope = queue[0].scope
    // Jobs are taken from the end, so the newest segment comes first.
    var jobs = segments.firstPositions.dropLast().map { ForgetJob.segment($0, scope) }
    let files = segments.takeSetAside()
    if !files.isEmpty { jobs.append(.files(files)) }
    queue[0].jobs = jobs
    finish(removalError: removalError)
  }

  /// The next job of the first call.
  var nextJob: ForgetJob? { queue.first?.jobs?.last }

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
  mutating func refuseWaiting() {
    for forgetting in queue where forgetting.jobs == nil {
      effects.add(.refuse(forgetting.caller, ServiceError.managerNoSpace))
    }
    queue.removeAll { $0.jobs == nil }
  }
}
