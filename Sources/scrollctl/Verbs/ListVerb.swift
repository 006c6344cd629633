import ScrollClient
import ScrollModel

extension Verb {
  static let list = Verb(
    name: "list", group: .observe,
    arguments: [Argument(name: "GLOB", isRequired: false, repeats: true)],
    summary: "List the clients with open sessions, and their toolbars",
    details: [
      "GLOB is a pattern over client names, with * ? and [ ]. Without it, the list has every client that you may see: your "
        + "own; for root and members of the observers' group, everyone's."
    ],
    examples: [
      Example(arguments: "list", meaning: "List all clients."),
      Example(arguments: "list 'reader/*'", meaning: "List the reader's windows."),
    ]
  ) { invocation in
    let states = try invocation.connect().list(clients: invocation.command.arguments)
    if invocation.wantsJSON {
      for state in states { try invocation.output.line(state.json) }
    } else {
      try invocation.output.lines(table(states).lines(invocation.style))
      try invocation.output.line("")
      try invocation.output.line(states.count == 1 ? "1 client." : "\(states.count) clients.")
    }
    return .done
  }

  private static func table(_ states: [StateReport]) -> TextTable {
    var table = TextTable([
      .init(heading: "CLIENT"), .init(heading: "USER"), .init(heading: "TOOLBAR"), .init(heading: "TRIGGER"),
      .init(heading: "BOTTOM"), .init(heading: "Y", isRightAligned: true),
      .init(heading: "POSITION", isRightAligned: true),
    ])
    for state in states {
      table.add([
        visible(state.client), UserName.of(state.user), "\(state.toolbar.name)",
        state.trigger.map { "\($0.name)" } ?? "-", state.reachBottom ? "reached" : "-",
        state.y.map(shortest) ?? "-", "\(state.position)",
      ])
    }
    return table
  }
}
