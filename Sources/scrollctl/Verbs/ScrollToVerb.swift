import Platform
import ScrollClient
import ScrollModel

extension Verb {
  private static let wait = Option(
    name: "wait", value: "SECONDS", summary: "How long to wait for the client's answer; 0 to not wait [5]")

  static let scrollTo = Verb(
    name: "scroll-to", group: .observe,
    arguments: [Argument(name: "SESSION|CLIENT"), Argument(name: ScrollRequest.Target.synopsis, words: 2)],
    options: [wait, .uid],
    summary: "Ask a client to scroll, and report its answer",
    details: [
      "The request goes into the log and to the client, which answers that it has scrolled, or that it has not and why. "
        + "The exit status is 0 if the client has scrolled, or with --wait 0 if it was asked; it is 1 if the client is "
        + "away, refuses, or does not answer in time.",
      "Targets: “top” is the offset −insetTop, so that nothing is hidden behind the toolbar. “bottom” is the largest "
        + "offset. “page N”, as when the user taps a tab, is the horizontal offset N × frameWidth, counted from page 0 and "
        + "mirrored if the content runs right to left. X,Y is the content offset itself, in points.",
      "SESSION is the client's open session, by its id or by its name, such as reader/main@0123abcd.",
      "The client's own user, root, and users that manage the daemon may ask.",
    ],
    examples: [
      Example(arguments: "scroll-to reader/main top", meaning: "Scroll to the top."),
      Example(arguments: "scroll-to feed/tabs page 2", meaning: "Scroll to the third tab."),
      Example(
        arguments: "scroll-to reader/main 0,1200 --wait 1", meaning: "Exit with status 1 if no answer comes within 1 s."
      ),
    ]
  ) { invocation in
    var client = invocation.command.arguments[0]
    let words = Array(invocation.command.arguments.dropFirst())
    guard let target = ScrollRequest.Target(words: words) else {
      let nearest = Suggestion.nearest(to: words[0], among: ["top", "bottom", "page"])
      throw UsageError.badArgument(
        "the target", text: words.joined(separator: " "),
        expected: "top, bottom, page and a number of 0 or more, or two numbers with a comma"
          + (nearest == words[0] ? "" : nearest.map { " (did you mean \($0)?)" } ?? ""),
        verb: invocation.verbName)
    }
    var user = try invocation.command.uid()
    let seconds = try invocation.command.seconds(wait) ?? 5
    let daemon = try invocation.connect()
    let request = try about(client, having: "an open session") {
      do {
        return try daemon.scroll(client, user: user, to: target)
      } catch let error as ServiceError where error.refusal == .noSuchClient {
        guard let session = try session(client, user, at: daemon.address) else {
          throw cause(of: error, client, user, at: daemon.address)
        }
        if let closed = session.closed {
          throw isClosed("the session \(session.session) of \(session.client)", closed, session)
        }
        (client, user) = (session.client, session.user)
        return try daemon.scroll(client, user: user, to: target)
      }
    }
    if seconds == 0 {
      try report(nil, client, target, request, invocation)
      return .done
    }
    let outcome = try ScrollOutcome.wait(
      for: request, to: client, user: user, at: daemon.address, until: .now + .seconds(seconds))
    try report(outcome, client, target, request, invocation)
    return outcome == .done ? .done : .failed
  }

  /// Returns the session of an id or a name; `nil` if a text is neither, or the log has no such session.
  private static func session(
    _ text: String, _ user: UInt32?, at address: ServiceAddress
  ) throws -> SessionSummary? {
    guard let id = SessionID(text) else { return try ServiceConnection(address).session(named: text, user: user) }
    var found: SessionSummary?
    try ServiceConnection(address).everySession(user: user) {
      if $0.session == id { found = $0 }
    } damaged: { _, _ in
    }
    return found
  }

  private static func isClosed(
    _ subject: String, _ closed: UnixMicroseconds, _ session: SessionSummary
  ) -> Failure {
    let reason = session.reason.map { " (\($0.name))" } ?? ""
    return Failure(
      "\(subject) was closed at \(TimeText().date(closed.rawValue)) by its clock\(reason)",
      hint: "Only a client with an open session can scroll: “scrollctl list” lists these.")
  }

  /// Returns an error that tells a client whose sessions are closed from one that the log does not have.
  private static func cause(
    of error: ServiceError, _ client: String, _ user: UInt32?, at address: ServiceAddress
  ) -> any Error {
    var newest: SessionSummary?
    do {
      try ServiceConnection(address).everySession(clients: [client], user: user) { summary in
        guard summary.client == client else { return }
        if summary.position >= newest?.position ?? 0 { newest = summary }
      } damaged: { _, _ in
      }
    } catch {
      // An older daemon does not list sessions.
      return error
    }
    guard let newest else {
      return ServiceRefusal.noSuchClient.text(about: client).map {
        Failure($0, hint: Hints.hint(for: error, about: client))
      }
        ?? error
    }
    // Opened since.
    guard let closed = newest.closed else { return error }
    return isClosed(
      "the client “\(client)” has no open session: its newest one, \(newest.session),", closed, newest)
  }

  /// Prints a request's outcome; `nil` when scrollctl does not wait for it.
  private static func report(
    _ outcome: ScrollOutcome?, _ client: String, _ target: ScrollRequest.Target, _ request: Position,
    _ invocation: Invocation
  ) throws {
    if invocation.wantsJSON {
      try invocation.output.object { writer in
        writer.member("request", request)
        writer.member("outcome", ifPresent: outcome?.name)
        if case .refused(let reason?)? = outcome { writer.member("reason", reason) }
      }
      return
    }
    let at = "(request \(request))"
    switch outcome {
    case nil: try invocation.output.line("Asked \(visible(client)) to scroll to \(target.text) \(at).")
    case .done?: try invocation.output.line("\(visible(client)) has scrolled to \(target.text) \(at).")
    case .refused(let reason)?:
      throw Failure("the client “\(client)” refused to scroll to \(target.text)" + (reason.map { ": \($0)" } ?? ""))
    case .closed?: throw Failure("the session of “\(client)” ended before the client answered request \(request)")
    case .unanswered?:
      throw Failure(
        "the client “\(client)” did not answer request \(request) in time",
        hint: "It may still answer: “scrollctl log \(client) --after \(request)” shows the answer.")
    case .unseen?:
      throw Failure(
        "made request \(request), but you may not see the answer of “\(client)”",
        hint: "To see other users' clients, be root or join the group scroll-observers.\n"
          + "With --wait 0, scrollctl does not wait for the answer.")
    }
  }
}
