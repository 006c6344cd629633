import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The answer to `Follow`: the records after a position once they are on the disk, in batches, then new ones.
///
/// It folds the log again, so that what events change, and what sessions come to, can be sent with their records. At the end of
/// the log it keeps its fold, and continues when more is on the disk.
final class FollowStream: ReplyStream, LogReading {
  /// What a call asks for.
  struct Request {
    let glob: Glob
    /// The position after which records are sent, and the last one of the caller's history that is also this log's.
    let after: Position
    /// When the daemon received the record at `after`, as the caller knows it.
    let received: Int64?
    /// Whether a crash took back positions after `after` that the caller has.
    let isTakenBack: Bool
    /// The id of this run of the daemon, if it is recorded.
    let run: SessionID?
  }

  /// How long a record is in a reply, in bytes.
  private static let typicalRecord = 384

  private enum Mode {
    /// About to check that the record at the position is the one that the caller knows.
    case checking(LogReader, received: Int64)
    /// About to begin a walk.
    case behind
    case walking(LogWalk)
  }

  let channel: ReplyChannel
  private let followers: Followers
  private let history: History
  private let glob: Glob
  private var mode: Mode
  /// The last position of which everything was sent, and when the daemon received its record; `nil` when the log no longer has
  /// that.
  private var position: Position
  private var received: Int64?
  private var isTakenBack: Bool
  /// The id of this run of the daemon; `nil` once it was sent.
  private var run: SessionID?
  /// What was forgotten, as the caller knows; `nil` before the first reply.
  private var forgotten: Followers.Forgotten?
  private var isCaughtUp = false
  /// The open sessions that the caller knows, and those of them that it doesn't get.
  private var sessions: [SessionID: Standing] = [:]
  private var batch = FollowBatch()

  private enum Standing {
    case described
    case omitted
  }

  init(_ followers: Followers, _ history: History, _ channel: ReplyChannel, _ request: Request) {
    self.followers = followers
    self.history = history
    self.channel = channel
    glob = request.glob
    position = request.after
    received = request.received
    isTakenBack = request.isTakenBack
    run = request.run
    if let received = request.received, request.after >= history.firstPosition {
      mode = .checking(history.reader(after: request.after - 1), received: received)
    } else {
      mode = .behind
    }
  }

  private var hasSent: Bool { forgotten != nil }

  var wantsRoom: Bool { !isCaughtUp || position < followers.durable || forgotten?.name != followers.forgotten?.name }

  var mayRestart: Bool { !hasSent }

  // MARK: Turns

  func advance() -> StreamProgress {
    do throws(ReadError) {
      if case .checking(let reader, let received) = mode { return try check(reader, received) }
      if isTakenBack { sendTakenBack() }
      if let known = followers.forgotten, known.name != forgotten?.name { sendForgotten(known) }
      if position + 1 < history.firstPosition { sendGap(through: history.firstPosition - 1) }
      if position >= followers.durable { return wait() }
      guard history.readings.begin(self) else { return .waiting }
      if case .walking(let walk) = mode { return try advance(walk) }
      let glob = glob
      mode = .walking(
        history.walk(from: position, sessionsPerStep: SessionCursor.sessionsPerTurn(matching: glob)) {
          glob.matches($1.name.text)
        })
      return .working
    } catch {
      // Retention was faster. The next turn sends the gap.
      if case .positionTrimmed(let first) = error, position + 1 < first {
        mode = .behind
        return .working
      }
      // Nothing more can be done about it, and everything behind it is there.
      if case .logDamaged(let damage) = error, let gap = damage.lostInRepair {
        sendGap(through: gap.upperBound)
        mode = .behind
        return .working
      }
      channel.fail(history.report(error))
      return .ended
    }
  }

  /// Checks that the record at the position is the one that the caller knows.
  private func check(_ reader: LogReader, _ received: Int64) throws(ReadError) -> StreamProgress {
    var reader = reader
    guard case .block(let block) = try reader.next(through: followers.durable) else {
      mode = .checking(reader, received: received)
      return .working
    }
    guard block.received == received else {
      channel.fail(ServiceError.otherHistory(position: position, received: block.received))
      return .ended
    }
    mode = .behind
    return .working
  }

  private func wait() -> StreamProgress {
    if !isCaughtUp {
      isCaughtUp = true
      send { $0.member("caughtUp", true) }
    }
    followers.wait(channel.connectionID)
    // Another call of the user may need the place.
    if history.readings.counts(of: channel.account).waiting > 0 {
      releaseReading()
      history.readings.end(self)
    }
    return .waiting
  }

  private func advance(_ walk: LogWalk) throws(ReadError) -> StreamProgress {
    let generations = history.generations
    let room = Int64(max(0, 2 * channel.outputLimit - channel.outputCount) / Self.typicalRecord)
    let step = max(4, min(glob.recordsPerTurn, room))
    // Before its position, the walk only folds, and after it, all records of a reply are of one generation.
    let start = walk.projection.position
    let end =
      start < position ? position : min(followers.durable, generations.lastPosition(withGenerationOf: position + 1))
    var observer = FollowObserver(self, after: position)
    _ = try walk.advance(through: min(end, start + step), &observer)
    if walk.projection.position > position {
      position = walk.projection.position
      received = walk.projection.received
      sendBatch()
    }
    if history.readings.count(self) { return .working }
    releaseReading()
    return .waiting
  }

  // MARK: Replies

  private func send(_ members: (inout JSONWriter) -> Void) {
    channel.send { writer in
      writer.member("position", position)
      writer.member("generation", history.generations.generation(of: position))
      writer.member("received", ifPresent: received)
      if let run { writer.member("run", run) }
      members(&writer)
    }
    run = nil
  }

  private func sendForgotten(_ known: Followers.Forgotten) {
    forgotten = known
    for (session, standing) in sessions where standing == .described { sessions[session] = nil }
    send { $0.member("forgotten", known.name) }
  }

  private func sendTakenBack() {
    isTakenBack = false
    send { writer in
      writer.key("takenBack")
      writer.beginObject()
      writer.member("after", position)
      writer.endObject()
    }
  }

  private func sendGap(through last: Position) {
    let first = position + 1
    position = last
    received = nil
    send { writer in
      writer.key("gap")
      writer.beginObject()
      writer.member("first", first)
      writer.member("last", last)
      writer.endObject()
    }
  }

  private func sendBatch() {
    send { batch.write(to: &$0) }
    batch.removeAll()
  }

  func sendHeartbeat() {
    // Before the first reply nothing is known that could be said.
    if hasSent { send { _ in } }
  }

  // MARK: Records

  fileprivate func take(_ session: Session, at place: RecordPlace, _ record: Record, _ more: (inout JSONWriter) -> Void)
  {
    guard isSent(session) else { return }
    batch.add(record, of: session, at: place, more)
  }

  /// Forgets a session that was closed.
  fileprivate func end(_ session: SessionID) { sessions[session] = nil }

  /// Whether a session's records are sent. It is described before its first one.
  private func isSent(_ session: Session) -> Bool {
    switch sessions[session.id] {
    case .described: return true
    case .omitted: return false
    case nil: break
    }
    // The list has the ids that users know.
    if let forgotten, !forgotten.selection.list.isEmpty,
      forgotten.selection.includes(session.shownID, of: session.client, received: session.openedReceived)
    {
      sessions[session.id] = .omitted
      return false
    }
    sessions[session.id] = .described
    batch.add(session)
    return true
  }

  // MARK: The end

  func handOver() -> StreamHandOver { hasSent ? .impossible : .restarts }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() {
    history.readings.end(self)
    followers.end(channel.account, channel.connectionID)
    mode = .behind
  }

  // MARK: Memory

  /// A set of sessions may be three eighths full.
  var heldBytes: Int { readingBytes + batch.heldBytes + 3 * sessions.count * (MemoryLayout<SessionID>.size + 1) }

  var readingBytes: Int {
    if case .walking(let walk) = mode { return walk.heldBytes }
    return 0
  }

  func releaseReading() {
    if case .walking = mode { mode = .behind }
  }
}

/// The observer of a walk, which passes the records after a position on.
private struct FollowObserver: ProjectionObserver {
  private let stream: FollowStream
  private let after: Position

  init(_ stream: FollowStream, after: Position) {
    self.stream = stream
    self.after = after
  }

  func opened(_ session: Session, at place: RecordPlace) {
    guard place.position > after else { return }
    stream.take(session, at: place, .open(session.opening)) { _ in }
  }

  func stepped(_ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace) {
    guard place.position > after else { return }
    stream.take(session, at: place, .event(event, number: number)) { writer in
      if !step.changed.isEmpty { session.state.writeChange(step, to: &writer) }
    }
  }

  func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    guard place.position > after else { return }
    stream.take(session, at: place, .request(request)) { _ in }
  }

  func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {
    guard place.position > after else { return }
    stream.take(session, at: place, .response(response)) { _ in }
  }

  func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    if place.position > after {
      stream.take(session, at: place, .close(closing)) { $0.summary(of: session, closing) }
    }
    stream.end(session.id)
  }

  func forgot(_ session: SessionID, at place: RecordPlace) { stream.end(session) }
}
