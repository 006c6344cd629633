// One subscriber: what it watches, and how far it has come.

import ScrollLog
import ScrollModel
import Varlink

/// One subscriber: what it watches, and how far it has come.
///
/// It sends the present states, or reads the log again, each at its own pace, or is live and hears of what happens as it
/// happens. One that is too slow to stay live goes back to the log behind what it has got, and joins again at the log's
/// end: it loses nothing, and nobody waits for it.
final class Subscription: ReplyStream {
  /// How much may wait to be sent for a frame to be sent at once, in bytes.
  static let frameRoom = 16 << 10

  private enum Mode {
    /// It is about to send the present states.
    case beginning
    /// It sends the states as they were at its position, the next one last.
    case presenting([FoundState])
    /// It is about to read the log from behind a position.
    case behind(Position)
    /// It reads the log.
    case replaying(LogWalk)
    case live
  }

  let token: CallToken
  let connection: Connection.ID
  let wantsFrames: Bool
  /// The last position that it has got everything of.
  var position: Position

  /// Which block was pushed to it last, and whether it had room then.
  var pushedBlock: Int64 = -1
  var hadRoom = false

  private let peer: Peer
  private let seesEveryone: Bool
  private let glob: Glob
  private var mode: Mode
  /// Whether the replay is one that was asked for, with a frame for each event.
  private var isCatchingUp: Bool
  /// `caughtUp` is still to be sent.
  private var owesCaughtUp = true
  /// The sessions of which a newer frame is to be sent, in order.
  private var owedFrames: [SessionID] = []
  private var isOwed: Set<SessionID> = []

  /// A subscription to what happens after a position, or, without one, from now on, the present states first.
  init(
    token: CallToken, connection: Connection, seesEveryone: Bool, glob: Glob, after: Position?, wantsFrames: Bool,
    horizon: Position
  ) {
    self.token = token
    self.connection = connection.id
    self.wantsFrames = wantsFrames
    peer = connection.peer
    self.seesEveryone = seesEveryone
    self.glob = glob
    position = after ?? horizon
    isCatchingUp = after != nil
    mode = after.map { .behind($0) } ?? .beginning
  }

  /// A subscription that goes on from where another daemon left it.
  init(token: CallToken, connection: Connection, resuming state: SubscriptionState) {
    self.token = token
    self.connection = connection.id
    wantsFrames = state.wantsFrames
    peer = connection.peer
    seesEveryone = state.seesEveryone
    glob = Glob(state.patterns)
    position = state.position
    isCatchingUp = state.isCatchingUp
    owesCaughtUp = state.owesCaughtUp
    mode = .behind(state.position)
    for session in state.owedFrames { owe(frameOf: session) }
  }

  var isLive: Bool {
    if case .live = mode { return true }
    return false
  }

  /// How often it has become live.
  private(set) var liveTerm = 0

  var wantsRoom: Bool { !isLive || !owedFrames.isEmpty || owesCaughtUp }

  /// Whether it is for a session.
  func watches(_ session: Session) -> Bool {
    (seesEveryone || session.client.user == peer.user) && glob.matches(session.client.name)
  }

  /// It was too slow: it goes on from the log behind a position.
  func fallBehind(after position: Position) {
    mode = .behind(position)
  }

  /// Notes that a newer frame of a session is to be sent when there is room.
  func owe(frameOf session: SessionID) {
    if isOwed.insert(session).inserted { owedFrames.append(session) }
  }

  /// A session is closed: nothing is owed of it any more.
  func forget(_ session: SessionID) {
    if isOwed.remove(session) != nil { owedFrames.removeAll { $0 == session } }
  }

  func advance(_ service: Service, _ connection: Connection) -> StreamProgress {
    switch mode {
    case .beginning:
      position = service.projection.position
      let sessions = service.projection.sessions.values.filter { watches($0) }
      let states = sessions.sorted { $0.openedPosition > $1.openedPosition }.map { FoundState($0) }
      return present(states, service, connection)
    case .presenting(let states):
      return present(states, service, connection)
    case .behind(let position):
      if position == service.projection.position {
        // There is nothing to read.
        isCatchingUp = false
        goLive(service)
        return .working
      }
      do throws(ReadError) {
        mode = .replaying(try service.walk(from: position))
        return .working
      } catch {
        return fail(error, service, connection)
      }
    case .replaying(let walk):
      return replay(walk, service, connection)
    case .live:
      return sendOwed(service, connection)
    }
  }

  private func replay(_ walk: LogWalk, _ service: Service, _ connection: Connection) -> StreamProgress {
    var observer = ReplayObserver(service, self, connection, sendsFrames: wantsFrames && isCatchingUp)
    do throws(ReadError) {
      switch try walk.advance(through: service.projection.position, &observer) {
      case .more:
        position = max(position, walk.projection.position)
      case .atHorizon:
        position = walk.projection.position
        isCatchingUp = false
        goLive(service)
      }
      return .working
    } catch {
      return fail(error, service, connection)
    }
  }

  /// Sends the present states while there is room, and then goes on from where they were.
  private func present(
    _ states: [FoundState], _ service: Service, _ connection: Connection
  ) -> StreamProgress {
    var states = states
    mode = .beginning
    while let state = states.popLast() {
      send(state, connection)
      if connection.varlink.outputCount > service.outputLimit(of: connection) / 2, !states.isEmpty {
        mode = .presenting(states)
        return .waiting
      }
    }
    sendCaughtUp(service, connection)
    if position == service.projection.position {
      goLive(service)
      return .waiting
    }
    mode = .behind(position)
    return .working
  }

  private func send(_ state: FoundState, _ connection: Connection) {
    connection.varlink.reply(token, continues: true) { writer in
      writer.member("position", position)
      writer.key("state")
      state.write(to: &writer)
    }
  }

  private func goLive(_ service: Service) {
    mode = .live
    liveTerm += 1
    service.joinLive(self)
  }

  private func sendOwed(_ service: Service, _ connection: Connection) -> StreamProgress {
    // Everything up to the horizon was sent, or is told by the newer states that follow.
    position = service.projection.position
    while let id = owedFrames.first {
      // Few at a time, so that what waits in the buffer is never old.
      guard connection.varlink.outputCount <= Self.frameRoom else { return .waiting }
      owedFrames.removeFirst()
      isOwed.remove(id)
      sendFrame(of: id, service, connection)
    }
    if owesCaughtUp { sendCaughtUp(service, connection) }
    return .waiting
  }

  private func sendFrame(of id: SessionID, _ service: Service, _ connection: Connection) {
    // Closed meanwhile: the closing was sent.
    guard let session = service.projection.sessions[id] else { return }
    service.shared.removeAll()
    SubscriptionMessage.state(session, at: position, of: session.lastPosition, to: &service.shared)
    service.metrics.framesPushed += 1
    service.sendShared(token, connection)
  }

  private func sendCaughtUp(_ service: Service, _ connection: Connection) {
    owesCaughtUp = false
    let position = position
    let generation = service.generations.current
    connection.varlink.reply(token, continues: true) {
      $0.member("position", position)
      $0.member("caughtUp", true)
      $0.member("generation", generation)
    }
  }

  private func fail(_ error: ReadError, _ service: Service, _ connection: Connection) -> StreamProgress {
    service.fail(token, connection, error)
    return .ended
  }

  // MARK: Going on elsewhere

  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver {
    switch mode {
    case .beginning: return .beginsAnew
    case .presenting(let states):
      // What is left of the states as they were goes out with what waits to be sent already.
      for state in states.reversed() { send(state, connection) }
      sendCaughtUp(service, connection)
    case .behind, .replaying: break
    case .live:
      position = service.projection.position
    }
    return .goesOn(state(service))
  }

  func rest(_ service: Service) -> ConnectionState.Stream? {
    isLive && !wantsRoom ? state(service) : nil
  }

  private func state(_ service: Service) -> ConnectionState.Stream {
    .subscription(
      SubscriptionState(
        patterns: glob.patterns, wantsFrames: wantsFrames, seesEveryone: seesEveryone, position: position,
        generation: service.generations.current, isCatchingUp: isCatchingUp, owesCaughtUp: owesCaughtUp,
        owedFrames: owedFrames))
  }

  func heartbeat(_ service: Service, _ connection: Connection) {
    if isLive { position = service.projection.position }
    let position = position
    connection.varlink.reply(token, continues: true) { $0.member("position", position) }
  }

  func end(_ service: Service) {
    service.leaveLive(self)
    fallBehind(after: position)
    let left = service.subscriptionsPerUser[peer.user, default: 1] - 1
    service.subscriptionsPerUser[peer.user] = left == 0 ? nil : left
  }
}
