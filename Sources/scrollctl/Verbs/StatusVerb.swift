import ScrollClient
import ScrollModel

extension Verb {
  static let status = Verb(
    name: "status", group: .observe,
    arguments: [Argument(name: "CLIENT")],
    options: [.at, .uid],
    summary: "Show the state of a client, now or in the past",
    details: [
      "WHEN is a position of the log, or a time by the daemon's clock: “10 min ago”, “09:15”, “yesterday 18:00”, "
        + "“2026-11-30 09:15”, “@1795997872”.",
      "The state is that of the client's newest session, open or closed.",
    ],
    examples: [
      Example(
        arguments: "status reader/main", meaning: "Show whether the reader's toolbar is visible, since when and why."),
      Example(arguments: "status reader/main --at '10 min ago'", meaning: "Show its state ten minutes ago."),
    ]
  ) { invocation in
    let client = invocation.command.arguments[0]
    let (user, moment) = (try invocation.command.uid(), try invocation.moment())
    let daemon = try invocation.connect()
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
