import ScrollClient
import ScrollModel

extension Verb {
  private static let frames = Option(name: "frames", summary: "Show the state after every event as well")

  static let watch = Verb(
    name: "watch", group: .observe,
    arguments: [Argument(name: "GLOB", isRequired: false, repeats: true)],
    options: [.after, frames],
    summary: "Show each change of a toolbar as it happens, and why",
    details: [
      "First come the current states, or with --after everything in the log after that position. Then come openings, "
        + "transitions and closings as they happen, until Ctrl-C. A slow reader misses no transition, but may miss states "
        + "that --frames would have shown.",
      "With --json, transitions and states are printed as objects of their own. Openings, closings and the end of the "
        + "catch-up are printed as the daemon sends them: {\"position\":…,\"opened\":{…}}, closed, caughtUp.",
    ],
    examples: [
      Example(arguments: "watch", meaning: "Watch every client that you may see."),
      Example(
        arguments: "--json watch --after 0 'reader/*'",
        meaning: "Print everything that ever happened to the reader's toolbars, and what follows."),
    ]
  ) { invocation in
    var query = SubscriptionQuery()
    query.clients = invocation.command.arguments
    query.after = try invocation.command.integer(.after)
    if invocation.command.has(frames) { query.detail = .frames }
    let replies = try invocation.connect().subscribe(query)
    var position = query.after
    while true {
      let next: NextElement<SubscriptionReply>
      do {
        next = try invocation.output.wait(for: replies.next(timeout:))
      } catch let error as ServiceError {
        guard case .connectionLost = error, let position else { throw error }
        throw Failure("\(error)", hint: "To continue after what was shown, use --after \(position).")
      }
      guard case .element(let reply) = next else { break }
      position = reply.position
      if invocation.wantsJSON { try printObject(reply, invocation) } else { try printLine(reply, invocation) }
    }
    return .done
  }

  private static func printObject(_ reply: SubscriptionReply, _ invocation: Invocation) throws {
    switch reply.content {
    case .transition(let transition): try invocation.output.line(transition.json)
    case .state(let state): try invocation.output.line(state.json)
    case .opened, .closed, .caughtUp: try invocation.output.line(reply.json)
    case .heartbeat: break
    }
  }

  private static func printLine(_ reply: SubscriptionReply, _ invocation: Invocation) throws {
    // Past transitions may be of any day, new ones are of today.
    let text = SubscriptionText(style: invocation.style, hasDates: invocation.command.has(.after))
    if let line = text.line(reply) { try invocation.output.line(line) }
  }
}
