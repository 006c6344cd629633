// The state of a client at some moment, looked up in the log.

import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// Answers `Get` for the past and for closed sessions: folds the log again, segment by segment backwards, until one tells
/// of the client.
final class StateQuery: ReplyStream {
  let token: CallToken
  private let wanted: WantedClient
  /// The last position that counts; `nil` for the present.
  private let position: Position?
  /// The last `received` that counts.
  private let time: Int64?
  /// The segment that is folded begins at the last checkpoint at or before this.
  private var start: Position = 0
  /// The last position that is folded, known once the query begins.
  private var limit: Position?
  private var walk: LogWalk?
  private var search: SessionSearch?
  /// The walk's part of the log certainly holds no record of the client: what it begins with is what there is.
  private var isPassedOver = false
  private var found: [ClientID: FoundState] = [:]

  init(token: CallToken, wanted: WantedClient, position: Position?, time: Int64?) {
    self.token = token
    self.wanted = wanted
    self.position = position
    self.time = time
  }

  var wantsRoom: Bool { false }

  func advance(_ service: Service, _ connection: Connection) -> StreamProgress {
    guard let limit else { return begin(service, connection) }
    do throws(ReadError) {
      guard let walk else { return try beginWalk(service, through: limit) }
      if !isPassedOver {
        var observer = ClosedObserver(wanted: wanted, found: found)
        let step = try walk.advance(through: limit, until: time ?? .max, &observer)
        found = observer.found
        if case .more = step { return .working }
      }
      for session in walk.projection.sessions.values where wanted.matches(session.client) {
        found[session.client] = FoundState(session)
      }
      if found.isEmpty, walk.start >= service.segments.firstPosition {
        return goBack(before: walk)
      }
      answer(connection)
    } catch {
      service.fail(token, connection, error)
    }
    return .ended
  }

  /// Answers at once where the present will do, else sets out into the log.
  private func begin(_ service: Service, _ connection: Connection) -> StreamProgress {
    let horizon = service.projection.position
    if let position, position > horizon {
      connection.varlink.reply(token, error: ServiceError.noSuchPosition(last: horizon))
      return .ended
    }
    if position == nil, time == nil {
      for session in service.projection.sessions.values where wanted.matches(session.client) {
        found[session.client] = FoundState(session)
      }
      if !found.isEmpty {
        answer(connection)
        return .ended
      }
    }
    let wanted = wanted
    search = SessionSearch(service.segments) { wanted.matches($1) }
    limit = position ?? horizon
    start = position ?? horizon
    if let time { start = service.segments.position(before: start, receivedBy: time) }
    return .working
  }

  private func beginWalk(_ service: Service, through limit: Position) throws(ReadError) -> StreamProgress {
    let next = try service.walk(fromCheckpointBefore: start)
    guard next.start > 0, let time, next.projection.received > time else {
      isPassedOver = try search?.isNothing(after: next.start, through: limit) == true
      walk = next
      return .working
    }
    // Of a segment that begins after the time, nothing counts.
    guard next.start >= service.segments.firstPosition else {
      throw .positionTrimmed(first: service.segments.firstPosition)
    }
    return goBack(before: next)
  }

  private func goBack(before walk: LogWalk) -> StreamProgress {
    // What comes behind was folded, and told nothing.
    limit = walk.start
    start = walk.start - 1
    self.walk = nil
    return .working
  }

  private func answer(_ connection: Connection) {
    do throws(VarlinkError) {
      let client = try wanted.choose(among: Array(found.keys))
      connection.varlink.reply(token) { writer in
        writer.key("state")
        found[client]?.write(to: &writer)
      }
    } catch {
      connection.varlink.reply(token, error: error)
    }
  }

  func heartbeat(_ service: Service, _ connection: Connection) {
    // Get has one answer, so there is nothing to say before it.
  }

  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver { .beginsAnew }

  func end(_ service: Service) {}
}

/// A state as it was.
struct FoundState {
  private let state: FoldState
  private let identity: StateIdentity

  init(_ session: Session) {
    state = session.state
    identity = session.identity(at: session.lastPosition)
  }

  func write(to writer: inout JSONWriter) {
    state.write(to: &writer, as: identity)
  }
}

/// Keeps the last states of closed sessions.
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
