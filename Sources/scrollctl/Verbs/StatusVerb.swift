import ScrollClient
import ScrollModel

extension Verb {
  static let status = Verb(
    name: "status", group: .observe,
    arguments: [Argument(name: "CLIENT")],
    options: [.at, .clock, .uid],
    summary: "Show the state of a client, now or in the past",
    details: [
      "WHEN is any moment that a verb prints: a position of the log; an event of the newest session, as in “#12”; the time "
        + "since that session's first event, as in “+6.305 s” or “+1:30”; or a time: “10 min ago”, “09:15”, “yesterday 18:00”, "
        + "“2026-11-30 09:15”, “2026-11-30T09:15:00Z”, “@1795997872”, or the microseconds of --json. Times are by the daemon's clock; with --by event-time, "
        + "by the client's, in its newest session.",
      "The state is that of the client's newest session, open or closed. Times in it are by the client's clock.",
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
    let moment = try wanted?.resolved(for: client, user: user, by: clock, in: daemon)
    let explained =
      moment == nil ? try about(client, at: nil) { try daemon.explainedState(of: client, user: user) } : nil
    let state =
      try explained?.state ?? about(client, at: moment) { try daemon.state(of: client, user: user, at: moment) }
    if invocation.wantsJSON {
      try invocation.output.line(state.json)
      return .done
    }
    let history: SessionHistory
    if let explained, explained.isOpen, explained.lastTurn != .unknown {
      history = try SessionHistory(of: state, explained.lastTurn, from: daemon)
    } else {
      history = try SessionHistory(of: state, at: moment, from: daemon)
    }
    let text = StatusText(now: UnixMicroseconds.now.rawValue, style: invocation.style)
    try invocation.output.lines(text.lines(state, history))
    return .done
  }
}
