import ScrollModel

/// What is known about a session when it begins.
struct SessionHead {
  /// The session's place among those that were read, 1 for the first.
  var key: Int64
  /// The file's name by which it can be told apart from the others, or the client's name.
  var name: String
  /// The recording's path, as the command line gives it; `nil` for a session of the log.
  var path: String?
  /// The line on which the session begins in the file.
  var line: Int?
  var client: String?
  var user: UInt32?
  var id: SessionID?
  var application: String?
  var title: String?
  /// The policy to fold the session with: a logged session's own, or the default policy for a recording.
  var policy: Policy
  /// The time of the opening, in microseconds since the Unix epoch.
  var opened: Int64?
}

/// How a session ended.
struct SessionEnd {
  /// The time of the closing, in microseconds since the Unix epoch; `nil` for a session that is still open, or a recording that
  /// was cut short.
  var closed: Int64?
  var reason: Closing.Reason?
}

/// An event's place in its session and in the log.
struct EventPlace {
  /// The number in the session, or the line in the file. Both count from 1.
  var number: Int64
  var position: Position?
  /// When the daemon received it, in microseconds since the Unix epoch.
  var received: Int64?
}

/// Something that takes sessions event by event, several at the same time.
protocol SessionSink: AnyObject {
  /// What the sink knows about a session that has begun.
  associatedtype Session

  func begin(_ head: SessionHead) throws -> Session
  func add(_ event: Event, at place: EventPlace, to session: Session) throws
  /// Ends a session that has events. One without any is only released.
  func end(_ session: Session, _ end: SessionEnd) throws
  /// Removes what the sink has written, because another sink begins again.
  func abandon()
}

extension SessionSink {
  func abandon() {}
}

/// The sessions that were left out, by reason.
struct LeftOut: Equatable {
  /// Sessions whose beginning the log no longer has.
  var trimmed = 0
  /// Sessions that lost events, or may have, where the log is damaged.
  var damaged = 0
  /// Sessions without events.
  var empty = 0

  /// Whether a part of the log could not be read, which may have held whole sessions.
  var hasGap = false
  /// Whether arguments selected nothing.
  var hasUnmatched = false

  /// Adds what else was left out.
  mutating func add(_ other: LeftOut) {
    trimmed += other.trimmed
    damaged += other.damaged
    empty += other.empty
    hasGap = hasGap || other.hasGap
    hasUnmatched = hasUnmatched || other.hasUnmatched
  }

  /// Whether sessions are missing that should be there, or may be.
  var isLoss: Bool { trimmed + damaged > 0 || hasGap || hasUnmatched }

  /// The sessions as a message; `nil` when none was left out.
  var description: String? {
    let reasons = [
      (trimmed, "whose beginning the log no longer has"), (damaged, "that may have lost events"),
      (empty, "without events"),
    ].filter { $0.0 > 0 }
    guard !reasons.isEmpty || hasGap else { return nil }
    let count = trimmed + damaged + empty
    let lost = hasGap ? "the sessions that began where the log is damaged, whose number is unknown" : ""
    if reasons.isEmpty { return "left out " + lost }
    return "left out \(count) \(count == 1 ? "session" : "sessions"): "
      + reasons.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + (hasGap ? "; and " + lost : "")
  }
}
