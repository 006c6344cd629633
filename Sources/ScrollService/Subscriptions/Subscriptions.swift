import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The subscriptions, and the live ones among them that watch each session.
///
/// A message for several subscribers is encoded once.
final class Subscriptions {
  /// Counters from the start of the daemon.
  struct Counters {
    var transitionsPushed: Int64 = 0
    var framesPushed: Int64 = 0
    var fallenBehind: Int64 = 0
  }

  /// An entry for a live subscription in the list of a session's watchers.
  ///
  /// When a subscription stops being live, its entries become void but stay in the lists, because it may watch every
  /// session. From time to time they are removed together.
  struct Watcher {
    let subscription: Subscription
    private let term: Int

    init(_ subscription: Subscription) {
      self.subscription = subscription
      term = subscription.liveTerm
    }

    /// Whether the subscription has been live since the entry was made.
    var isValid: Bool { subscription.isLive && subscription.liveTerm == term }
  }

  /// How many times its output limit a subscriber may be sent in one block, if it had room before.
  static let burstFactor = 4

  private(set) var counters = Counters()
  /// How many subscriptions a user may have; root is not limited.
  var limitPerUser: Int
  private var live: [ObjectIdentifier: Subscription] = [:]
  private var watchersBySession: [SessionID: [Watcher]] = [:]
  private var hasVoidWatchers = false
  /// All subscriptions, live or not.
  private var countByUser: [UInt32: Int] = [:]
  private var blockNumber: Int64 = 0
  private var message = ByteBuffer()
  private let history: History

  init(_ history: History, limitPerUser: Int) {
    self.history = history
    self.limitPerUser = limitPerUser
  }

  /// The number of all subscriptions, live or not.
  var count: Int { countByUser.values.reduce(0, +) }
  var liveCount: Int { live.count }
  /// How many entries each watched session has, void ones included.
  var watcherCounts: [Int] { watchersBySession.values.map(\.count) }

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
    live[ObjectIdentifier(subscription)] = subscription
    for session in history.horizon.sessions where subscription.watches(session) {
      watchersBySession[session.id, default: []].append(Watcher(subscription))
    }
  }

  /// Removes a subscription that has ended.
  func leave(_ subscription: Subscription) {
    removeLive(subscription)
    let user = subscription.channel.account
    let left = countByUser[user, default: 1] - 1
    countByUser[user] = left == 0 ? nil : left
  }

  private func removeLive(_ subscription: Subscription) {
    if live.removeValue(forKey: ObjectIdentifier(subscription)) != nil { hasVoidWatchers = true }
  }

  /// Removes the entries of subscriptions that are no longer live.
  func sweep() {
    guard hasVoidWatchers else { return }
    hasVoidWatchers = false
    watchersBySession = watchersBySession.compactMapValues { watchers in
      let valid = watchers.filter(\.isValid)
      return valid.isEmpty ? nil : valid
    }
  }

  // MARK: Pushing

  /// Begins the messages about a block.
  func beginBlock() { blockNumber += 1 }

  func watchers(of session: SessionID) -> [Watcher] { watchersBySession[session] ?? [] }

  func pushOpened(_ session: Session, at place: RecordPlace) {
    let watchers = live.values.filter { $0.watches(session) }.map { Watcher($0) }
    if watchers.isEmpty { return }
    watchersBySession[session.id] = watchers
    encode { SubscriptionMessage.writeOpened(session, at: place, to: &$0) }
    push(to: watchers, at: place)
  }

  func pushClosed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    guard let watchers = watchersBySession.removeValue(forKey: session.id) else { return }
    encode { SubscriptionMessage.writeClosed(session, closing, at: place, to: &$0) }
    push(to: watchers, at: place)
    for watcher in watchers where watcher.isValid { watcher.subscription.forget(session.id) }
  }

  /// Pushes what an event changed, and its frame to the subscribers that want frames.
  func pushStep(_ session: Session, _ step: Policy.Step, at place: RecordPlace, to watchers: [Watcher]) {
    if !step.changed.isEmpty {
      encode { SubscriptionMessage.writeTransition(session, step, at: place, to: &$0) }
      counters.transitionsPushed += push(to: watchers, at: place)
    }
    guard watchers.contains(where: { $0.subscription.wantsFrames }) else { return }
    encode { SubscriptionMessage.writeState(session, at: place.position, of: place.position, to: &$0) }
    for watcher in watchers where watcher.isValid && watcher.subscription.wantsFrames {
      if watcher.subscription.hasFrameRoom {
        if push(to: watcher.subscription, at: place) { countFrame() }
      } else {
        // A slow reader gets each session's newest state once there is room.
        watcher.subscription.owe(frameOf: session.id)
      }
    }
  }

  func countFrame() { counters.framesPushed += 1 }

  private func encode(_ members: (inout JSONWriter) -> Void) {
    message.removeAll()
    message.appendJSON { writer in
      writer.beginObject()
      members(&writer)
      writer.endObject()
    }
  }

  /// - Returns: The number of subscribers that got the message.
  @discardableResult
  private func push(to watchers: [Watcher], at place: RecordPlace) -> Int64 {
    var count: Int64 = 0
    for watcher in watchers where watcher.isValid {
      if push(to: watcher.subscription, at: place) { count += 1 }
    }
    return count
  }

  private func push(to subscription: Subscription, at place: RecordPlace) -> Bool {
    if subscription.push(message, at: place.position, inBlock: blockNumber) { return true }
    // The reader is too slow, so the subscription replays the log from here, at the reader's pace.
    counters.fallenBehind += 1
    removeLive(subscription)
    return false
  }
}
