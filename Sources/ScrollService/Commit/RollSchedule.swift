import ScrollLog

/// The schedule by which the writer seals the active segment and begins the next one.
struct RollSchedule {
  /// The configured size of a segment, in bytes.
  var segmentSize: Int64
  /// Whether the segment is to be sealed regardless of its size.
  private(set) var isRequested = false
  /// The waiting callers of `Rotate`.
  private var callers: [Caller] = []
  /// The size of the segment's head, in bytes; 0 while this daemon has begun no segment.
  private(set) var headSize: Int64 = 0
  /// Log growth before the next attempt, after one found no space, in bytes.
  private var delay: Int64 = 0
  private var hasLoggedFailure = false
  /// How many sessions were opened in the segment since this daemon has it.
  private var openings = 0
  /// How many sessions a segment may begin, unless its head is large. Queries read the index of a segment at once, and it
  /// names each session.
  static let maximumOpenings = 8192
  /// How many sessions a segment may begin, whatever the size of its head.
  static let absoluteMaximumOpenings = 65_536
  /// How much has to follow a head, as a multiple of its size, before a segment is sealed for its openings.
  private static let growthPerHead: Int64 = 4

  init(segmentSize: Int) { self.segmentSize = Int64(segmentSize) }

  /// The size at which the segment is sealed, in bytes.
  private var limit: Int64 { Self.size(segmentSize, headSize: headSize) + delay }

  /// Returns the size at which a segment with a head is sealed, in bytes.
  ///
  /// The head counts, since it takes as much of the disk as records do. But at least as much follows it as it takes, since
  /// otherwise every commit would begin a segment once the head is as large as one.
  static func size(_ segmentSize: Int64, headSize: Int64) -> Int64 { max(segmentSize, 2 * headSize) }

  func isDue(segmentBytes: Int64) -> Bool {
    isRequested || segmentBytes >= limit || hasManyOpenings(segmentBytes)
  }

  /// Whether the segment begins so many sessions that it is to be sealed.
  ///
  /// A head has the texts of all open sessions, and nothing is committed while it is written. Whoever has many open, and
  /// opens and closes others without end, must not make the daemon write little else.
  private func hasManyOpenings(_ segmentBytes: Int64) -> Bool {
    if openings < Self.maximumOpenings { return false }
    return segmentBytes - headSize >= Self.growthPerHead * headSize || openings >= Self.absoluteMaximumOpenings
  }

  /// Records that the segment has one session more.
  mutating func countOpening() { openings += 1 }

  /// Seals the segment as soon as possible, and then answers a caller.
  mutating func request(by caller: Caller? = nil) {
    isRequested = true
    if let caller { callers.append(caller) }
  }

  /// Records that a segment was begun, or that the active one has no records, which is as good.
  ///
  /// - Parameter headSize: The size of the new segment's checkpoint; `nil` when none was begun.
  /// - Returns: The callers to answer.
  mutating func finish(headSize: Int64?) -> [Caller] {
    if let headSize {
      self.headSize = headSize
      openings = 0
      delay = 0
      hasLoggedFailure = false
    }
    return takeCallers()
  }

  /// Records that there was no space for a segment. The active one grows until the next attempt, also into reserved
  /// space.
  ///
  /// - Returns: The callers to refuse, and whether the failure is to be logged.
  mutating func fail() -> (refused: [Caller], isFirst: Bool) {
    delay += segmentSize / 8
    openings = 0
    defer { hasLoggedFailure = true }
    return (takeCallers(), !hasLoggedFailure)
  }

  private mutating func takeCallers() -> [Caller] {
    isRequested = false
    defer { callers = [] }
    return callers
  }
}
