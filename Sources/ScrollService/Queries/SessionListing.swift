import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The answer to `Sessions`: what each session of the log comes to, one per reply. Closed sessions come in the order of their
/// closing, then those that are open in the order of their opening.
///
/// The index has the sessions that were closed last. For earlier ones it folds the log in bounded steps, and holds nothing but
/// the sessions that are open where it is. Each reply is withheld until it is known whether another one follows, because it has
/// to say so.
final class SessionListing: ReplyStream, LogReading {
  /// Which sessions are listed.
  struct Selection {
    /// The user whose sessions may be listed; `nil` for everyone's.
    var onlyUser: UInt32?
    /// Whether it is all sessions of the log.
    var isEverything: Bool
    /// Returns whether it may be one of them. Walks ask this about thousands of sessions at once, so it costs little.
    var mayInclude: (SessionID, ClientID) -> Bool
    /// Returns whether it is one of them.
    var includes: (SessionID, ClientID) -> Bool
    /// How many sessions a step may ask ``includes`` about, or records it may fold.
    var perStep = SessionCursor.sessionsPerTurn
  }

  let channel: ReplyChannel
  private let history: History
  private let selection: Selection
  /// The position after which closings are still to be sent.
  private var after: Position
  private var walk: LogWalk?
  /// The texts of the sessions that are open where the walk is, which folds of queries don't keep.
  private var texts = SessionTexts()
  /// All that the walk has reached, for the index.
  private var collected: [SessionReport] = []
  private var collectedBytes = 0
  private var collectedAfter: Position?
  private let removalsBefore: Int
  /// The open sessions that are still to be found; `nil` before all closed ones are sent.
  private var cursor: SessionCursor?
  /// The reply that is withheld.
  private var withheld = ByteBuffer()
  private var hasSent = false

  /// - Parameter after: Only sessions that were closed after this position, or are open.
  init(_ history: History, _ channel: ReplyChannel, after: Position, _ selection: Selection) {
    self.history = history
    self.channel = channel
    self.after = after
    self.selection = selection
    removalsBefore = history.closedSessions.removals
    if selection.isEverything { collectedAfter = after }
  }

  var wantsRoom: Bool { true }

  var mayRestart: Bool { !hasSent }

  func advance() -> StreamProgress {
    history.closedSessions.trim(before: history.firstPosition)
    do throws(ReadError) {
      if cursor == nil, after < history.closedSessions.start { return try advanceWalk() }
    } catch {
      sendWithheld(continues: true)
      channel.fail(history.report(error))
      return .ended
    }
    history.readings.end(self)
    guard sendClosed(), sendOpen() else { return .working }
    sendWithheld(continues: false)
    return .ended
  }

  // MARK: Sessions that the log has to be read for

  private func advanceWalk() throws(ReadError) -> StreamProgress {
    guard let walk else {
      guard history.readings.begin(self) else { return .waiting }
      walk = history.walk(from: after, where: selection.mayInclude)
      walk?.recordsPerStep = min(LogWalk.recordsPerStep, 4 * Int64(selection.perStep))
      walk?.search = history.search(sessionsPerStep: 4 * selection.perStep, where: selection.includes)
      return .working
    }
    var observer = ClosingObserver(self)
    let last = history.closedSessions.start
    if case .more = try walk.advance(through: last, &observer) {
      if history.readings.count(self) { return .working }
      releaseReading()
      return .waiting
    }
    after = last
    self.walk = nil
    texts = SessionTexts()
    if let collectedAfter {
      history.closedSessions.prepend(collected, after: collectedAfter, removals: removalsBefore)
    }
    collected = []
    collectedAfter = nil
    return .working
  }

  fileprivate func begin(_ session: Session) { texts.add(session) }

  fileprivate func end(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    let found = texts.remove(session.id)
    guard place.position > after, selection.includes(session.id, session.client) else { return }
    let report = SessionReport(session, texts: found, closing: (closing, place))
    collect(report)
    take(report)
  }

  private func collect(_ report: SessionReport) {
    guard collectedAfter != nil else { return }
    collected.append(report)
    collectedBytes += report.size
    if collectedBytes > history.closedSessions.room {
      collected = []
      collectedAfter = nil
      collectedBytes = 0
    }
  }

  // MARK: Sessions of the index, and open ones

  /// Sends some of the closed sessions of the index.
  ///
  /// - Returns: Whether none is left.
  private func sendClosed() -> Bool {
    if cursor != nil { return true }
    for _ in 0..<selection.perStep {
      guard let report = history.closedSessions.next(after: after) else {
        cursor = SessionCursor(user: selection.onlyUser, through: history.horizon.position)
        return true
      }
      after = report.place.position
      if selection.includes(report.id, report.client) { take(report) }
    }
    return false
  }

  /// Sends some of the open sessions.
  ///
  /// - Returns: Whether none is left.
  private func sendOpen() -> Bool {
    guard var cursor else { return false }
    defer { self.cursor = cursor }
    var budget = selection.perStep
    while let session = cursor.next(
      in: history.horizon, budget: &budget, where: { selection.includes($0.id, $0.client) })
    {
      take(SessionReport(session, closing: nil))
    }
    return budget > 0
  }

  private func take(_ report: SessionReport) {
    if !withheld.isEmpty { sendWithheld(continues: true) }
    withheld.appendJSON { writer in
      writer.beginObject()
      report.writeReply(to: &writer, isWhole: !history.mayLackRecords(in: report.positions))
      writer.endObject()
    }
  }

  private func sendWithheld(continues: Bool) {
    // Without a session there is still a last reply to send.
    if withheld.isEmpty, continues { return }
    hasSent = true
    channel.send(continues: continues, encoded: withheld)
    withheld.removeAll()
  }

  func sendHeartbeat() { channel.send() }

  func handOver() -> StreamHandOver { hasSent ? .impossible : .restarts }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() { history.readings.end(self) }

  // MARK: Memory

  var heldBytes: Int { withheld.allocatedCount + texts.bytes + collectedBytes + readingBytes }

  var readingBytes: Int { walk?.heldBytes ?? 0 }

  /// The walk begins again at a checkpoint before what it has passed; what follows is the same.
  func releaseReading() {
    guard let walk else { return }
    after = max(after, walk.projection.position)
    self.walk = nil
  }
}

/// The texts of some sessions.
private struct SessionTexts {
  private var texts: [SessionID: (application: String?, title: String?)] = [:]
  private(set) var bytes = 0

  mutating func add(_ session: Session) {
    remove(session.id)
    texts[session.id] = (session.opening.application, session.opening.title)
    bytes += Self.size(session.opening.application, session.opening.title)
  }

  @discardableResult
  mutating func remove(_ id: SessionID) -> (application: String?, title: String?)? {
    guard let found = texts.removeValue(forKey: id) else { return nil }
    bytes -= Self.size(found.application, found.title)
    return found
  }

  private static func size(_ application: String?, _ title: String?) -> Int {
    128 + (application?.utf8.count ?? 0) + (title?.utf8.count ?? 0)
  }
}

private struct ClosingObserver: ProjectionObserver {
  private let listing: SessionListing

  init(_ listing: SessionListing) { self.listing = listing }

  func opened(_ session: Session, at place: RecordPlace) { listing.begin(session) }
  func stepped(_ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace) {}
  func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}
  func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}
  func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    // A session that is being forgotten is closed like this where that has not reached it yet.
    if closing.reason != .forgotten { listing.end(session, closing, at: place) }
  }
}
