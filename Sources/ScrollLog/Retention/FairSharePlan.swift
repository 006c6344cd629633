import ScrollModel

/// A decision whose records leave a log that is too large, made from sizes alone.
///
/// A user's *fair share* is the size that the log may have without what belongs to nobody, divided by the number of users who
/// have records in it. While a user has more than that, nobody else loses a record: the oldest records of the user with the most
/// go first.
struct FairSharePlan {
  /// A sealed segment.
  struct Segment {
    /// The size of its file.
    var bytes: Int64
    /// Whose records it holds; `nil` while that is unknown.
    var use: SegmentUse?
    /// The users whose records have been taken out of it, as far as that is possible.
    var trimmed: Set<UInt32> = []
  }

  /// What has to happen next.
  enum Step: Equatable {
    /// The oldest segment goes as a whole.
    case removeOldest
    /// It has to be found out whose records a segment holds, by its index.
    case measure(Int)
    /// A user's records are taken out of a segment, by its index.
    case trim(user: UInt32, Int)
  }

  /// The sealed segments, oldest first.
  let segments: [Segment]
  /// The size that the log may have, in bytes.
  let allowed: Int64
  /// The users with open sessions, who count even if the sealed segments have nothing of them.
  let present: Set<UInt32>

  var step: Step {
    if let unknown = segments.firstIndex(where: { $0.use == nil }) { return .measure(unknown) }
    guard let oldest = segments.first?.use else { return .removeOldest }
    let held = heldByUser
    let shared = allowed - segments.reduce(0) { $0 + $1.bytes } + held.values.reduce(0, +)
    let share = max(0, shared) / Int64(max(1, present.union(held.keys).count))
    let above = held.filter { $0.value > share }
    // Nobody loses anything for the sake of somebody else.
    if oldest.users.keys.allSatisfy({ above[$0] != nil }) { return .removeOldest }
    // The order is the same on each run: the user with the most, then the smaller id.
    for user in above.keys.sorted(by: { (above[$1] ?? 0, $0) < (above[$0] ?? 0, $1) }) {
      let index = segments.firstIndex { $0.use?.users[user] != nil && !$0.trimmed.contains(user) }
      if let index { return .trim(user: user, index) }
    }
    return .removeOldest
  }

  /// How much of a file a user's records and sessions take at most, as a multiple of their size. A small record in a block of its
  /// own takes almost four times as much. What is left of a file without another user's records would otherwise count for
  /// those who still have something in it.
  private static let greatestMultiple: Int64 = 4

  /// Each user's part of the files: every file is divided in proportion to the sizes of the records and sessions in it.
  private var heldByUser: [UInt32: Int64] {
    var held: [UInt32: Int64] = [:]
    for segment in segments {
      guard let use = segment.use, case let all = use.bytes, all > 0 else { continue }
      for (user, bytes) in use.users {
        let part = Int64(Double(segment.bytes) * (Double(bytes) / Double(all)))
        held[user, default: 0] += min(part, Self.greatestMultiple * bytes)
      }
    }
    return held
  }
}
