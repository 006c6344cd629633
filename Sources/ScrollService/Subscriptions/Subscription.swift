import JSON
import ScrollLog
import ScrollModel
import Varlink

/// One subscriber: what it watches, and the position that it has reached.
///
/// It replays the log, at its reader's pace, or it is live and gets each change as it happens. If the reader is too slow for
/// that, the subscription continues from the log, and becomes live again at the horizon. It loses nothing, and nobody waits
/// for it.
///
/// Without a position to begin at, it is live at once, for sessions whose state it has sent: it sends the present states in
/// the order of their openings, as there is room.
final class Subscription: ReplyStream, LogReading {
  /// How much output may wait when a frame is sent at once, in bytes.
  static let frameRoom = 16 << 10

  /// How long a transition is, in bytes.
  private static let typicalMessage = 512

  private enum Mode {
    /// About to begin with the present states.
    case beginning
    /// About to replay the log after a position.
    case behind(Position)
    case replaying(LogWalk)
    case live
  }

  let wantsFrames: Bool
  let channel: ReplyChannel
  /// The last position of which everything was sent.
  private(set) var position: Position
  /// How many times it has become live.
  private(set) var liveTerm = 0

  private(set) var filter: SubscriptionFilter
  private let subscriptions: Subscriptions
  private let history: History
  private var mode: Mode
  /// Whether it replays what its caller asked for, with a frame for each event, rather than what its reader was too
  /// slow for.
  private var isCatchingUp: Bool
  private var owesCaughtUp = true
  /// Whether its caller may have been shown sessions before. It is told of each that was forgotten in the meantime.
  let mayKnowSessions: Bool
  private var owedFrames = OwedFrames()
  /// The sessions whose present states are still to be sent. Until then, the subscriber gets no changes of them.
  private var unpresented: SessionCursor?
  /// The last block that was pushed to it, and whether there was room before.
  private var pushedBlock: (number: Int64, hadRoom: Bool) = (-1, false)

  /// Creates a subscription to the changes after a position or, without one, to the present states and all later
  /// changes.
  init(
    _ subscriptions: Subscriptions, _ history: History, _ channel: ReplyChannel, _ filter: SubscriptionFilter,
    after: Position?, wantsFrames: Bool
  ) {
    self.subscriptions = subscriptions
    self.history = history
    self.channel = channel
    self.filter = filter
    self.wantsFrames = wantsFrames
    position = after ?? history.horizon.position
    isCatchingUp = after != nil
    mayKnowSessions = after != 0
    mode = after.map { .behind($0) } ?? .beginning
  }

  /// Resumes a subscription of the previous daemon.
  init(_ subscriptions: Subscriptions, _ history: History, _ channel: ReplyChannel, resuming state: SubscriptionState) {
    self.subscriptions = subscriptions
    self.history = history
    self.channel = channel
    filter = SubscriptionFilter(
      user: channel.peer.user, seesEveryone: state.seesEveryone, glob: Glob(state.patterns))
    wantsFrames = state.wantsFrames
    position = state.position
    isCatchingUp = state.isCatchingUp
    mayKnowSessions = true
    owesCaughtUp = state.owesCaughtUp
    mode = .behind(state.position)
    for session in state.owedFrames { owedFrames.add(session) }
    if let range = state.unpresented {
      unpresented = SessionCursor(user: filter.onlyUser, after: range.after, through: range.through)
    }
  }

  var isLive: Bool {
    if case .live = mode { return true }
    return false
  }

  var wantsRoom: Bool { !isLive || !owedFrames.isEmpty || owesCaughtUp }

  var mayRestart: Bool {
    if case .beginning = mode { return true }
    return false
  }

  func watches(_ session: Session) -> Bool {
    !owesState(of: session) && filter.admits(session.client)
  }

  /// Whether the present state of a session is still to be sent. Until then, its changes are not.
  func owesState(of session: Session) -> Bool { unpresented?.isAhead(session) ?? false }

  // MARK: Live

  /// Sends a message about a record. If the reader is too slow, the subscription falls behind instead.
  ///
  /// - Parameter block: The number of the block that the record is in.
  /// - Returns: Whether the message was sent.
  func push(_ message: PushMessage, at position: Position, inBlock block: Int64) -> Bool {
    if pushedBlock.number != block {
      pushedBlock = (block, channel.outputCount <= channel.outputLimit / 2)
    }
    // A large block does not make a reader slow: nothing of it could be sent earlier. What counts is the room before
    // it.
    let limit = channel.outputLimit * (pushedBlock.hadRoom ? Subscriptions.burstFactor : 1)
    guard channel.outputCount <= limit else {
      mode = .behind(position - 1)
      return false
    }
    channel.send(encoded: message.bytes)
    self.position = position
    return true
  }

  /// Lets a live subscription continue from the log, because too many pushes wait for it.
  func fallBehind(after position: Position) { mode = .behind(position) }

  /// Whether a frame can be sent at once, rather than the session's newest one later.
  var hasFrameRoom: Bool { channel.outputCount <= Self.frameRoom }

  /// Marks a session whose newest frame is sent as soon as there is room.
  func owe(frameOf session: SessionID) { owedFrames.add(session) }

  /// Forgets a session that was closed, or whose newest frame was sent.
  func forget(_ session: SessionID) { if !owedFrames.isEmpty { owedFrames.remove(session) } }

  // MARK: Turns

  func advance() -> StreamProgress {
    switch mode {
    case .beginning:
      position = history.horizon.position
      unpresented = SessionCursor(user: filter.onlyUser, through: position)
      join()
      return sendOwed()
    case .behind(let position):
      return beginReplay(after: position)
    case .replaying(let walk):
      return replay(walk)
    case .live:
      return sendOwed()
    }
  }

  /// Sends present states while there is room. From then on, the changes of these sessions are sent.
  ///
  /// - Returns: `nil` when none is left.
  private func present(_ cursor: SessionCursor) -> StreamProgress? {
    var cursor = cursor
    defer { unpresented = cursor }
    var budget = SessionCursor.sessionsPerTurn(matching: filter.glob)
    while channel.outputCount <= channel.outputLimit / 2 {
      guard let session = cursor.next(in: history.horizon, budget: &budget, where: { filter.admits($0.client) }) else {
        return budget == 0 ? .working : nil
      }
      send(session)
    }
    return .waiting
  }

  private func beginReplay(after position: Position) -> StreamProgress {
    if position == history.horizon.position {
      isCatchingUp = false
      self.position = position
      join()
      return .working
    }
    guard history.readings.begin(self) else { return .waiting }
    let filter = filter
    let sessions = SessionCursor.sessionsPerTurn(matching: filter.glob)
    mode = .replaying(history.walk(from: position, sessionsPerStep: sessions) { filter.admits($1) })
    return .working
  }

  private func replay(_ walk: LogWalk) -> StreamProgress {
    var observer = ReplayObserver(self, after: position, sendsFrames: wantsFrames && isCatchingUp)
    do throws(ReadError) {
      // Each record may have to be matched with the patterns, and may be sent.
      let room = Int64(max(0, 2 * channel.outputLimit - channel.outputCount) / Self.typicalMessage)
      let horizon = history.horizon.position
      let last = min(horizon, walk.projection.position + max(4, min(filter.glob.recordsPerTurn, room)))
      let step = try walk.advance(through: last, &observer)
      position = max(position, walk.projection.position)
      if case .atHorizon = step, last == horizon {
        position = walk.projection.position
        isCatchingUp = false
        join()
        return .working
      }
      if history.readings.count(self) { return .working }
      releaseReading()
      return .waiting
    } catch {
      channel.fail(history.report(error))
      return .ended
    }
  }

  private func join() {
    history.readings.end(self)
    mode = .live
    liveTerm += 1
    subscriptions.join(self)
  }

  private func sendOwed() -> StreamProgress {
    // What follows has the positions and states of the horizon, and must not overtake what leads to them.
    if subscriptions.awaitPushes(self) { return .waiting }
    // Everything up to the horizon was sent, or is covered by the newer states that follow.
    position = history.horizon.position
    while !owedFrames.isEmpty {
      // Only a few wait in the buffer, so that none of them is old.
      guard hasFrameRoom else { return .waiting }
      guard let id = owedFrames.popFirst() else { break }
      // If the session was closed in the meantime, the subscriber was notified of that.
      guard let session = history.horizon[id] else { continue }
      channel.send { SubscriptionMessage.writeState(session, at: position, of: session.lastPosition, to: &$0) }
      subscriptions.countFrame()
    }
    if let cursor = unpresented {
      if let progress = present(cursor) { return progress }
      unpresented = nil
    }
    if owesCaughtUp { sendCaughtUp() }
    return .waiting
  }

  private func send(_ session: Session) {
    channel.send { SubscriptionMessage.writeState(session, at: position, of: session.lastPosition, to: &$0) }
  }

  private func sendCaughtUp() {
    owesCaughtUp = false
    channel.send {
      $0.member("position", position)
      $0.member("caughtUp", true)
      $0.member("generation", history.generation)
    }
  }

  func sendHeartbeat() {
    if isLive { position = subscriptions.reached(self) }
    channel.send { $0.member("position", position) }
  }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() {
    subscriptions.leave(self)
    history.readings.end(self)
    mode = .behind(position)
    // Entries that are void may refer to it for some seconds, and many subscriptions would release their patterns together.
    filter = SubscriptionFilter(user: filter.user, seesEveryone: filter.seesEveryone, glob: Glob())
  }

  // MARK: Memory

  var heldBytes: Int { readingBytes + owedFrames.heldBytes + filter.glob.heldBytes }

  var readingBytes: Int {
    if case .replaying(let walk) = mode { return walk.heldBytes }
    return 0
  }

  func releaseReading() {
    if case .replaying = mode { mode = .behind(position) }
  }

  // MARK: Hand-over

  func handOver() -> StreamHandOver {
    switch mode {
    case .beginning: return .restarts
    case .behind, .replaying: break
    case .live:
      position = subscriptions.reached(self)
    }
    return .resumes(state)
  }

  var idleState: ConnectionState.Stream? { isLive && !wantsRoom ? state : nil }

  private var state: ConnectionState.Stream {
    .subscription(
      SubscriptionState(
        patterns: filter.glob.patterns, wantsFrames: wantsFrames, seesEveryone: filter.seesEveryone,
        position: position, generation: history.generation, isCatchingUp: isCatchingUp, owesCaughtUp: owesCaughtUp,
        owedFrames: owedFrames.sessions,
        unpresented: unpresented.map { SubscriptionState.Openings(after: $0.position, through: $0.last) }))
  }
}

/// The clients that a subscription covers.
struct SubscriptionFilter {
  let user: UInt32
  /// The access that the caller had when the subscription began.
  let seesEveryone: Bool
  let glob: Glob

  /// The user whose clients it covers; `nil` for everyone's.
  var onlyUser: UInt32? { seesEveryone ? nil : user }

  func admits(_ client: ClientID) -> Bool { (seesEveryone || client.user == user) && glob.matches(client.name.text) }
}

/// The sessions whose newest frames are still to be sent to a subscriber, in order. Each operation takes constant time, on
/// average over many.
struct OwedFrames {
  private var queue = Fifo<SessionID>()
  private var members: Set<SessionID> = []

  var isEmpty: Bool { members.isEmpty }
  /// The sessions, in order.
  var sessions: [SessionID] { queue.items.filter(members.contains) }

  /// How much memory they take, in bytes: a queue and a set that may be three eighths full.
  var heldBytes: Int { (2 * queue.count + 3 * members.count) * MemoryLayout<SessionID>.size }

  mutating func add(_ session: SessionID) {
    if members.insert(session).inserted { queue.append(session) }
  }

  /// Removes and returns the first one.
  mutating func popFirst() -> SessionID? {
    while let session = queue.popFirst() {
      if members.remove(session) != nil { return session }
    }
    return nil
  }

  /// Removes a session. Its place in the queue stays until there are many such.
  mutating func remove(_ session: SessionID) {
    guard members.remove(session) != nil, queue.count > 2 * members.count + 64 else { return }
    queue = Fifo(sessions)
  }
}

/// The observer of a replay, which sends one subscriber the records after its position.
private struct ReplayObserver: ProjectionObserver {
  private let subscription: Subscription
  private let after: Position
  /// Whether every event's frame is sent, rather than each session's newest one at the end.
  private let sendsFrames: Bool

  init(_ subscription: Subscription, after: Position, sendsFrames: Bool) {
    self.subscription = subscription
    self.after = after
    self.sendsFrames = sendsFrames
  }

  mutating func opened(_ session: Session, at place: RecordPlace) {
    guard place.position > after, subscription.watches(session) else { return }
    subscription.channel.send { SubscriptionMessage.writeOpened(session, at: place, to: &$0) }
  }

  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {
    guard place.position > after, !step.changed.isEmpty || subscription.wantsFrames, subscription.watches(session)
    else { return }
    if !step.changed.isEmpty {
      subscription.channel.send {
        SubscriptionMessage.writeTransition(session.state, step, of: session, at: place, to: &$0)
      }
    }
    if sendsFrames {
      subscription.channel.send { SubscriptionMessage.writeState(session.state, of: session, at: place, to: &$0) }
    } else if subscription.wantsFrames {
      subscription.owe(frameOf: session.id)
    }
  }

  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}

  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}

  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    guard place.position > after, subscription.watches(session) else { return }
    subscription.channel.send { SubscriptionMessage.writeClosed(session, closing, at: place, to: &$0) }
    subscription.forget(session.id)
  }

  mutating func forgot(_ session: SessionID, at place: RecordPlace) {
    // The log no longer has the client, so that nobody can tell whether it was one of the subscriber's.
    guard place.position > after, subscription.mayKnowSessions else { return }
    subscription.channel.send { SubscriptionMessage.writeForgotten(session, at: place, to: &$0) }
    subscription.forget(session)
  }
}
