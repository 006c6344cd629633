import JSON
import ScrollModel
import ScrollService

/// A policy in a list: a preset with its description, or a configured policy with its clients.
struct ListedPolicy: JSONWritable {
  var policy: Policy
  /// The description of a preset; `nil` for a configured policy.
  var summary: String?
  /// The patterns over client names that select a configured policy; `nil` for a preset.
  var clients: [String]?
  /// Whether it is the policy of clients that no pattern matches.
  var isDefault: Bool

  /// Returns the presets that the configuration does not replace, then its own policies.
  static func all(_ configuration: Configuration) -> [ListedPolicy] {
    let sections = configuration.policySections
    let presets = Policy.describedPresets.filter { preset in
      !sections.contains { $0.policy.name == preset.policy.name }
    }
    let isDefault = { (policy: Policy) in policy.name == configuration.defaultPolicy }
    return presets.map { ListedPolicy(policy: $0.policy, summary: $0.summary, isDefault: isDefault($0.policy)) }
      + sections.map { ListedPolicy(policy: $0.policy, clients: $0.clients, isDefault: isDefault($0.policy)) }
  }

  /// Returns the policy's name and description, then its parameters.
  func lines(_ style: Style) -> [String] {
    let name = visible(policy.name)
    var head = wrapped(name + (isDefault ? " (the default)" : "") + " — " + meaning, columns: style.columns ?? .max)
    if head[0].hasPrefix(name) { head[0] = style.bold(name) + head[0].dropFirst(name.count) }
    let parameters = policy.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    return head
      + wrapped("rule \(policy.rule.name): \(parameters)", columns: min(80, style.columns ?? 80), indent: 4)
  }

  /// Returns the parameters of the policies' rules, and what each means.
  static func glossary(_ listings: [ListedPolicy], _ style: Style) -> [String] {
    var lines: [String] = []
    var described: Set<String> = []
    for listing in listings where described.insert(listing.policy.rule.name).inserted {
      let meanings = listing.policy.parameterMeanings
      let width = meanings.map(\.name.count).max() ?? 0
      lines += ["", style.bold("Parameters of the rule \(listing.policy.rule.name)")]
      for parameter in meanings {
        let head = "    \(parameter.name)" + String(repeating: " ", count: width - parameter.name.count + 2)
        var text = wrapped(parameter.meaning, columns: style.columns ?? .max, indent: head.count)
        text[0] = head + text[0].dropFirst(head.count)
        lines += text
      }
    }
    return lines
  }

  private var meaning: String {
    if let summary { return summary }
    guard let clients, !clients.isEmpty else { return "from the configuration, selected for no client" }
    return "from the configuration, for " + clients.map(visible).joined(separator: " ")
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", policy.name)
    writer.member("rule", policy.rule.name)
    writer.member("meaning", ifPresent: summary)
    writer.member("clients", ifPresent: clients)
    writer.member("default", isDefault)
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
    writer.endObject()
  }

}
