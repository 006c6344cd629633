import ScrollLog
import ScrollModel

/// The calls to `Forget`, one after the other: sessions are taken out of all files of the log.
struct ForgetQueue {
  private struct Forgetting {
    let caller: Caller
    var scope: ForgetScope
    /// The last position that can have a record of the sessions. Once it is committed, its segment is sealed.
    let through: Position
    /// What is still to be done, from the end; `nil` before that segment is sealed.
    var jobs: [ForgetJob]?
    /// How many records were taken out.
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

  /// Adds a call whose sessions are closed by now.
  ///
  /// - Parameter through: The last position that can have a record of the sessions.
  mutating func add(_ scope: ForgetScope, through: Position, for caller: Caller) {
    queue.append(Forgetting(caller: caller, scope: scope, through: through))
  }

  /// Whether the segment that is written to has to be sealed for the first call.
  func needsRoll(at horizon: Position) -> Bool {
    guard let first = queue.first, first.jobs == nil else { return false }
    return horizon >= first.through
  }

  /// Begins the first call if it waited for the segment that is now sealed, or has no records.
  ///
  /// - Parameter removalError: Why the files of trimmed segments could not be removed.
  mutating func begin(_ horizon: Horizon, removalError: FileError?) {
    guard needsRoll(at: horizon.position) else { return }
    if case .client(let name, let user, _) = queue[0].scope {
      // Clients that have come back since stay.
      let open = horizon.sessions.filter { $0.client.name == name && (user == nil || $0.client.user == user) }
      queue[0].scope = .client(name: name, user: user, except: Set(open.map(\.id)))
    }
    let scope = queue[0].scope
    // Done from the end: the newest segment first.
    var jobs = segments.firstPositions.dropLast().map { ForgetJob.segment($0, scope) }
    let files = segments.takeSetAside()
    if !files.isEmpty { jobs.append(.files(files)) }
    queue[0].jobs = jobs
    finish(removalError: removalError)
  }

  /// The next part of the first call.
  var nextJob: ForgetJob? { queue.first?.jobs?.last }

  /// Records that a part is done.
  mutating func didForget(_ job: ForgetJob, _ found: ForgottenRecords, removalError: FileError?) {
    if case .segment(let first, _) = job, let bytes = found.segmentBytes { segments.resize(first, to: bytes) }
    queue[0].count += found.count
    finishJob(removalError: removalError)
  }

  /// Records that a part could not be done.
  ///
  /// When a segment can't be written, older ones are left alone: with an opening gone, newer records of its session could
  /// not be read any more. The next attempt does them all. Bad records would stop every attempt, so the older segments
  /// are done all the same; the damaged one can't be read to its end anyway.
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

  /// Refuses the calls that have not begun, for lack of space: their sessions may be open again.
  mutating func refuseWaiting() {
    for forgetting in queue where forgetting.jobs == nil {
      effects.add(.refuse(forgetting.caller, ServiceError.managerNoSpace))
    }
    queue.removeAll { $0.jobs == nil }
  }
}
