import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The subscriptions, and the pushes to the live ones among them.
///
/// A message for several subscribers is encoded once. It is pushed in bounded pieces, in which the subscribing users take turns.
final class Subscriptions {
  /// Counters from the start of the daemon.
  struct Counters {
    var transitionsPushed: Int64 = 0
    var framesPushed: Int64 = 0
    var fallenBehind: Int64 = 0
    /// How many messages for several subscribers were encoded.
    var encoded: Int64 = 0
  }

  /// How many times its output limit a subscriber may be sent in one block, if it had room before.
  static let burstFactor = 4
  /// How many pushes a user's subscriptions get before another user's get theirs.
  private static let pushesPerTurn = 128
  /// How many turns are given before the loop looks for other events.
  private static let turnsPerAdvance = 8
  /// How long turns are given before the loop looks for other events, in microseconds.
  private static let advanceDuration: Int64 = 300

  private(set) var counters = Counters()
  /// How many subscriptions a user may have; root is not limited.
  var limitPerUser: Int
  /// The live subscriptions, by their users.
  private var audiences: [UInt32: Audience] = [:]
  /// The users with subscriptions that see all users' clients.
  private var observers: Set<UInt32> = []
  /// The audiences with pushes that wait.
  private var pushing = FairQueue<Audience>()
  /// The connections whose streams have something to do, because of pushes.
  private var woken: [ConnectionID] = []
  private var hasVoidWatchers = false
  /// All subscriptions, live or not.
  private var countByUser: [UInt32: Int] = [:]
  private var blockNumber: Int64 = 0
  /// How much the pushes to one user's subscriptions, and the lists of who watches what, may take, in bytes. Beyond that, the
  /// subscriptions continue from the log.
  var pushMemory: Int
  private let history: History
  private let clock: ServiceClock
  private let charge: (Int, UInt32) -> Void

  /// - Parameter charge: Adds to the memory that the pushes to a user's subscriptions take, in bytes.
  init(
    _ history: History, limitPerUser: Int, pushMemory: Int = 4 << 20, clock: ServiceClock,
    charge: @escaping (Int, UInt32) -> Void = { _, _ in }
  ) {
    self.history = history
    self.limitPerUser = limitPerUser
    self.pushMemory = pushMemory
    self.clock = clock
    self.charge = charge
  }

  /// The number of all subscriptions, live or not.
  var count: Int { countByUser.values.reduce(0, +) }
  var liveCount: Int { audiences.values.reduce(0) { $0 + $1.live.count } }
  /// How many entries each watched session has for each user, void ones included.
  var watcherCounts: [Int] { audiences.values.flatMap(\.watcherCounts).filter { $0 > 0 } }

  // MARK: Beginning and end

  /// Begins a subscription.
  ///
  /// - Throws: `TooManySubscriptions`.
  func subscribe(
    _ channel: ReplyChannel, _ filter: SubscriptionFilter, after: Position?, wantsFrames: Bool
  ) throws(VarlinkError) -> Subscription {
    guard channel.account == 0 || countByUser[channel.account, default: 0] < limitPerUser else {
      throw ServiceError.tooManySubscriptions(limit: limitPerUser)
    }
    countByUser[channel.account, default: 0] += 1
    return Subscription(self, history, channel, filter, after: after, wantsFrames: wantsFrames)
  }

  /// Returns whether a subscription of the previous daemon can be resumed: its position is in this log's history.
  func canResume(_ state: SubscriptionState) -> Bool {
    state.generation == history.generation && state.position <= history.horizon.position
  }

  /// Resumes a subscription of the previous daemon.
  func resume(_ state: SubscriptionState, _ channel: ReplyChannel) -> Subscription {
    countByUser[channel.account, default: 0] += 1
    return Subscription(self, history, channel, resuming: state)
  }

  /// Makes a subscription that has reached the horizon live: it gets each change as it happens.
  func join(_ subscription: Subscription) {
    let user = subscription.filter.user
    let audience = audiences[user] ?? Audience(user: user, account: subscription.channel.account)
    audiences[user] = audience
    audience.join(subscription)
    if audience.observerCount > 0 { observers.insert(user) }
  }

  /// Removes a subscription that has ended.
  func leave(_ subscription: Subscription) {
    removeLive(subscription)
    let user = subscription.channel.account
    let left = countByUser[user, default: 1] - 1
    countByUser[user] = left == 0 ? nil : left
  }

  private func removeLive(_ subscription: Subscription) {
    let user = subscription.filter.user
    guard let audience = audiences[user], audience.leave(subscription) else { return }
    hasVoidWatchers = true
    if audience.observerCount == 0 { observers.remove(user) }
    if audience.live.isEmpty { count(audience) }
  }

  /// Counts what an audience holds for its user.
  private func count(_ audience: Audience) {
    let bytes = audience.heldBytes
    if bytes != audience.countedBytes { charge(bytes - audience.countedBytes, audience.account) }
    audience.countedBytes = bytes
  }

  /// Removes the entries of subscriptions that are no longer live.
  func sweep() {
    guard hasVoidWatchers, !hasPushes else { return }
    hasVoidWatchers = false
    for audience in audiences.values {
      audience.sweep()
      count(audience)
      if audience.live.isEmpty { audiences[audience.user] = nil }
    }
  }

  // MARK: Positions

  /// Returns the position up to which a live subscription has got everything.
  func reached(_ subscription: Subscription) -> Position {
    let horizon = history.horizon.position
    return audiences[subscription.filter.user]?.reached(subscription, horizon: horizon) ?? horizon
  }

  /// Lets a live subscription wait until all pushes are made, and then wakes it.
  ///
  /// - Returns: Whether any are left for it.
  func awaitPushes(_ subscription: Subscription) -> Bool {
    audiences[subscription.filter.user]?.awaitPushes(subscription) ?? false
  }

  /// Removes and returns the connections whose streams have something to do.
  func takeWoken() -> [ConnectionID] {
    defer { woken = [] }
    return woken
  }

  // MARK: Adding pushes

  /// Begins the messages about a block.
  func beginBlock() { blockNumber += 1 }

  /// Returns the lists of those who watch a session, or may.
  func watchers(of session: Session) -> [(Audience, SessionWatchers)] {
    audiences(for: session).compactMap { audience in audience.watchers(of: session).map { (audience, $0) } }
  }

  private func audiences(for session: Session) -> [Audience] { audiences(seeing: session).filter { !$0.live.isEmpty } }

  /// Returns the lists of those who may see a session: never everybody's, since there may be thousands.
  private func audiences(seeing session: Session) -> [Audience] {
    if audiences.isEmpty { return [] }
    let owner = session.client.user
    var found = observers.compactMap { $0 == owner ? nil : audiences[$0] }
    if let audience = audiences[owner] { found.append(audience) }
    return found
  }

  func pushOpened(_ session: Session, at place: RecordPlace) {
    let lists = audiences(for: session).compactMap { audience in
      audience.beginWatchers(of: session).map { (audience, $0) }
    }
    if lists.isEmpty { return }
    add(
      .opened, at: place, PushMessage(.opened, of: session, at: place), nil, to: lists)
  }

  func pushClosed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    let lists = watchers(of: session)
    for audience in audiences(seeing: session) { audience.forgetWatchers(of: session.id) }
    if lists.isEmpty { return }
    add(.closed, at: place, PushMessage(.closed(closing), of: session, at: place), nil, to: lists)
  }

  /// Pushes what an event changed, and its frame to the subscribers that want frames.
  func pushStep(
    _ session: Session, _ step: Policy.Step, at place: RecordPlace, to lists: [(Audience, SessionWatchers)]
  ) {
    let wantsFrame = lists.contains { $0.0.frameCount > 0 }
    if step.changed.isEmpty, !wantsFrame { return }
    let message =
      step.changed.isEmpty
      ? nil : PushMessage(.transition(session.state, step), of: session, at: place)
    let frame = wantsFrame ? PushMessage(.state(session.state), of: session, at: place) : nil
    add(.changed, at: place, message, frame, to: lists)
  }

  func countFrame() { counters.framesPushed += 1 }

  private func add(
    _ kind: Push.Kind, at place: RecordPlace, _ message: PushMessage?, _ frame: PushMessage?,
    to lists: [(Audience, SessionWatchers)]
  ) {
    for (audience, watchers) in lists where !audience.live.isEmpty {
      if !audience.hasPushes { pushing.append(audience, of: audience.account) }
      audience.add(
        Push(
          kind: kind, position: place.position, block: blockNumber, watchers: watchers, message: message,
          frame: audience.frameCount > 0 ? frame : nil))
      if audience.heldBytes > pushMemory / 2 { audience.releaseLists() }
      if audience.heldBytes > pushMemory { fallBehind(audience) }
      count(audience)
    }
  }

  /// Lets a user's live subscriptions continue from the log, at their readers' pace.
  private func fallBehind(_ audience: Audience) {
    let horizon = history.horizon.position
    let reached = audience.live.values.map { audience.reached($0, horizon: horizon) }
    for (subscription, position) in zip(audience.leaveAll(), reached) {
      subscription.fallBehind(after: position)
      woken.append(subscription.channel.connectionID)
      counters.fallenBehind += 1
    }
    hasVoidWatchers = true
    observers.remove(audience.user)
  }

  // MARK: Pushing

  /// Whether pushes wait for their turn.
  var hasPushes: Bool { !pushing.isEmpty }

  /// Makes a bounded number of pushes. Users take turns.
  func advance() {
    let end = clock.monotonic() + Self.advanceDuration
    for turn in 0..<Self.turnsPerAdvance {
      if turn > 0, clock.monotonic() >= end { return }
      guard let audience = pushing.popFirst() else { return }
      audience.advance(cost: Self.pushesPerTurn) { deliver($0, to: $1) }
      if audience.heldBytes > pushMemory / 2 { audience.releaseLists() }
      count(audience)
      if audience.hasPushes {
        pushing.append(audience, of: audience.account)
      } else {
        woken += audience.takeWaiting().map(\.channel.connectionID)
      }
    }
  }

  private func deliver(_ push: Push, to subscription: Subscription) {
    // The present state is still to be sent, and will include this.
    if subscription.owesState(of: push.watchers.session) { return }
    for message in [push.message, push.frame] where message?.isEncoded == false { counters.encoded += 1 }
    if let message = push.message {
      guard send(message, push, to: subscription) else { return }
      if push.kind == .changed { counters.transitionsPushed += 1 }
    }
    guard let frame = push.frame, subscription.wantsFrames else { return }
    if subscription.hasFrameRoom {
      guard send(frame, push, to: subscription) else { return }
      countFrame()
      // It is newer than one that is still owed, and would be sent twice.
      subscription.forget(push.watchers.session.id)
    } else {
      // A slow reader gets each session's newest state once there is room.
      subscription.owe(frameOf: push.watchers.session.id)
    }
  }

  private func send(_ message: PushMessage, _ push: Push, to subscription: Subscription) -> Bool {
    if subscription.push(message, at: push.position, inBlock: push.block) { return true }
    // The reader is too slow, so the subscription replays the log from here, at the reader's pace.
    counters.fallenBehind += 1
    removeLive(subscription)
    return false
  }
}
