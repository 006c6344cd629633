import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The answer to `Get` and to `Explain`: the present state, or a past one. To find a past state, the query replays the log segment by
/// segment, backwards, until a segment has the client.
final class StateQuery: ReplyStream, LogReading {
  let channel: ReplyChannel
  private let history: History
  private let wanted: WantedClient
  /// The position as of which the state is wanted; `nil` for the present.
  private let position: Position?
  /// The time, as in `received`, as of which the state is wanted.
  private let time: Int64?
  /// Where the walk begins: at the last checkpoint at or before this position.
  private var start: Position = 0
  /// The last position that the walk folds; `nil` before the query begins.
  private var last: Position?
  private var walk: LogWalk?
  private var search: SessionSearch?
  /// Up to where the walk's part of the log certainly has no record of the client, as far as is known. If that is all of it, the
  /// walk's checkpoint has the answer.
  private var searched: Position?
  private var found: [ClientID: FoundState] = [:]

  /// Whether the answer also says what last turned the toolbar.
  private let explains: Bool

  init(
    _ history: History, _ channel: ReplyChannel, wanted: WantedClient, position: Position?, time: Int64?,
    explains: Bool = false
  ) {
    self.history = history
    self.explains = explains
    self.channel = channel
    self.wanted = wanted
    self.position = position
    self.time = time
  }

  var wantsRoom: Bool { false }

  func advance() -> StreamProgress {
    guard let last else { return begin() }
    do throws(ReadError) {
      guard let walk else {
        guard history.readings.begin(self) else { return .waiting }
        let wanted = wanted
        self.walk = history.walk(fromCheckpointBefore: start) { wanted.matches($1) }
        return .working
      }
      guard let begun = walk.start else { return try beginSome(walk) }
      if let reached = searched, reached < last {
        // At most a segment a turn.
        if try search?.examineSome(after: reached) == false { return progress }
        let end = try search?.endOfNothing(after: reached) ?? reached
        searched = end == reached ? nil : end
        return progress
      }
      if walk.isPreparing {
        try walk.prepareSome()
        return progress
      }
      if searched == nil {
        var observer = ClosedObserver(wanted: wanted, found: found)
        let step = try walk.advance(through: last, until: time ?? .max, &observer)
        found = observer.found
        if case .more = step { return progress }
      }
      find(in: walk.projection.sessions.values)
      if found.isEmpty, begun >= history.firstPosition { return goBack(before: begun) }
      answer()
    } catch {
      channel.fail(history.report(error))
    }
    return .ended
  }

  private var progress: StreamProgress {
    if history.readings.count(self) { return .working }
    releaseReading()
    return .waiting
  }

  /// Answers at once if the present has the answer; otherwise starts reading the log.
  private func begin() -> StreamProgress {
    let horizon = history.horizon
    if let position, position > horizon.position {
      channel.fail(ServiceError.noSuchPosition(last: horizon.position))
      return .ended
    }
    if position == nil, time == nil {
      find(in: horizon.sessions(named: wanted.name))
      if !found.isEmpty {
        answer()
        return .ended
      }
    }
    let wanted = wanted
    search = history.search { wanted.matches($1) }
    let last = position ?? horizon.position
    self.last = last
    start = time.map { history.position(before: last, receivedBy: $0) } ?? last
    return .working
  }

  /// Reads a piece of the checkpoint with which the walk begins.
  private func beginSome(_ walk: LogWalk) throws(ReadError) -> StreamProgress {
    try walk.prepareSome()
    guard let begun = walk.start else { return progress }
    guard begun > 0, let time, walk.projection.received > time else {
      searched = begun
      return progress
    }
    // A segment that begins after the time has no answer.
    guard begun >= history.firstPosition else { throw .positionTrimmed(first: history.firstPosition) }
    return goBack(before: begun)
  }

  /// Continues with the checkpoint before the one with which the walk began.
  private func goBack(before begun: Position) -> StreamProgress {
    // Nothing can be folded through the gap that a repair has left.
    let end = history.repairedGap(at: begun).map { $0.lowerBound - 1 } ?? begun
    last = end
    start = end - 1
    walk = nil
    return .working
  }

  private func find(in sessions: some Sequence<Session>) {
    for session in sessions where wanted.matches(session.client) { found[session.client] = FoundState(session) }
  }

  private func answer() {
    do throws(VarlinkError) {
      let client = try wanted.choose(among: Array(found.keys))
      channel.send(continues: false) { writer in
        writer.key("state")
        found[client]?.write(to: &writer)
        if explains { writeTurn(of: history.horizon.session(of: client), to: &writer) }
      }
    } catch {
      channel.fail(error)
    }
  }

  /// Writes what last turned the toolbar of an open session; of a closed one, only the log knows.
  private func writeTurn(of session: Session?, to writer: inout JSONWriter) {
    writer.member("open", session != nil)
    guard let session else { return }
    if let turn = session.turn {
      writer.member("turned", true)
      writer.key("turn")
      turn.write(to: &writer)
    } else if session.hasNeverTurned {
      writer.member("turned", false)
    }
  }

  func sendHeartbeat() {
    // The answer to Get is a single reply, so none can precede it.
  }

  func handOver() -> StreamHandOver { .restarts }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() { history.readings.end(self) }

  // MARK: Memory

  var heldBytes: Int { found.count * Projection.queriedSessionSize + readingBytes }

  var readingBytes: Int { walk?.heldBytes ?? 0 }

  /// The walk begins again where it began; what it finds is the same.
  func releaseReading() {
    walk = nil
    searched = nil
  }
}

extension Turn {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("position", position)
    writer.member("number", number)
    writer.member("time", time)
    writer.member("trigger", "\(reason.trigger.name)")
    writer.member("reason", reason.description)
    writer.member("fold", Self.hexadecimal(encoded))
    writer.endObject()
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// An observer that keeps the last states of closed sessions.
private struct ClosedObserver: ProjectionObserver {
  let wanted: WantedClient
  var found: [ClientID: FoundState]

  mutating func opened(_ session: Session, at place: RecordPlace) {}
  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {}
  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}
  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}
  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    if wanted.matches(session.client) { found[session.client] = FoundState(session) }
  }
}
