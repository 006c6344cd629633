import ScrollModel

/// A decision which of the oldest segments have to go, made from sizes and times alone.
struct RetentionPlan {
  /// A sealed segment as retention sees it.
  struct Segment {
    /// The size of all files that go with it.
    var bytes: Int64
    /// When its last record was received, microseconds since the Unix epoch; `nil` where damage hides it.
    var lastReceived: Int64?
  }

  private let limits: RetentionLimits
  private let use: Int64
  /// The size to which the free space limits the log.
  private let allowedByFree: Int64
  /// The size of the segments that wait to be packed.
  private let unpacked: Int64
  /// How much the log grows before the next plan.
  private let growth: Int64
  /// Segments whose last record is older go; `nil` when there is no such time.
  private let oldest: Int64?

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - use: the size of all of the log's files, in bytes.
  ///   - unpacked: how many of these bytes are in segments that are about to be packed. Nothing is removed for their sake
  ///     while the log takes no more than twice its maximum, and a quarter more than the free space allows: packed, they take
  ///     a fifth.
  ///   - growth: how much is added before the next plan, in bytes. Twice the maximum is not exceeded until then.
  ///   - available: the free space of the file system, in bytes; `nil` when it is unknown.
  ///   - now: the current time, microseconds since the Unix epoch.
  init(
    _ limits: RetentionLimits, use: Int64, unpacked: Int64 = 0, growth: Int64 = 0, available: Int64?, now: Int64
  ) {
    self.limits = limits
    self.use = use
    self.unpacked = unpacked
    self.growth = growth
    allowedByFree = limits.allowedByFree(use: use, available: available)
    let (oldest, overflow) = now.subtractingReportingOverflow(limits.maximumAge)
    self.oldest = overflow ? nil : oldest
  }

  /// Returns why segments go, one reason for each of them, from the oldest one on.
  ///
  /// - Parameter segments: the sealed segments, oldest first.
  func reasons(for segments: [Segment]) -> [RetentionLimits.Reason] {
    var reasons: [RetentionLimits.Reason] = []
    var rest = use
    for (index, segment) in segments.enumerated() {
      // Where damage hides the time of a segment's last record, that of a later one counts.
      let lastReceived = segments[index...].lazy.compactMap(\.lastReceived).first
      if let limit = limit(exceededBy: rest, isNewest: index == segments.count - 1) {
        reasons.append(limit)
      } else if let oldest, let lastReceived, lastReceived < oldest {
        reasons.append(.age)
      } else {
        break
      }
      rest -= segment.bytes
    }
    return reasons
  }

  /// Returns the limit that a log of some size exceeds, the smaller one if both.
  private func limit(exceededBy size: Int64, isNewest: Bool) -> RetentionLimits.Reason? {
    let exceedsUse =
      exceeds(size, limits.maximumUse, tolerance: limits.maximumUse - growth) && !(limits.keepsNewest && isNewest)
    if exceedsUse, limits.maximumUse <= allowedByFree { return .use }
    return exceeds(size, allowedByFree, tolerance: allowedByFree / 4) ? .free : exceedsUse ? .use : nil
  }

  private func exceeds(_ size: Int64, _ limit: Int64, tolerance: Int64) -> Bool {
    size - limit > min(unpacked, max(0, tolerance))
  }
}
