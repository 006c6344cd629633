extension Verb {
  static let policies = Verb(
    name: "policies", group: .recordings,
    options: [.config, .noPager],
    summary: "List the policies and their parameters",
    details: [
      "A policy is a rule and its parameters. The list has the built-in policies; with --config also the [Policy NAME] "
        + "sections of a daemon's configuration, with the patterns over client names that select them. A section with the "
        + "name of a built-in policy replaces it.",
      "Below the policies are the parameters of their rules, and what each means. Distances are in points, which are CSS "
        + "pixels.",
    ],
    examples: [
      Example(arguments: "policies", meaning: "List the policies, what they imitate, and their parameters."),
      Example(
        arguments: "policies --config /etc/scrolld/scrolld.conf",
        meaning: "List the policies of the system's daemon as well."),
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
    if !invocation.wantsJSON { try invocation.output.lines(ListedPolicy.glossary(listings, invocation.style)) }
    return .done
  }
}
