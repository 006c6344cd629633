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

  private let use: Int64
  private let allowed: Int64
  /// Which limit sets `allowed`.
  private let limit: RetentionLimits.Reason
  /// Segments whose last record is older go; `nil` when there is no such time.
  private let oldest: Int64?

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - use: the size of all of the log's files, in bytes.
  ///   - available: the free space of the file system, in bytes; `nil` when it is unknown.
  ///   - now: the current time, microseconds since the Unix epoch.
  init(_ limits: RetentionLimits, use: Int64, available: Int64?, now: Int64) {
    self.use = use
    (allowed, limit) = limits.allowed(use: use, available: available)
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
      if rest > allowed {
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
}
