import ScrollAnalysis
import ScrollClient
import ScrollModel

extension Verb {
  static let list = Verb(
    name: "list", group: .observe,
    arguments: [Argument(name: "GLOB", isRequired: false, repeats: true)],
    summary: "List the clients with open sessions, and their toolbars",
    details: [
      "GLOB is a pattern over client names, with * ? and [ ]. Without it, the list has every client that you may see: your "
        + "own; for root and members of the observers' group, everyone's. “sessions” lists closed sessions, too. A GLOB that "
        + "matches no client of the log is an error; what the others match is listed all the same."
    ],
    examples: [
      Example(arguments: "list", meaning: "List all clients."),
      Example(arguments: "list 'reader/*'", meaning: "List the reader's windows."),
    ]
  ) { invocation in
    let daemon = try invocation.connect()
    if !invocation.wantsJSON { OwnClientsHint.show(at: try invocation.command.address()) }
    let states = try daemon.list(clients: invocation.command.arguments)
    let unmatched = UnmatchedArguments(invocation.command.arguments)
    for state in states { unmatched.match(state.session, of: state.client) }
    if invocation.wantsJSON {
      for state in states { try invocation.output.line(state.json) }
    } else {
      try invocation.output.lines(table(states).lines(invocation.style))
      try invocation.output.line("")
      let clients = states.count == 1 ? "1 client" : "\(states.count) clients"
      let closed = try closedSessions(of: daemon, invocation.command.arguments).map { count in
        count == 1 ? "1 closed session" : "\(ProgressBar.grouped(Int64(count))) closed sessions"
      }
      let hint = "; “scrollctl sessions” lists \(closed ?? "closed sessions")"
      try invocation.output.line(clients + (closed == "0 closed sessions" ? "" : hint) + ".")
    }
    try invocation.output.flush()
    unmatched.matchAnySession(of: nil, at: daemon.address)
    let sessions = invocation.command.arguments.filter { SessionID($0) != nil && !unmatched.arguments.contains($0) }
      .filter { id in !states.contains { $0.client == id } }
    for id in sessions {
      Program.report(Failure("“\(id)” is a session, not a client", hint: "For its state:  scrollctl status \(id)"))
    }
    return unmatched.report(takesFiles: false) || !sessions.isEmpty ? .failed : .done
  }

  /// Returns how many closed sessions the log has; `nil` if counting them takes longer than anyone who lists clients expects,
  /// because the daemon has to read the log for it.
  private static func closedSessions(of daemon: ServiceConnection, _ globs: [String]) throws(ServiceError) -> Int? {
    let deadline = ContinuousClock.now + .milliseconds(300)
    do throws(ServiceError) {
      let stream = try daemon.sessions(clients: globs)
      var count = 0
      while true {
        switch try stream.next(timeout: max(.zero, deadline - .now)) {
        case .element(let summary): count += summary.closed == nil ? 0 : 1
        case .ended: return count
        case .timedOut: return nil
        }
      }
    } catch {
      // An older daemon, or a damaged log: neither concerns the clients.
      guard case .refused = error else { throw error }
      return nil
    }
  }

  private static func table(_ states: [StateReport]) -> TextTable {
    var table = TextTable([
      .init(heading: "CLIENT", leastWidth: 16), .init(heading: "USER", dropOrder: 1), .init(heading: "TOOLBAR"),
      .init(heading: "TRIGGER"), .init(heading: "BOTTOM"), .init(heading: "Y", isRightAligned: true),
      .init(heading: "POSITION", isRightAligned: true),
    ])
    var users = UserNames()
    for state in states {
      table.add([
        visible(state.client), users.name(of: state.user), "\(state.toolbar.name)",
        state.trigger.map { "\($0.name)" } ?? "-", state.reachBottom ? "reached" : "-",
        state.y.map { NumberText.rounded(in: shortest($0)) } ?? "-", "\(state.position)",
      ])
    }
    return table
  }
}
