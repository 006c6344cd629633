// Which policy the command line means.

import ScrollModel

/// Which policy the command line means: a preset, with parameters changed.
enum PolicyChoice {
  /// The policy of `--policy` and `--set`; the default policy when neither is given.
  static func policy(_ command: ParsedCommand) throws(UsageError) -> Policy {
    try policy(named: command.text(.policy) ?? Policy.safari.name, set: command.texts(.set))
  }

  /// Several presets, the last with parameters changed. Of two of one name the later gets another, so that they can be
  /// told apart.
  static func policies(named names: [String], set assignments: [String]) throws(UsageError) -> [Policy] {
    var policies: [Policy] = []
    for (index, name) in names.enumerated() {
      var policy = try policy(named: name, set: index + 1 == names.count ? assignments : [])
      if policies.contains(where: { $0.name == policy.name }) { policy.name += "-\(index + 1)" }
      policies.append(policy)
    }
    return policies
  }

  /// A preset with parameters changed, each given as `KEY=VALUE`.
  static func policy(named name: String, set assignments: [String] = []) throws(UsageError) -> Policy {
    guard var policy = Policy.preset(named: name) else {
      let names = Policy.presets.map(\.name)
      let near = Suggestion.nearest(to: name, among: names).map { " (did you mean \($0)?)" } ?? ""
      throw .badValue(
        option: Option.policy.name, text: name,
        expected: "one of \(names.joined(separator: ", "))\(near); with --set one of them becomes any other")
    }
    for assignment in assignments {
      guard let equals = assignment.firstIndex(of: "="), equals > assignment.startIndex else {
        throw .badValue(option: Option.set.name, text: assignment, expected: "KEY=VALUE, such as hideDistance=20")
      }
      do {
        try policy.set(String(assignment[..<equals]), to: String(assignment[assignment.index(after: equals)...]))
      } catch {
        throw .badValue(option: Option.set.name, text: assignment, expected: "KEY=VALUE that fits: \(error)")
      }
    }
    return policy
  }
}
