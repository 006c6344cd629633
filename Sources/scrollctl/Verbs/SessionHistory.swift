// What led to a session's state: its opening, and what last turned its toolbar.

import ScrollClient
import ScrollModel

/// What led to a session's state: its opening, and what last turned its toolbar.
struct SessionHistory: Equatable {
  /// The session's opening; `nil` when the log no longer has it.
  var opened: SubscriptionReply.Opened?
  /// The transition that last changed the toolbar; `nil` when it has been as it is from the beginning, or the log no
  /// longer tells.
  var turned: TransitionReport?
  /// How the session ended, if it had then.
  var closed: SubscriptionReply.Closed?
  /// Whether the log reaches back to the session's beginning.
  var isComplete = true

  init() {}

  /// Reads what the log tells of a session up to a state.
  ///
  /// - Parameter moment: The moment whose state it is; the present when `nil`.
  init(of state: StateReport, at moment: LogMoment?, from daemon: ServiceConnection) throws(ServiceError) {
    var query = LogQuery()
    query.session = state.session
    query.limit = 1
    var begin: Position = 0
    for entry in try daemon.read(query) {
      let entry = try entry.get()
      begin = entry.position
      if case .open = entry.record {} else { isComplete = false }
    }
    var subscription = SubscriptionQuery()
    subscription.clients = [state.client]
    subscription.after = max(0, begin - 1)
    // A stream ends with its connection, and this one has more to ask.
    for reply in try ServiceConnection(daemon.address).subscribe(subscription) {
      let reply = try reply.get()
      if case .caughtUp = reply.content { break }
      // Behind the session's last record stands nothing of it but its end.
      if case .closed(let closed) = reply.content, closed.session == state.session {
        if Self.hasHappened(closed, at: reply.position, by: moment) { self.closed = closed }
        break
      }
      if reply.position <= state.position { take(reply, of: state) }
    }
  }

  private static func hasHappened(
    _ closed: SubscriptionReply.Closed, at position: Position, by moment: LogMoment?
  ) -> Bool {
    switch moment {
    case nil: true
    case .position(let last): position <= last
    case .time(let last): closed.time <= last
    }
  }

  private mutating func take(_ reply: SubscriptionReply, of state: StateReport) {
    switch reply.content {
    case .opened(let opened) where opened.session == state.session: self.opened = opened
    case .transition(let transition) where transition.state.session == state.session:
      if transition.changed.contains("toolbar") { turned = transition }
    default: break
    }
  }
}
