import ScrollClient
import ScrollModel

/// The history that led to a session's state: its opening, its last change of the toolbar, and its closing.
struct SessionHistory: Equatable {
  /// The session's opening.
  struct Opened: Equatable {
    /// When it was opened, by the client's clock.
    var time: UnixMicroseconds
    var application: String?
    var title: String?
  }

  /// The event that last changed the toolbar.
  struct Turn: Equatable {
    /// The event's time, by the client's clock.
    var time: UnixMicroseconds?
    var trigger: Trigger?
    /// The clause that fired it, with its numbers.
    var reason: String?
  }

  /// The session's opening; `nil` when the log no longer has it.
  var opened: Opened?
  /// What last changed the toolbar; `nil` when the toolbar never changed, or the log no longer has the transition.
  var turned: Turn?
  /// The session's closing, if it was closed by the moment.
  var closed: SubscriptionReply.Closed?
  /// Whether the log reaches back to the session's beginning.
  var isComplete = true

  init() {}

  /// Reads the history of an open session, for which the daemon knows what last turned the toolbar.
  init(of state: StateReport, _ lastTurn: ExplainedState.LastTurn, from daemon: ServiceConnection) throws {
    _ = try readBeginning(of: state, from: daemon)
    if case .at(let turn) = lastTurn {
      turned = Turn(time: turn.time, trigger: turn.trigger, reason: turn.reason)
    } else {
      // The daemon has folded the session from its beginning, whether the log still has that or not.
      isComplete = true
    }
  }

  /// Reads a session's first record.
  ///
  /// - Returns: Its position.
  private mutating func readBeginning(
    of state: StateReport, from daemon: ServiceConnection
  ) throws -> Position {
    var query = LogQuery()
    query.session = state.session
    query.user = state.user
    query.limit = 1
    var first: LogEntry?
    // A damaged part before the session does not concern it.
    try LogGaps().passing(query) { query in
      for entry in try daemon.read(query) where first == nil { first = try entry.get() }
    }
    guard let first else { return 0 }
    if case .open(let time, let application, let title, _) = first.record {
      opened = Opened(time: time, application: application, title: title)
    } else {
      isComplete = false
    }
    return first.position
  }

  /// Reads a session's history up to a state.
  ///
  /// - Parameter moment: The moment of the state; now when `nil`.
  init(of state: StateReport, at moment: LogMoment?, from daemon: ServiceConnection) throws {
    let begin = try readBeginning(of: state, from: daemon)
    var subscription = SubscriptionQuery()
    subscription.clients = [state.client]
    subscription.after = max(0, begin - 1)
    // The stream needs a connection of its own.
    for reply in try ServiceConnection(daemon.address).subscribe(subscription) {
      let reply = try reply.get()
      if case .caughtUp = reply.content { break }
      // After the session's last record comes nothing of it but its closing.
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
    case .opened(let opened) where opened.session == state.session:
      self.opened = Opened(time: opened.time, application: opened.application, title: opened.title)
    case .transition(let transition) where transition.state.session == state.session:
      if transition.changed.contains("toolbar") {
        turned = Turn(time: transition.state.time, trigger: transition.state.trigger, reason: transition.reason)
      }
    default: break
    }
  }
}
