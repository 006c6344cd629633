import JSON
import ScrollJSON
import ScrollLog
import ScrollModel

/// What a session of the log comes to, as `Sessions` reports it.
struct SessionReport {
  /// The id under which the log has it.
  let id: SessionID
  /// The id by which its user calls it.
  let shownID: SessionID
  let client: ClientID
  let application: String?
  let title: String?
  let policy: String
  let openedPosition: Position
  let opened: Int64
  let openedReceived: Int64
  let events: Int64
  let measures: SessionMeasures?
  /// The closing and its place; `nil` for an open session.
  let closing: Closing?
  let place: RecordPlace

  /// - Parameters:
  ///   - texts: The session's texts, which folds of queries don't keep; the opening's when `nil`.
  ///   - place: The place of the closing; `nil` for an open session.
  init(_ session: Session, texts: (application: String?, title: String?)? = nil, closing: (Closing, RecordPlace)?) {
    id = session.id
    shownID = session.shownID
    client = session.client
    application = texts?.application ?? session.opening.application
    title = texts?.title ?? session.opening.title
    policy = session.opening.policy.name
    openedPosition = session.openedPosition
    opened = session.opening.time
    openedReceived = session.openedReceived
    events = session.nextNumber - 1
    measures = session.measures
    self.closing = closing?.0
    place = closing?.1 ?? RecordPlace(position: session.lastPosition, received: session.lastReceived)
  }

  /// The positions from the opening to the last record.
  var positions: ClosedRange<Position> { openedPosition...max(openedPosition, place.position) }

  /// What the report takes in memory at most, in bytes.
  var size: Int {
    320 + client.name.text.utf8.count + (application?.utf8.count ?? 0) + (title?.utf8.count ?? 0) + policy.utf8.count
  }

  /// Writes the members of the reply.
  ///
  /// - Parameter isWhole: Whether the log has all of its records.
  func writeReply(to writer: inout JSONWriter, isWhole: Bool) {
    writer.key("summary")
    writer.beginObject()
    writer.member("client", client.name.text)
    writer.member("user", client.user)
    writer.member("session", shownID)
    writer.member("application", ifPresent: application)
    writer.member("title", ifPresent: title)
    writer.member("policy", policy)
    writer.member("position", openedPosition)
    writer.member("opened", opened)
    writer.member("received", openedReceived)
    writer.member("lastReceived", place.received)
    writer.member("closed", ifPresent: closing?.time)
    writer.member("reason", ifPresent: closing.map { "\($0.reason.name)" })
    writer.member("whole", isWhole)
    writer.member("events", events)
    if let measures {
      writer.member("duration", closing.map { measures.duration(closedAt: $0.time) } ?? measures.duration)
      writer.member("reach", ifPresent: measures.reach)
      writer.member("flips", measures.flips)
      writer.member("flickers", measures.flickers)
    }
    writer.endObject()
  }
}

/// The sessions that were closed last, so that listing them need not read the log.
///
/// It holds every session that was closed after ``start``, in order. It is derived: a start begins with none, sessions that
/// don't fit are dropped, the oldest first, and whoever needs one of those folds the log again.
final class ClosedSessionIndex {
  /// How much the reports may take, in bytes. Enough for some 20,000 sessions, whoever closed them.
  static let standardLimit = 8 << 20

  /// The position after which every closing is in the index.
  private(set) var start: Position
  /// The reports in the order of their closings, from the index `first` on.
  private var reports: [SessionReport] = []
  private var first = 0
  private(set) var bytes = 0
  /// How many times sessions were removed because the log loses them.
  private(set) var removals = 0
  private let limit: Int

  init(after position: Position, limit: Int = standardLimit) {
    start = position
    self.limit = limit
  }

  /// How many sessions it holds.
  var count: Int { reports.count - first }

  /// How much more it can hold, in bytes.
  var room: Int { limit - bytes }

  /// Adds a session that was closed after all others.
  func add(_ report: SessionReport) {
    reports.append(report)
    bytes += report.size
    while bytes > limit, first < reports.count { dropFirst() }
    if first > 1024, first > reports.count / 2 {
      reports.removeFirst(first)
      first = 0
    }
  }

  private func dropFirst() {
    start = reports[first].place.position
    bytes -= reports[first].size
    first += 1
  }

  /// Adds the sessions that were closed before, up to ``start``, if there is room.
  ///
  /// - Parameters:
  ///   - position: The position after which they are all that were closed.
  ///   - known: ``removals`` when the first of them was found. Of those removed since, some may be among them.
  func prepend(_ earlier: [SessionReport], after position: Position, removals known: Int) {
    let size = earlier.reduce(0) { $0 + $1.size }
    guard size <= room, position < start, known == removals else { return }
    reports.replaceSubrange(..<first, with: earlier)
    first = 0
    bytes += size
    start = position
  }

  /// Removes the sessions that satisfy a condition, since the log loses them.
  func remove(where isRemoved: (SessionReport) -> Bool) {
    removals += 1
    reports = reports[first...].filter { report in
      guard isRemoved(report) else { return true }
      bytes -= report.size
      return false
    }
    first = 0
  }

  /// Removes all sessions, since it is not known any more which the log has up to a position. Whoever asks for them folds the log.
  func reset(after position: Position) {
    (reports, first, bytes) = ([], 0, 0)
    start = max(start, position)
  }

  /// Removes the sessions of which the log has no record left.
  func trim(before position: Position) {
    while first < reports.count, reports[first].place.position < position { dropFirst() }
    start = max(start, position - 1)
  }

  /// Returns the first session that was closed after a position; `nil` when none is left.
  func next(after position: Position) -> SessionReport? {
    var (low, high) = (first, reports.count)
    while low < high {
      let middle = (low + high) / 2
      if reports[middle].place.position <= position { low = middle + 1 } else { high = middle }
    }
    return low < reports.count ? reports[low] : nil
  }
}

extension ForgetScope {
  /// Whether it includes a session that is closed.
  func includes(_ report: SessionReport) -> Bool {
    includes(report.id, given: report.shownID, of: report.client, received: report.openedReceived)
  }
}
