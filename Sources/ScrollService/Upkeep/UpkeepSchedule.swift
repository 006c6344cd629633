import ScrollLog
import ScrollModel
import Varlink

/// The schedule of the work on sealed segments: removing, forgetting and packing them, and keeping them for backups.
///
/// A segment is packed beside another job, which may be about any other segment: packing takes long where the processor is
/// busy, and the log must keep to its limits all the while. Apart from that there is one job at a time, because each job replaces
/// a file that it has read.
final class UpkeepSchedule {
  private var retention: Retention { didSet { mayHaveJob = true } }
  private var packing: Packing { didSet { mayHaveJob = true } }
  private var forgetting: ForgetQueue { didSet { mayHaveJob = true } }
  /// The job in progress, other than packing.
  private var job: UpkeepJob? { didSet { mayHaveJob = true } }
  /// The segment that is being packed, by its first position.
  private var packed: Position? { didSet { mayHaveJob = true } }
  /// Whether anything has changed since no job was due. The loop asks several times for each event.
  private(set) var mayHaveJob = true
  /// The connections whose backups keep the files.
  private var backups: [ConnectionID] = []
  private let log: FoldedLog
  private let effects: EffectQueue
  private let clock: ServiceClock

  /// - Parameter activeBytes: The size of the active segment.
  init(
    _ configuration: Configuration, _ log: FoldedLog, activeBytes: Int64, effects: EffectQueue, clock: ServiceClock,
    journal: Journal
  ) {
    self.log = log
    self.effects = effects
    self.clock = clock
    let segments = log.segments
    retention = Retention(
      Retention.Settings(configuration), segments, usedAtStart: segments.sealedBytes + activeBytes, effects: effects,
      clock: clock, journal: journal)
    packing = Packing(isEnabled: configuration.compress, segments, journal: journal)
    forgetting = ForgetQueue(segments, effects: effects, journal: journal)
  }

  /// Counters from the start of the daemon.
  var counters: UpkeepCounters {
    UpkeepCounters(
      segmentsPacked: packing.segmentsPacked, segmentsRemoved: retention.segmentsRemoved,
      bytesRemoved: retention.bytesRemoved)
  }

  /// Applies a new configuration.
  func apply(_ configuration: Configuration) {
    retention.settings = Retention.Settings(configuration)
    packing.isEnabled = configuration.compress
  }

  // MARK: Jobs

  /// Returns the next job for the upkeep threads; `nil` while it would be in the way of one in progress, or when nothing is
  /// due.
  func nextJob(isStopping: Bool) -> UpkeepJob? {
    guard let next = pendingJob(isStopping: isStopping) else { return nil }
    if case .pack(let segment) = next { packed = segment } else { job = next }
    return next
  }

  /// Returns whether a job is due that no job in progress is in the way of.
  func hasJob(isStopping: Bool) -> Bool { mayHaveJob && pendingJob(isStopping: isStopping) != nil }

  private func pendingJob(isStopping: Bool) -> UpkeepJob? {
    guard mayHaveJob else { return nil }
    let pending = findPendingJob(isStopping: isStopping)
    // What is to be forgotten waits for the horizon.
    if pending == nil, forgetting.isEmpty { mayHaveJob = false }
    return pending
  }

  private func findPendingJob(isStopping: Bool) -> UpkeepJob? {
    if let next = dueJob(isStopping: isStopping) { return job == nil && mayRun(next) ? next : nil }
    if isStopping || packed != nil { return nil }
    guard let next = packing.next, job?.permitsPacking(of: next) ?? true else { return nil }
    return .pack(next)
  }

  /// Returns the next job other than packing.
  private func dueJob(isStopping: Bool) -> UpkeepJob? {
    if let segment = retention.nextRemoval { return .remove(segment) }
    if isStopping { return nil }
    if let part = forgetting.nextJob(at: log.horizon.position) { return .forget(part) }
    return retention.fairShare.job
  }

  private func mayRun(_ next: UpkeepJob) -> Bool { packed.map(next.permitsPacking) ?? true }

  /// Whether the daemon may stop: no job is in progress, and all files that are due for removal are gone.
  var isDone: Bool { job == nil && packed == nil && retention.nextRemoval == nil }

  /// Returns whether the packing of a segment keeps another job from being done.
  func isPackingInTheWay(isStopping: Bool) -> Bool {
    guard packed != nil, let due = dueJob(isStopping: isStopping) else { return false }
    return !mayRun(due)
  }

  /// Processes the result of a job in progress.
  func complete(_ result: UpkeepResult) {
    if result.isOfPacking { packed = nil } else { job = nil }
    switch result {
    case .removed(let segment): retention.didRemove(segment)
    case .notRemoved(_, let error): retention.didNotRemove(error)
    case .measured(let first, let use):
      retention.fairShare.didMeasure(first, use)
      retention.applySoon()
    case .forgotten(.segment(let first, .share(let user)), let found):
      retention.fairShare.didTrim(first, user.owner, found)
      let end = end(ofSegment: first)
      log.closedSessions.remove {
        user.contains($0.client.user) && $0.place.position >= first && $0.place.position < end
      }
      retention.applySoon()
    case .notMeasured(let first, let error), .notForgotten(.segment(let first, .share), let error):
      retention.fairShare.didFail(first, error)
      retention.applySoon()
    case .forgotten(let search, let found) where search.isSearch:
      forgetting.didSearch(search, isFound: found.count > 0)
      beginForgettingUnlessItNeedsRoll()
    case .forgotten(let part, let found):
      if case .segment(let first, let scope) = part {
        // A listing may have found them again, before the segment was rewritten.
        let end = end(ofSegment: first)
        log.closedSessions.remove { scope.includes($0) && $0.place.position >= first && $0.place.position < end }
      }
      forgetting.didForget(part, found, removalError: retention.removalError)
    case .notForgotten(let part, let error):
      forgetting.didNotForget(part, error, removalError: retention.removalError)
      if !part.isSearch { listClosedSessionsAnew() }
      beginForgettingUnlessItNeedsRoll()
    case .packed(let first, let bytes):
      packing.didPack(first, bytes)
      retention.applySoon()
    case .notPacked(let first, let error):
      packing.didNotPack(first, error)
    }
  }

  private func end(ofSegment first: Position) -> Position { log.segments.firstPositions.first { $0 > first } ?? .max }

  // MARK: Retention

  /// Applies the retention limits, and resumes packing that waited for space.
  ///
  /// - Parameters:
  ///   - activeBytes: The size of the active segment.
  ///   - headBytes: The size of its head.
  ///   - subordinates: The ids that count for their owners in the fair share.
  /// - Returns: Whether the active segment has to be sealed, because its records are too old.
  func applyRetention(
    activeBytes: Int64, headBytes: Int64 = 0, subordinates: SubordinateUsers = SubordinateUsers()
  ) -> Bool {
    packing.resume()
    return retention.apply(
      activeBytes: activeBytes, headBytes: headBytes, unpackedBytes: packing.bytesDue,
      present: Set(log.horizon.sessions.map(\.client.user)), subordinates: subordinates)
  }

  /// The size at which the active segment is sealed, in bytes: that of `SegmentSize=`, or less in a small log.
  var segmentSize: Int64 { retention.segmentSize }

  /// Applies the limits at the next opportunity, since the disk is full.
  func applyRetentionSoon() { retention.applySoon() }

  var isRetentionDue: Bool { clock.monotonic() >= retention.due }

  /// Removes what exceeds a caller's limits, and answers the caller once the files are gone.
  func vacuum(to limits: RetentionLimits, activeBytes: Int64, for caller: Caller) {
    retention.vacuum(to: limits, activeBytes: activeBytes, for: caller)
  }

  // MARK: Forgetting

  /// Removes sessions, which are already closed, from all files, and then answers a caller.
  ///
  /// - Parameter through: The last position that can have a record of them.
  func forget(_ scope: ForgetScope, through: Position, for caller: Caller) {
    log.closedSessions.remove(where: scope.includes)
    // The files copied so far may have the records, and those copied from now on don't.
    for connection in backups { effects.add(.endStream(connection, ServiceError.backupDisturbed)) }
    forgetting.add(scope, through: through, for: caller)
  }

  /// Whether the active segment has to be sealed before records can be forgotten.
  var needsRollToForget: Bool { forgetting.needsRoll }

  /// Begins to forget, after the active segment was sealed or while it has no records.
  func beginForgetting() {
    // Some of the sessions may have been closed since the call.
    if let scope = forgetting.scope { log.closedSessions.remove(where: scope.includes) }
    forgetting.begin(log.horizon, now: clock.wall())
  }

  private func beginForgettingUnlessItNeedsRoll() {
    if !forgetting.needsRoll { beginForgetting() }
  }

  /// Refuses the calls to `Forget` that have not begun, because there is no space.
  func refuseForgetting() {
    if forgetting.refuseWaiting() { listClosedSessionsAnew() }
  }

  /// Lists sessions that were to be forgotten and are still in the log.
  private func listClosedSessionsAnew() { log.closedSessions.reset(after: log.horizon.position) }

  // MARK: Backups

  var backupCount: Int { backups.count }

  /// Keeps all segments while a connection copies them.
  ///
  /// - Returns: The files to copy; `nil` while records are being forgotten.
  func beginBackup(on connection: ConnectionID, _ written: WriterStatus) -> BackupFiles? {
    guard forgetting.isEmpty else { return nil }
    log.segments.pin()
    backups.append(connection)
    return BackupFiles(
      directory: log.segments.path, files: log.segments.files(activeBytes: written.segmentBytes),
      firstPosition: log.segments.firstPosition, lastPosition: written.synced, generation: log.generations.current)
  }

  /// Ends a backup. What became due for removal in the meantime is then removed.
  func endBackup(on connection: ConnectionID) {
    log.segments.unpin()
    backups.removeAll { $0 == connection }
    if log.segments.isRemovalDelayed { retention.applySoon() }
  }
}

extension UpkeepJob {
  /// Returns whether a segment may be packed at the same time.
  fileprivate func permitsPacking(of segment: Position) -> Bool {
    switch self {
    case .remove(let trimmed): trimmed.firstPosition != segment
    case .measure: true
    case .forget(.segment(let first, .share)): first != segment
    // What a person wants forgotten can be anywhere.
    case .forget, .pack: false
    }
  }
}

extension UpkeepResult {
  fileprivate var isOfPacking: Bool {
    switch self {
    case .packed, .notPacked: true
    case .removed, .notRemoved, .forgotten, .notForgotten, .measured, .notMeasured: false
    }
  }
}

/// Counters of the finished upkeep.
struct UpkeepCounters {
  var segmentsPacked: Int64
  var segmentsRemoved: Int64
  var bytesRemoved: Int64
}

/// The files that a backup copies, and the history that they contain.
struct BackupFiles {
  let directory: String
  let files: [(name: String, firstPosition: Position, bytes: Int64)]
  let firstPosition: Position
  let lastPosition: Position
  let generation: Int64
}
