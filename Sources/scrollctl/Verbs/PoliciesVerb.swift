// scrollctl policies: which policies there are.

extension Verb {
  static let policies = Verb(
    name: "policies", group: .recordings,
    options: [.config],
    summary: "List the policies and their parameters",
    details: [
      "A policy is a rule and its parameters. Listed are those that need no configuration; with --config also the "
        + "[Policy NAME] sections of a daemon's configuration, with the patterns over client names for which they are "
        + "chosen. A section named as one of the others replaces it."
    ],
    examples: [
      Example(arguments: "policies", meaning: "The policies, what they imitate, and their parameters."),
      Example(
        arguments: "policies --config /etc/scrolld/scrolld.conf", meaning: "Those that the machine's daemon knows."),
    ]
  ) { invocation in
    let configuration = try PolicyChoice(invocation.command).configuration
    let listings = ListedPolicy.all(configuration)
    for (index, listing) in listings.enumerated() {
      if invocation.wantsJSON {
        try invocation.output.json(listing)
      } else {
        if index > 0 { try invocation.output.line("") }
        try invocation.output.lines(listing.lines(invocation.style))
      }
    }
    return .done
  }
}
