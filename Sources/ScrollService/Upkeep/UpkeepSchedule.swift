import ScrollLog
import ScrollModel
import Varlink

/// What is done to segments that are no longer written to: removing, forgetting, packing, and keeping them for backups.
///
/// One job is under way at a time: each puts a new file in the place of one that it has read.
final class UpkeepSchedule {
  private var retention: Retention
  private var packing: Packing
  private var forgetting: ForgetQueue
  /// The job under way.
  private var job: UpkeepJob?
  /// The connections whose backups keep the segments.
  private var backups: [ConnectionID] = []
  private let log: FoldedLog
  private let effects: EffectQueue
  private let clock: ServiceClock

  /// - Parameter activeBytes: What the segment that is written to takes.
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

  /// Follows a new configuration.
  func apply(_ configuration: Configuration) {
    retention.settings = Retention.Settings(configuration)
    packing.isEnabled = configuration.compress
  }

  // MARK: Jobs

  /// The next job for the upkeep threads; `nil` while one is under way or there is none.
  func nextJob(isStopping: Bool) -> UpkeepJob? {
    guard let next = pendingJob(isStopping: isStopping) else { return nil }
    job = next
    return next
  }

  /// Whether there is a job that is not under way.
  func hasJob(isStopping: Bool) -> Bool { pendingJob(isStopping: isStopping) != nil }

  private func pendingJob(isStopping: Bool) -> UpkeepJob? {
    guard job == nil else { return nil }
    if let segment = retention.nextRemoval { return .remove(segment) }
    if isStopping { return nil }
    if let part = forgetting.nextJob { return .forget(part) }
    return packing.next.map { .pack($0) }
  }

  /// Whether the daemon may stop: nothing is under way, and no file is still to be removed.
  var isDone: Bool { job == nil && retention.nextRemoval == nil }

  /// Whether a packing is under way that a caller has to wait for.
  ///
  /// What retention removes by itself can wait: on a busy machine it comes with each new segment, and no packing would
  /// ever end.
  func isPackingInTheWay(isStopping: Bool) -> Bool {
    guard case .pack = job else { return false }
    return !isStopping && forgetting.nextJob != nil || retention.isAwaited
  }

  /// Takes the result of the job under way.
  func complete(_ result: UpkeepResult) {
    job = nil
    switch result {
    case .removed(let segment): retention.didRemove(segment)
    case .notRemoved(_, let error): retention.didNotRemove(error)
    case .forgotten(let part, let found):
      forgetting.didForget(part, found, removalError: retention.removalError)
    case .notForgotten(let part, let error):
      forgetting.didNotForget(part, error, removalError: retention.removalError)
    case .packed(let first, let bytes): packing.didPack(first, bytes)
    case .notPacked(let first, let error): packing.didNotPack(first, error)
    }
  }

  // MARK: Retention

  /// Applies the retention limits, and resumes packing that waited for space.
  ///
  /// - Returns: Whether the segment that is written to has to be sealed, since its records are too old.
  func applyRetention(activeBytes: Int64) -> Bool {
    packing.resume()
    return retention.apply(activeBytes: activeBytes)
  }

  var isRetentionDue: Bool { clock.monotonic() >= retention.due }

  /// Removes more than the configuration asks for, and answers a caller once the files are gone.
  func vacuum(to limits: RetentionLimits, activeBytes: Int64, for caller: Caller) {
    retention.vacuum(to: limits, activeBytes: activeBytes, for: caller)
  }

  // MARK: Forgetting

  /// Takes sessions that are closed by now out of all files, and answers a caller then.
  ///
  /// - Parameter through: The last position that can have a record of them.
  func forget(_ scope: ForgetScope, through: Position, for caller: Caller) {
    // What has been copied may hold the records; what would be copied from now on doesn't.
    for connection in backups { effects.add(.endStream(connection, ServiceError.backupDisturbed)) }
    forgetting.add(scope, through: through, for: caller)
  }

  /// Whether the segment that is written to has to be sealed before records can be forgotten.
  var needsRollToForget: Bool { forgetting.needsRoll(at: log.horizon.position) }

  /// Begins to forget, once the segment that was written to is sealed or has no records.
  func beginForgetting() { forgetting.begin(log.horizon, removalError: retention.removalError) }

  /// Refuses to forget, for lack of space.
  func refuseForgetting() { forgetting.refuseWaiting() }

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

  /// Ends a backup; what was to be removed meanwhile is removed.
  func endBackup(on connection: ConnectionID) {
    log.segments.unpin()
    backups.removeAll { $0 == connection }
    if log.segments.isRemovalDelayed { retention.applySoon() }
  }
}

/// What upkeep has done.
struct UpkeepCounters {
  var segmentsPacked: Int64
  var segmentsRemoved: Int64
  var bytesRemoved: Int64
}

/// The files that a backup copies, and the history that they hold.
struct BackupFiles {
  let directory: String
  let files: [(name: String, firstPosition: Position, bytes: Int64)]
  let firstPosition: Position
  let lastPosition: Position
  let generation: Int64
}
