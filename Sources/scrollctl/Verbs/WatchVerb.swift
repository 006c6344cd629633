import Platform
import ScrollClient
import ScrollModel

extension Verb {
  private static let frames = Option(name: "frames", summary: "Show the state after every event as well")
  static let noReconnect = Option(
    name: "no-reconnect", summary: "Fail when no daemon is there, and when the connection ends")

  static let watch = Verb(
    name: "watch", group: .observe,
    arguments: [Argument(name: "GLOB", isRequired: false, repeats: true)],
    options: [.after, frames, noReconnect],
    summary: "Show each change of a toolbar as it happens, and why",
    details: [
      "First come the current states, or with --after everything in the log after that position. Then come openings, "
        + "transitions and closings as they happen, until Ctrl-C. A slow reader misses no transition, but may miss states "
        + "that --frames would have shown. Times are by the clients' clocks, where a client gave one; one of another day has its "
        + "date.",
      "scrollctl waits for a daemon that is absent, and continues after one that restarts: it then misses nothing and shows "
        + "nothing twice. If that is impossible, because a crash took records back or the log is another one, it says so, and "
        + "the current states follow.",
      "With --json, each line is a flat object, whose “kind” is opened, transition, state, closed, caughtUp, away (the daemon "
        + "is gone), back (it has returned) or lost (changes are missing).",
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
    if !invocation.wantsJSON { OwnClientsHint.show(at: try invocation.command.address()) }
    let printer = WatchPrinter(invocation)
    if invocation.command.has(noReconnect) {
      try watchOnce(query, printer, invocation)
    } else {
      try watch(Watcher(query, at: invocation.command.address(), backoff: backoff), query, printer, invocation)
    }
    return .done
  }

  /// Somebody is looking: a daemon that has just been started is found soon.
  static let backoff = Backoff(first: .milliseconds(100), cap: .seconds(2))

  /// Prints updates across connections, until the reader is gone.
  private static func watch(
    _ watcher: Watcher, _ query: SubscriptionQuery, _ printer: WatchPrinter, _ invocation: Invocation
  ) throws {
    var isAway = false
    var hasConnected = false
    while true {
      // A watcher never ends.
      let next = try invocation.output.wait { watcher.next(timeout: $0 ?? .seconds(86_400)) }
      guard case .element(let update) = next else { continue }
      switch update {
      case .reply(let reply): try printer.print(reply)
      case .connected(let position):
        if isAway { try printer.printBack(after: position, isFirst: !hasConnected) }
        (isAway, hasConnected) = (false, true)
      case .away(let error):
        if !hasConnected, !error.mayPass { throw error }
        isAway = true
        try printer.printAway(error)
      case .positionLost(let refusal):
        // The position of --after is the user's own mistake.
        if !hasConnected { return try within(query.after) { throw ServiceError.refused(refusal) } }
        try printer.printLost(refusal)
      case .refused(let refusal): throw ServiceError.refused(refusal)
      }
    }
  }

  /// Prints replies until the connection ends.
  private static func watchOnce(
    _ query: SubscriptionQuery, _ printer: WatchPrinter, _ invocation: Invocation
  ) throws {
    let replies = try invocation.connect().subscribe(query)
    var position = query.after
    while true {
      let next: NextElement<SubscriptionReply>
      do {
        next = try within(query.after) { try invocation.output.wait(for: replies.next(timeout:)) }
      } catch let error as ServiceError {
        guard case .connectionLost = error, let position else { throw error }
        throw Failure("\(error)", hint: "To continue after what was shown, use --after \(position).")
      }
      guard case .element(let reply) = next else { return }
      position = reply.position
      try printer.print(reply)
    }
  }
}

extension ServiceError {
  /// Whether waiting may help: a daemon may be started, but no one changes a path that is too long or who may use a socket, and
  /// a peer that is no daemon will not become one.
  var mayPass: Bool {
    switch self {
    case .cannotConnect(_, let code): ![Errno.permissionDenied, .notDirectory].contains(Errno(rawValue: code))
    case .addressTooLong, .unexpectedReply: false
    case .connectionLost, .timedOut, .refused: true
    }
  }
}

/// Prints the updates of a subscription, for people or for programs.
final class WatchPrinter {
  private let output: Output
  private let style: Style
  private let isJSON: Bool
  private let text: SubscriptionText
  private var hasLabel = false

  init(_ invocation: Invocation) {
    output = invocation.output
    style = invocation.style
    isJSON = invocation.wantsJSON
    text = SubscriptionText(style: style)
  }

  func print(_ reply: SubscriptionReply) throws {
    if isJSON {
      if let line = WatchJSON.line(reply) { try output.line(line) }
    } else if let line = text.line(reply) {
      if !hasLabel { try note("times by the clients' clocks") }
      hasLabel = true
      try output.line(style.fitted(line))
    }
  }

  func printAway(_ error: ServiceError) throws {
    if isJSON { return try output.line(WatchJSON.away(error)) }
    try note("waiting for the daemon: \(visible(error.description))")
  }

  /// - Parameter isFirst: Whether there was no connection before.
  func printBack(after position: Position?, isFirst: Bool) throws {
    if isJSON { return try output.line(WatchJSON.back(after: position)) }
    let rest = position.map { ", continuing after position \($0)" } ?? ""
    try note(isFirst ? "connected" + rest : "the daemon is back" + (position == nil ? ", with these states" : rest))
  }

  func printLost(_ refusal: ServiceRefusal) throws {
    if isJSON { return try output.line(WatchJSON.lost(refusal)) }
    try note("changes are missing: \(visible(refusal.description)); the current states follow")
  }

  /// Prints a line that is about the output itself, as journalctl does.
  private func note(_ text: String) throws { try output.lines(style.wrapped("-- \(text) --").map(style.dim)) }
}
