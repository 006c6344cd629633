// Which policies the command line means.

import ScrollModel
import ScrollService

/// Which policies the command line means: presets and those of a daemon's configuration, with parameters changed.
struct PolicyChoice {
  /// The configuration of `--config`, or one that defines no policies.
  private(set) var configuration = Configuration()

  /// A choice among the presets.
  init() {}

  /// A choice among the presets and the policies of the configuration that `--config` names.
  ///
  /// - Throws: `ConfigurationError` that names file, line and key of what is wrong in it.
  init(_ command: ParsedCommand) throws {
    if let file = command.text(.config) { configuration = try ConfigurationReader(file: file).read() }
  }

  /// The policy of `--policy` and `--set`.
  ///
  /// - Parameter own: The policy when `--policy` is not given.
  func policy(_ command: ParsedCommand, own: () throws -> Policy) throws -> Policy {
    let policy = try command.text(.policy).map { try self.policy(named: $0) } ?? own()
    return try Self.change(policy, command.texts(.set))
  }

  /// Several policies, the last with parameters changed. Of two of one name the later gets another, so that they can be
  /// told apart.
  func policies(named names: [String], set assignments: [String]) throws(UsageError) -> [Policy] {
    var policies: [Policy] = []
    for (index, name) in names.enumerated() {
      var policy = try policy(named: name, set: index + 1 == names.count ? assignments : [])
      if policies.contains(where: { $0.name == policy.name }) { policy.name += "-\(index + 1)" }
      policies.append(policy)
    }
    return policies
  }

  /// A policy with parameters changed, each given as `KEY=VALUE`. A policy of the configuration goes before a preset of
  /// its name, as in the daemon.
  func policy(named name: String, set assignments: [String] = []) throws(UsageError) -> Policy {
    guard let policy = configuration.policy(named: name) else {
      let names = configuration.policySections.map(\.policy.name) + Policy.presets.map(\.name)
      let near = Suggestion.nearest(to: name, among: names).map { " (did you mean \($0)?)" } ?? ""
      throw .badValue(
        option: Option.policy.name, text: name,
        expected: "one of \(names.joined(separator: ", "))\(near); --config FILE adds those of a daemon's "
          + "configuration, and with --set one becomes any other")
    }
    return try Self.change(policy, assignments)
  }

  private static func change(_ policy: Policy, _ assignments: [String]) throws(UsageError) -> Policy {
    var policy = policy
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
