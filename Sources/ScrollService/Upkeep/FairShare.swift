import ScrollLog
import ScrollModel

/// The jobs that have to be done before segments may go because the log is too large, so that nobody loses records for the
/// sake of a user above the fair share.
struct FairShare {
  /// The next job; `nil` if segments may go.
  private(set) var job: UpkeepJob?
  /// Whether a job has failed, so that the oldest segments go as a whole for now.
  private var hasFailed = false
  /// When each user above the share was last logged, by the monotonic clock.
  private var logged: [UInt32: Int64] = [:]
  private static let logInterval: Int64 = 3_600_000_000
  private let segments: SegmentList
  private let clock: ServiceClock
  private let journal: Journal

  init(_ segments: SegmentList, clock: ServiceClock, journal: Journal) {
    self.segments = segments
    self.clock = clock
    self.journal = journal
  }

  /// Chooses the next job.
  ///
  /// - Parameters:
  ///   - unpacked: The size of the segments that are about to be packed.
  ///   - growth: How much the log grows before the limits are applied again.
  ///   - available: The free bytes on the file system; `nil` if they are unknown.
  ///   - present: The users with open sessions.
  ///   - subordinates: The ids that count for their owners.
  /// - Returns: Whether there is one, so that the oldest segment has to wait for it.
  mutating func plan(
    to limits: RetentionLimits, activeBytes: Int64, unpacked: Int64, growth: Int64, available: Int64?,
    present: Set<UInt32>, subordinates: SubordinateUsers
  ) -> Bool {
    job = nil
    if hasFailed { return false }
    let step = segments.fairStep(
      to: limits, activeBytes: activeBytes, unpacked: unpacked, growth: growth, available: available,
      present: present, account: subordinates.owner)
    switch step {
    case nil: return false
    case .measure(let first): job = .measure(first)
    case .trim(let user, let first):
      job = .forget(.segment(first, .share(of: UserIDs(owner: user, subordinates: subordinates.ids(of: user)))))
      log(user)
    }
    return true
  }

  /// Allows jobs again after one has failed.
  mutating func retryLater() { hasFailed = false }

  private mutating func log(_ user: UInt32) {
    let now = clock.monotonic()
    if let last = logged[user], now - last < Self.logInterval { return }
    logged = logged.filter { now - $0.value < Self.logInterval }
    logged[user] = now
    journal.log(.shareExceeded(user: user))
  }

  /// Records whose records a segment holds.
  mutating func didMeasure(_ first: Position, _ use: SegmentUse) {
    job = nil
    segments.setUse(first, use)
  }

  /// Records that the records of a user above the share were taken out of a segment.
  mutating func didTrim(_ first: Position, _ user: UInt32, _ found: ForgottenRecords) {
    job = nil
    segments.didTrim(first, user)
    if let bytes = found.segmentBytes { segments.resize(first, to: bytes) }
  }

  /// Records that a job has failed. A damaged segment then counts as nobody's; after other failures, whole segments go.
  mutating func didFail(_ first: Position, _ error: ReadError) {
    job = nil
    if case .logDamaged = error { segments.setUse(first, SegmentUse()) } else { hasFailed = true }
    journal.log(.shareFailed(error))
  }
}
