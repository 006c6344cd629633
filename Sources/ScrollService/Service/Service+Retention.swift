// How much of the past is kept.

import ScrollLog
import ScrollModel
import Varlink

extension Service {
  /// How often retention is looked at besides after each roll, in microseconds.
  static let retentionInterval: Int64 = 60_000_000
  /// What the defaults of `MaxUse=` and `KeepFree=` are at most, in bytes.
  private static let defaultShareLimit: Int64 = 4 << 30
  /// What the defaults leave to the log in any case, in bytes: on a tiny or a nearly full file system they would leave nothing.
  private static let defaultMinimum: Int64 = 16 << 20

  /// Takes the oldest segments out of the log while it exceeds the configured limits. Their files are removed by the
  /// upkeep thread.
  func applyRetention() {
    retentionDue = clock.monotonic() + Self.retentionInterval
    removalError = nil
    isPackingPut = false
    // Records must not stay only because their segment never fills up.
    if let since = segments.lastSegmentSince, isTooOld(since) { wantsRoll = true }
    let space = space()
    var limits = RetentionLimits.none
    limits.maximumAge = configuration.maximumRetention
    limits.floor = configuration.keepFree == nil ? max(usedAtStart, Self.defaultMinimum) : usedAtStart
    if let space {
      let total = space.total
      let tenth = min(DiskShare.percent(10).bytes(of: total), Self.defaultShareLimit)
      limits.maximumUse = configuration.maximumUse?.bytes(of: total) ?? max(tenth, Self.defaultMinimum)
      let free = min(DiskShare.percent(15).bytes(of: total), Self.defaultShareLimit)
      limits.keepFree = configuration.keepFree?.bytes(of: total) ?? free
    } else if case .bytes(let bytes) = configuration.maximumUse {
      limits.maximumUse = bytes
    }
    trim(to: limits, available: space?.available, isAsked: false)
  }

  private func isTooOld(_ received: Int64) -> Bool {
    let (oldest, overflow) = clock.wall().subtractingReportingOverflow(configuration.maximumRetention)
    return !overflow && received < oldest
  }

  private func space() -> FileSystemSpace? {
    do throws(FileError) {
      defer { isSpaceUnknown = false }
      return try segments.space()
    } catch {
      if !isSpaceUnknown { journal.log(.spaceUnknown(error)) }
      isSpaceUnknown = true
      return nil
    }
  }

  /// Takes the oldest segments out of the log while it exceeds limits.
  ///
  /// - Parameters:
  ///   - available: How many bytes are free on the file system; `nil` when that doesn't matter or is unknown.
  ///   - isAsked: Whether somebody asked for it, rather than the configuration.
  func trim(to limits: RetentionLimits, available: Int64?, isAsked: Bool) {
    let wasHeldBack = segments.isHeldBack
    let found = segments.trim(
      to: limits, activeBytes: written.reservedBytes, available: available, now: clock.wall())
    if segments.isHeldBack, !wasHeldBack { journal.log(.removalDelayed) }
    guard let first = found.first, let last = found.last else { return }
    trimmed += found
    let bytes = found.reduce(0) { $0 + $1.bytes }
    let why = isAsked ? "as was asked for" : "for \(Self.key(of: last.reason))"
    journal.log(
      .removing(
        from: first.firstPosition, to: last.lastPosition, bytes: bytes, segments: found.count, why: why))
  }

  private static func key(of reason: RetentionLimits.Reason) -> String {
    switch reason {
    case .use: "MaxUse="
    case .free: "KeepFree="
    case .age: "MaxRetentionSec="
    }
  }

  /// The next removal; `nil` when there is none to do now.
  var nextRemoval: TrimmedSegment? {
    removalError != nil ? nil : trimmed.first
  }

  /// The files of the oldest segment are gone.
  func didRemove(_ segment: TrimmedSegment) {
    trimmed.removeFirst()
    metrics.segmentsRemoved += 1
    metrics.bytesRemoved += segment.bytes
    answerVacuums()
  }

  /// The files of the oldest segment could not be removed. Nothing behind them is, so that what is left stays one log.
  func didNotRemove(_ error: FileError) {
    journal.log(.removalFailed(error))
    removalError = error
    answerVacuums { connection, answer in
      connection.varlink.reply(answer.token, error: ServiceError.notRemoved(error))
    }
  }

  /// Answers the calls to `Vacuum` once all is removed.
  func answerVacuums() {
    guard trimmed.isEmpty else { return }
    let first = segments.firstPosition
    answerVacuums { connection, answer in
      connection.varlink.reply(answer.token) {
        $0.member("firstPosition", first)
        $0.member("freed", answer.freed)
      }
    }
  }

  private func answerVacuums(_ reply: (Connection, VacuumAnswer) -> Void) {
    for answer in vacuumAnswers {
      guard let connection = connections[answer.connection] else { continue }
      reply(connection, answer)
      markDirty(connection)
    }
    vacuumAnswers = []
  }
}
