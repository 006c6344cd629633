// Pushing what happens to those who subscribed.

import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

extension Service {
  /// A subscription has read all there is: from now on it hears of what happens as it happens.
  func joinLive(_ subscription: Subscription) {
    live[ObjectIdentifier(subscription)] = subscription
    for session in projection.sessions.values where subscription.watches(session) {
      watchers[session.id, default: []].append(Watcher(subscription))
    }
  }

  /// A subscription no longer hears of what happens as it happens.
  func leaveLive(_ subscription: Subscription) {
    if live.removeValue(forKey: ObjectIdentifier(subscription)) != nil { hasStaleWatchers = true }
  }

  /// Sweeps out the entries of subscriptions that are no longer live.
  func sweepWatchers() {
    guard hasStaleWatchers else { return }
    hasStaleWatchers = false
    watchers = watchers.compactMapValues { entries in
      let counting = entries.filter(\.counts)
      return counting.isEmpty ? nil : counting
    }
  }

  func pushOpened(_ session: Session, at place: RecordPlace) {
    logSession(.opened(session, at: place.position))
    let interested = live.values.filter { $0.watches(session) }.map { Watcher($0) }
    if interested.isEmpty { return }
    watchers[session.id] = interested
    shared.removeAll()
    SubscriptionMessage.opened(session, at: place, to: &shared)
    push(to: interested, at: place)
  }

  func pushClosed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    logSession(.closed(session, closing.reason, at: place.position))
    ending.removeValue(forKey: session.id)?.requestStream?.sessionClosed(self)
    guard let interested = watchers.removeValue(forKey: session.id) else { return }
    shared.removeAll()
    SubscriptionMessage.closed(session, closing, at: place, to: &shared)
    push(to: interested, at: place)
    for watcher in interested where watcher.counts { watcher.subscription.forget(session.id) }
  }

  func pushStep(_ session: Session, _ step: Policy.Step, at place: RecordPlace, to watchers: [Watcher]) {
    if !step.changed.isEmpty {
      shared.removeAll()
      SubscriptionMessage.transition(session, step, at: place, to: &shared)
      metrics.transitionsPushed += Int64(push(to: watchers, at: place))
    }
    guard watchers.contains(where: { $0.subscription.wantsFrames }) else { return }
    shared.removeAll()
    SubscriptionMessage.state(session, at: place.position, of: place.position, to: &shared)
    for watcher in watchers where watcher.counts && watcher.subscription.wantsFrames {
      let subscription = watcher.subscription
      guard let connection = connections[subscription.connection] else { continue }
      if connection.varlink.outputCount <= Subscription.frameRoom {
        if push(to: subscription, connection, at: place) { metrics.framesPushed += 1 }
      } else {
        // A slow reader gets the newest state of each session once there is room.
        subscription.owe(frameOf: session.id)
      }
    }
  }

  /// - Returns: How many got the message.
  @discardableResult
  private func push(to watchers: [Watcher], at place: RecordPlace) -> Int {
    var count = 0
    for watcher in watchers where watcher.counts {
      guard let connection = connections[watcher.subscription.connection] else { continue }
      if push(to: watcher.subscription, connection, at: place) { count += 1 }
    }
    return count
  }

  /// - Returns: Whether it got the message; else it goes back to the log.
  private func push(to subscription: Subscription, _ connection: Connection, at place: RecordPlace) -> Bool {
    if connection.varlink.outputCount > room(for: subscription, connection) {
      // Too slow: it reads on from the log, at its own pace, and nobody waits for it.
      metrics.subscribersFallenBehind += 1
      leaveLive(subscription)
      subscription.fallBehind(after: place.position - 1)
      return false
    }
    sendShared(subscription.token, connection)
    subscription.position = place.position
    markDirty(connection)
    return true
  }

  /// Replies with the message in `shared`; more replies follow.
  func sendShared(_ token: CallToken, _ connection: Connection) {
    shared.withUnsafeReadableBytes { message in
      _ = connection.varlink.reply(token, continues: true, encoded: message)
    }
  }

  /// How much may wait for a subscriber, in bytes.
  ///
  /// One that had room when a block came is not slow because the block brings much at once: nothing of it can be sent
  /// before the whole block is pushed.
  private func room(for subscription: Subscription, _ connection: Connection) -> Int {
    if subscription.pushedBlock != metrics.blocksWritten {
      subscription.pushedBlock = metrics.blocksWritten
      subscription.hadRoom = connection.varlink.outputCount <= outputLimit(of: connection) / 2
    }
    return outputLimit(of: connection) * (subscription.hadRoom ? Self.burstFactor : 1)
  }

  func pushRequest(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    guard let entry = intakeSession(session.id) else { return }
    entry.add(request, at: place.position)
    if let stream = entry.requestStream, let connection = connections[stream.connection] { schedule(connection) }
  }

  /// A session that is open by what is on disk.
  func intakeSession(_ id: SessionID) -> IntakeSession? { intake[id] ?? ending[id] }
}
