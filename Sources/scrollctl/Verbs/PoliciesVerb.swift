// scrollctl policies: which policies need no configuration.

import ScrollModel

extension Verb {
  static let policies = Verb(
    name: "policies", group: .recordings,
    summary: "List the policies that need no configuration, and their parameters",
    details: [
      "A policy is a rule and its parameters. The daemon's configuration names further ones, chosen by the client's name."
    ],
    examples: [Example(arguments: "policies", meaning: "The policies, what they imitate, and their parameters.")]
  ) { invocation in
    for (index, policy) in Policy.presets.enumerated() {
      if invocation.wantsJSON {
        try invocation.output.object { writer in
          writer.member("name", policy.name)
          writer.member("rule", policy.rule.name)
          writer.member("meaning", meaning(policy))
          writer.key("parameters")
          writer.beginObject()
          for parameter in policy.parameters {
            writer.key(string: parameter.name)
            if let number = Double(parameter.value) {
              writer.double(number)
            } else {
              writer.string(parameter.value)
            }
          }
          writer.endObject()
        }
      } else {
        if index > 0 { try invocation.output.line("") }
        let isDefault = index == 0 ? " (the default)" : ""
        try invocation.output.line(invocation.style.bold(policy.name) + isDefault + " — " + meaning(policy))
        let parameters = policy.parameters.map { "\($0.name)=\($0.value)" }
        try invocation.output.lines(wrapped(["rule \(policy.rule.name):"] + parameters))
      }
    }
    return .done
  }

  private static func meaning(_ policy: Policy) -> String {
    switch policy.name {
    case "safari": "hides on the way down, shows on the way up, and at the bottom with a second pull"
    case "safari-arrival": "as safari, and shows as soon as the bottom is reached"
    case "classic": "the plain rule of the delegate callbacks: the finger's direction decides"
    case "headroom": "imitates headroom.js with its default options: one pixel turns it"
    case "material": "imitates Material's bars that hide on scroll: a third of a point turns it"
    case "chrome": "imitates Chrome's controls on Android: half of the bar's 56 points decides"
    default: "rule \(policy.rule.name)"
    }
  }

  private static func wrapped(_ words: [String]) -> [String] {
    var lines: [String] = []
    var line = "   "
    for word in words {
      if line.count + 1 + word.count > 80 {
        lines.append(line)
        line = "   "
      }
      line += " " + word
    }
    return lines + [line]
  }
}
