import Platform
import ScrollLog
import ScrollModel

/// The retention of the past: which segments leave the log, and the removal of their files.
struct Retention {
  /// The configured limits.
  struct Settings: Equatable {
    var maximumUse: DiskShare?
    var keepFree: DiskShare?
    /// Microseconds; `.max` for any age.
    var maximumAge: Int64
    /// The configured size of a segment, in bytes.
    var segmentSize: Int64

    init(_ configuration: Configuration) {
      segmentSize = Int64(configuration.segmentSize)
      maximumUse = configuration.maximumUse
      keepFree = configuration.keepFree
      maximumAge = configuration.maximumRetention
    }

    /// Returns the limits on a file system, as far as they are known if its size is not.
    ///
    /// - Parameter usedAtStart: The size of the log when the daemon started, in bytes.
    func limits(_ space: FileSystemSpace?, usedAtStart: Int64) -> RetentionLimits {
      var limits = RetentionLimits.none
      limits.maximumAge = maximumAge
      limits.keepsNewest = true
      limits.floor = keepFree == nil ? max(usedAtStart, Retention.defaultMinimum) : usedAtStart
      if let total = space?.total {
        let tenth = min(DiskShare.percent(10).bytes(of: total), Retention.defaultShareLimit)
        limits.maximumUse = maximumUse?.bytes(of: total) ?? max(tenth, Retention.defaultMinimum)
        let free = min(DiskShare.percent(15).bytes(of: total), Retention.defaultShareLimit)
        limits.keepFree = keepFree?.bytes(of: total) ?? free
      } else if case .bytes(let bytes) = maximumUse {
        limits.maximumUse = bytes
      }
      return limits
    }

    /// Returns the size at which a segment is sealed: at most an eighth of the log, so that removing one leaves most of it.
    ///
    /// - Parameter allowed: The maximum size of the log, in bytes.
    func segmentSize(ofLog allowed: Int64) -> Int64 {
      min(segmentSize, max(allowed / 8, Retention.minimumSegmentSize))
    }

    /// Returns the size at which a segment is sealed, on a file system with a log of a given size.
    func segmentSize(_ space: FileSystemSpace?, use: Int64, usedAtStart: Int64) -> Int64 {
      let limits = limits(space, usedAtStart: usedAtStart)
      return segmentSize(
        ofLog: min(limits.maximumUse, limits.allowedByFree(use: use, available: space?.available)))
    }
  }

  /// How often the limits are applied apart from after each roll, in microseconds.
  static let interval: Int64 = 60_000_000
  /// The maximum of the defaults of `MaxUse=` and `KeepFree=`, in bytes.
  private static let defaultShareLimit: Int64 = 4 << 30
  /// What the defaults leave for the log on a tiny or nearly full file system, in bytes.
  private static let defaultMinimum: Int64 = 16 << 20
  /// The minimum of `SegmentSize=`. Smaller limits of the log do not make its files smaller.
  private static let minimumSegmentSize: Int64 = 1 << 20

  var settings: Settings
  /// When the limits are next applied, by the monotonic clock.
  private(set) var due = Int64.min
  private var sizing: SegmentSizing
  private(set) var segmentsRemoved: Int64 = 0
  private(set) var bytesRemoved: Int64 = 0
  /// What keeps the records of users within the fair share.
  var fairShare: FairShare
  /// The segments that have left the log and whose files remain to be removed, the oldest first.
  private var trimmed: [TrimmedSegment] = []
  /// Why the removal failed. It is attempted again when the limits are next applied.
  private(set) var removalError: FileError?
  /// The callers of `Vacuum` that wait for the removal, with the bytes that it frees.
  private var vacuumCallers: [(caller: Caller, freed: Int64)] = []
  private var hasLoggedUnknownSpace = false
  private let usedAtStart: Int64
  private let segments: SegmentList
  private let effects: EffectQueue
  private let clock: ServiceClock
  /// Limited, since users who write much cause removals.
  private let journal: LimitedJournal

  init(
    _ settings: Settings, _ segments: SegmentList, usedAtStart: Int64, effects: EffectQueue, clock: ServiceClock,
    journal: Journal
  ) {
    self.settings = settings
    sizing = SegmentSizing(segmentSize: settings.segmentSize)
    fairShare = FairShare(segments, clock: clock, journal: journal)
    self.segments = segments
    self.usedAtStart = usedAtStart
    self.effects = effects
    self.clock = clock
    self.journal = LimitedJournal(journal, clock)
  }

  // MARK: What leaves the log

  /// Applies the configured limits.
  ///
  /// - Parameters:
  ///   - activeBytes: The size of the active segment.
  ///   - headBytes: The size of its head.
  ///   - unpackedBytes: The size of the segments that are about to be packed.
  ///   - present: The users with open sessions.
  ///   - subordinates: The ids that count for their owners in the fair share.
  /// - Returns: Whether the active segment has records that are too old, so that it has to be sealed.
  mutating func apply(
    activeBytes: Int64, headBytes: Int64 = 0, unpackedBytes: Int64 = 0, present: Set<UInt32> = [],
    subordinates: SubordinateUsers = SubordinateUsers()
  ) -> Bool {
    due = clock.monotonic() + Self.interval
    journal.tick(clock.monotonic())
    removalError = nil
    let space = space()
    let size = settings.segmentSize(space, use: segments.sealedBytes + activeBytes, usedAtStart: usedAtStart)
    let limits = settings.limits(space, usedAtStart: usedAtStart)
    sizing.update(settings, limits, to: size, use: segments.sealedBytes + activeBytes, space, journal)
    // The next time is when the active segment is sealed, and the next one has its head.
    let growth = max(0, RollSchedule.size(size, headSize: headBytes) + headBytes - activeBytes)
    var found: [TrimmedSegment] = []
    var next: [TrimmedSegment] = []
    // The files of segments that have left the log are still there.
    var available = space.map { $0.available + Self.size(of: trimmed) }
    repeat {
      // To pack a segment takes space, too, and so does the next file. Without it, nothing is packed and the disk stays full.
      let hasRoom = available.map { $0 >= 2 * size } ?? true
      let unpackedBytes = hasRoom ? unpackedBytes : 0
      let isWaiting = fairShare.plan(
        to: limits, activeBytes: activeBytes, unpacked: unpackedBytes, growth: growth, available: available,
        present: present, subordinates: subordinates)
      // Meanwhile the log may exceed MaxUse=, but it must not fill the disk.
      var bounds = limits
      if isWaiting { bounds.maximumUse = .max }
      next = take(
        to: bounds, activeBytes: activeBytes, unpacked: isWaiting ? .max : unpackedBytes, growth: growth,
        available: available, atMost: 1)
      available? += Self.size(of: next)
      found += next
    } while !next.isEmpty
    remove(found, isRequested: false)
    fairShare.retryLater()
    return segments.lastSegmentSince.map(isTooOld) ?? false
  }

  /// The size at which a segment is sealed, in bytes.
  var segmentSize: Int64 { sizing.segmentSize }

  /// Applies the limits at the next opportunity.
  mutating func applySoon() { due = .min }

  private func isTooOld(_ received: Int64) -> Bool { received < clock.ago(settings.maximumAge) }

  private mutating func space() -> FileSystemSpace? {
    do throws(FileError) {
      let space = try segments.space()
      hasLoggedUnknownSpace = false
      return space
    } catch {
      if !hasLoggedUnknownSpace { journal.log(.spaceUnknown(error)) }
      hasLoggedUnknownSpace = true
      return nil
    }
  }

  /// Removes what exceeds a caller's limits, and answers the caller once the files are gone.
  mutating func vacuum(to limits: RetentionLimits, activeBytes: Int64, for caller: Caller) {
    remove(take(to: limits, activeBytes: activeBytes, unpacked: 0, available: nil), isRequested: true)
    removalError = nil
    vacuumCallers.append((caller, Self.size(of: trimmed)))
    answerVacuums()
  }

  private static func size(of trimmed: [TrimmedSegment]) -> Int64 { trimmed.reduce(0) { $0 + $1.bytes } }

  /// Takes the oldest segments out of the log while it exceeds the limits.
  ///
  /// - Parameters:
  ///   - unpacked: The size of the segments that are about to be packed.
  ///   - growth: How much the log grows before the limits are applied again.
  ///   - available: The free bytes on the file system; `nil` if they don't matter or are unknown.
  ///   - count: How many segments to take at most.
  private mutating func take(
    to limits: RetentionLimits, activeBytes: Int64, unpacked: Int64, growth: Int64 = 0, available: Int64?,
    atMost count: Int = .max
  ) -> [TrimmedSegment] {
    let wasDelayed = segments.isRemovalDelayed
    // Age counts the time that really passed, also where a jump of the clock made `received` differ from it.
    let now = clock.ago(limits.maximumAge).addingReportingOverflow(limits.maximumAge).partialValue
    let found = segments.trim(
      to: limits, activeBytes: activeBytes, unpacked: unpacked, growth: growth, available: available, now: now,
      atMost: count)
    if segments.isRemovalDelayed, !wasDelayed { journal.log(.removalDelayed) }
    return found
  }

  /// Removes the files of segments that were taken out of the log.
  ///
  /// - Parameter isRequested: Whether a caller set the limits, rather than the configuration.
  private mutating func remove(_ found: [TrimmedSegment], isRequested: Bool) {
    guard let first = found.first, let last = found.last else { return }
    trimmed += found
    let bytes = Self.size(of: found)
    let why = isRequested ? "as requested" : "for \(Self.key(of: last.reason))"
    journal.log(
      .removing(from: first.firstPosition, to: last.lastPosition, bytes: bytes, segments: found.count, why: why))
  }

  private static func key(of reason: RetentionLimits.Reason) -> String {
    switch reason {
    case .use: "MaxUse="
    case .free: "KeepFree="
    case .age: "MaxRetentionSec="
    }
  }

  // MARK: Removal

  /// The next segment whose files are to be removed.
  var nextRemoval: TrimmedSegment? { removalError == nil ? trimmed.first : nil }

  /// Records that the files of the oldest segment are gone.
  mutating func didRemove(_ segment: TrimmedSegment) {
    trimmed.removeFirst()
    segmentsRemoved += 1
    bytesRemoved += segment.bytes
    answerVacuums()
  }

  /// Records that the files of the oldest segment could not be removed. Newer ones stay, so that the log has no gap.
  mutating func didNotRemove(_ error: FileError) {
    journal.log(.removalFailed(error))
    removalError = error
    for (caller, _) in vacuumCallers { effects.add(.refuse(caller, ServiceError.notRemoved(error))) }
    vacuumCallers = []
  }

  private mutating func answerVacuums() {
    guard trimmed.isEmpty else { return }
    for (caller, freed) in vacuumCallers {
      let content = Answer.Content.vacuumed(firstPosition: segments.firstPosition, freed: freed)
      effects.add(.answer(Answer(caller: caller, content: content)))
    }
    vacuumCallers = []
  }
}

/// The size at which a segment is sealed, and the warnings about it.
private struct SegmentSizing {
  /// The size in bytes.
  private(set) var segmentSize: Int64
  /// The settings whose contradictions have been logged.
  private var checked: Retention.Settings?

  init(segmentSize: Int64) { self.segmentSize = segmentSize }

  /// Sets the size, and logs once when settings can't all be kept.
  ///
  /// - Parameters:
  ///   - limits: What the settings come to on this file system.
  ///   - use: The size of the log, in bytes.
  mutating func update(
    _ settings: Retention.Settings, _ limits: RetentionLimits, to size: Int64, use: Int64, _ space: FileSystemSpace?,
    _ journal: LimitedJournal
  ) {
    segmentSize = size
    if checked == settings { return }
    checked = settings
    let isConfigured = settings.segmentSize != Int64(Configuration().segmentSize)
    if isConfigured, size < settings.segmentSize {
      journal.log(.segmentSizeReduced(to: size, from: settings.segmentSize))
    }
    guard let space else { return }
    let allowed = min(limits.maximumUse, limits.allowedByFree(use: use, available: space.available))
    if settings.keepFree != nil, limits.keepFree >= space.total {
      journal.log(.keepFreeExceedsDisk(limits.keepFree, total: space.total, allowed: allowed))
    } else if settings.maximumUse != nil, limits.maximumUse > space.total - limits.keepFree {
      let (use, free) = (limits.maximumUse, limits.keepFree)
      journal.log(.sizesContradict(maximumUse: use, keepFree: free, total: space.total, allowed: allowed))
    }
    // Below the floor, KeepFree= does not apply, and to pack a segment takes space, too.
    let rest = space.available - max(0, allowed - use)
    if limits.keepFree < space.total, rest < limits.keepFree, rest < size {
      journal.log(.spaceShort(allowed: allowed, used: use, available: space.available, keepFree: limits.keepFree))
    }
  }
}
