import ScrollClient
import ScrollModel

extension Verb {
  static let status = Verb(
    name: "status", group: .observe,
    arguments: [Argument(name: "CLIENT|SESSION")],
    options: [.at, .clock, .uid],
    summary: "Show the state of a client, now or in the past",
    details: [
      "CLIENT is the client's newest session, open or closed. SESSION is the session with this id, or with a name such as "
        + "reader/main@0123abcd.",
      moments,
      "Times in the state are by the client's clock.",
    ],
    examples: [
      Example(
        arguments: "status reader/main", meaning: "Show whether the reader's toolbar is visible, since when and why."),
      Example(arguments: "status reader/main --at '10 min ago'", meaning: "Show its state ten minutes ago."),
    ]
  ) { invocation in
    let client = invocation.command.arguments[0]
    let user = try invocation.command.uid()
    let (wanted, clock) = (try invocation.moment(), try invocation.clock())
    let daemon = try invocation.connect()
    if let session = try session(of: client, user, in: daemon) {
      let state = try state(of: session, at: wanted, by: clock, in: daemon)
      // Without a moment, the session's closing counts, which is after its last state.
      try show(state, invocation) {
        try SessionHistory(of: state, at: wanted.map { _ in .position(state.position) }, from: daemon)
      }
      return .done
    }
    let moment = try wanted?.resolved(for: client, user: user, by: clock, in: daemon)
    let explained =
      moment == nil ? try about(client, at: nil) { try daemon.explainedState(of: client, user: user) } : nil
    let state =
      try explained?.state ?? about(client, at: moment) { try daemon.state(of: client, user: user, at: moment) }
    try show(state, invocation) {
      if let explained, explained.isOpen, explained.lastTurn != .unknown {
        return try SessionHistory(of: state, explained.lastTurn, from: daemon)
      }
      return try SessionHistory(of: state, at: moment, from: daemon)
    }
    return .done
  }

  /// The description of WHEN, for the help of the verbs that take it.
  static let moments =
    "WHEN is any moment that a verb prints: a position of the log; an event of the session, as in “#12” or "
    + "“reader/main #12”; the time since the session's first event, as in “+6.305 s” or “+1:30”; or a time: “10 min ago”, "
    + "“09:15”, “yesterday 18:00”, “2026-11-30 09:15”, “2026-11-30T09:15:00Z”, “@1795997872”, or the microseconds of --json. "
    + "Times are by the daemon's clock; with --by event-time, by the client's. The session of a CLIENT is its newest one, "
    + "except that positions and times by the daemon's clock select the one that was the newest then. A time by the client's "
    + "clock in whole seconds, as tables have it, also means what happened within its second, if nothing happened before. A "
    + "time in the future is an error."

  private static func show(
    _ state: StateReport, _ invocation: Invocation, _ history: () throws -> SessionHistory
  ) throws {
    if invocation.wantsJSON { return try invocation.output.line(state.json) }
    let text = StatusText(now: UnixMicroseconds.now.rawValue, style: invocation.style)
    try invocation.output.lines(text.lines(state, history()).map(invocation.style.fitted))
  }

  /// Returns the session that an argument names by its id, or by its client and the beginning of its id; `nil` for a client.
  private static func session(
    of argument: String, _ user: UInt32?, in daemon: ServiceConnection
  ) throws -> LoadedSession? {
    if let named = try daemon.session(named: argument, user: user) {
      return try SessionLoader.load(named.session, of: named.user, from: daemon)
    }
    guard let id = SessionID(argument) else { return nil }
    // A client's name may look like a session's id.
    if (try? daemon.state(of: argument, user: user)) != nil { return nil }
    return try SessionLoader.load(id, of: user, from: daemon)
  }

  /// Returns a session's state after a moment; its last one without a moment.
  private static func state(
    of session: LoadedSession, at moment: Moment?, by clock: LogReading.Clock, in daemon: ServiceConnection
  ) throws -> StateReport {
    guard let log = session.log else { throw Failure("the session of \(session.name) is not in the log") }
    let name = "the session \(log.session.suffixed(to: log.client))"
    let position = try session.position(by: moment, clock, name: name)
    // Only one session of a client is open at a time, so this one was the newest then.
    let state = try daemon.state(of: log.client, user: log.user, at: .position(position))
    guard state.session == log.session else {
      throw Failure(
        "the daemon has the state of another session at position \(position): \(state.session.suffixed(to: log.client))",
        hint: "“scrollctl explain \(log.session)” folds the session itself.")
    }
    return state
  }
}
