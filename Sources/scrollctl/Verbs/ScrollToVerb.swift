// scrollctl scroll-to: asks a client to scroll.

import ScrollClient
import ScrollModel

extension Verb {
  private static let wait = Option(
    name: "wait", value: "SECONDS", summary: "How long to wait for the client's answer [5]; 0 is not at all")

  static let scrollTo = Verb(
    name: "scroll-to", group: .observe,
    arguments: [Argument(name: "CLIENT"), Argument(name: ScrollRequest.Target.synopsis, words: 2)],
    options: [wait, .uid],
    summary: "Ask a client to scroll, and tell what it makes of that",
    details: [
      "The request goes into the log and to the client, which answers that it is done, or not and why. The exit status is "
        + "0 when it is done, or with --wait 0 when it is asked; it is 1 when the client is away, refuses, or does not "
        + "answer in time.",
      "What a client does: “top” is the offset −insetTop, so that nothing is hidden behind the bar; “bottom” is the largest "
        + "offset. “page N”, as when somebody taps a tab, is the horizontal offset N × frameWidth, counted from page 0 and "
        + "mirrored where the content runs right to left. X,Y is the content offset itself, in points.",
      "The client's own user may ask, root, and who manages the daemon.",
    ],
    examples: [
      Example(arguments: "scroll-to reader/main top", meaning: "To the top."),
      Example(arguments: "scroll-to feed/tabs page 2", meaning: "To the third tab."),
      Example(arguments: "scroll-to reader/main 0,1200 --wait 1", meaning: "An answer within a second, or status 1."),
    ]
  ) { invocation in
    let client = invocation.command.arguments[0]
    let words = Array(invocation.command.arguments.dropFirst())
    guard let target = ScrollRequest.Target(words: words) else {
      throw UsageError.badArgument(
        ScrollRequest.Target.synopsis, text: words.joined(separator: " "),
        expected: "top, bottom, page and a number from 0 on, or two numbers with a comma", verb: invocation.verbName)
    }
    let user = try invocation.command.uid()
    let seconds = try invocation.command.atLeastZero(wait) ?? 5
    let daemon = try invocation.connect()
    let request = try about(client, having: "an open session") { try daemon.scroll(client, user: user, to: target) }
    if seconds == 0 {
      try tell(nil, client, target, request, invocation)
      return .done
    }
    let outcome = try ScrollOutcome.wait(
      for: request, to: client, user: user, at: daemon.address, until: .now + .seconds(seconds))
    try tell(outcome, client, target, request, invocation)
    return outcome == .done ? .done : .failed
  }

  /// Says what became of a request; `nil` is that nobody waits for it.
  private static func tell(
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
    case nil: try invocation.output.line("\(visible(client)) is asked to scroll to \(target.text) \(at).")
    case .done?: try invocation.output.line("\(visible(client)) has scrolled to \(target.text) \(at).")
    case .refused(let reason)?:
      throw Failure("the client “\(client)” refused to scroll to \(target.text)" + (reason.map { ": \($0)" } ?? ""))
    case .closed?: throw Failure("the session of “\(client)” ended before it answered the request \(request)")
    case .unanswered?:
      throw Failure(
        "the client “\(client)” has not answered the request \(request) in time",
        hint: "It may still do so: “scrollctl log \(client) --after \(request)” shows what it makes of it.")
    case .unseen?:
      throw Failure(
        "the request \(request) is made, but what “\(client)” makes of it is not for you to see",
        hint: "Others' clients are seen by root and members of the group scroll-observers.\n"
          + "With --wait 0 it is enough that the request is made.")
    }
  }
}
