import Platform
import ScrollModel
import ScrollService

/// The policies that the command line selects, among the presets and those of a daemon's configuration.
struct PolicyChoice {
  /// The configuration of `--config`, or one without policies.
  private(set) var configuration = Configuration()

  /// Creates a choice among the presets.
  init() {}

  /// Creates a choice among the presets and the policies of the configuration that `--config` names.
  ///
  /// - Throws: `ConfigurationError` with the file, line and key of an error.
  init(_ command: ParsedCommand) throws {
    if let file = command.text(.config) { configuration = try ConfigurationReader(file: file).read() }
  }

  /// Returns the policy of `--policy` and `--set`.
  ///
  /// - Parameter own: Returns the policy when `--policy` is absent.
  func policy(_ command: ParsedCommand, own: () throws -> Policy) throws -> Policy {
    let policy = try command.text(.policy).map { try self.policy(named: $0) } ?? own()
    return try Self.change(policy, command.texts(.set))
  }

  /// Returns the policies to compare: those named; otherwise the default policy and what the assignments make of it, or all
  /// of them if there are none.
  func compared(named names: [String], set assignments: [String]) throws(UsageError) -> [Policy] {
    if !names.isEmpty { return try policies(named: names, set: assignments) }
    let standard = Policy.safari.name
    if !assignments.isEmpty { return try policies(named: [standard, standard], set: assignments) }
    return ListedPolicy.all(configuration).map(\.policy)
  }

  /// Returns several policies, with changed parameters in the last, which is then named after them: `safari hideDistance=24`.
  /// A policy with the name of an earlier one is renamed.
  func policies(named names: [String], set assignments: [String]) throws(UsageError) -> [Policy] {
    var policies: [Policy] = []
    for (index, name) in names.enumerated() {
      let changes = index + 1 == names.count ? assignments : []
      var policy = try Self.variant(of: policy(named: name), changes)
      if policies.contains(where: { $0.name == policy.name }) { policy.name += "-\(index + 1)" }
      policies.append(policy)
    }
    return policies
  }

  /// Returns a policy with changed parameters, which is named after them: `safari hideDistance=24`.
  static func variant(of policy: Policy, _ assignments: [String]) throws(UsageError) -> Policy {
    var variant = try change(policy, assignments)
    let counting = assignments.enumerated().filter { index, assignment in
      // The last value of a parameter counts.
      let parameter = assignment.prefix { $0 != "=" }
      return !assignments.dropFirst(index + 1).contains { $0.prefix { $0 != "=" } == parameter }
    }
    variant.name = ([policy.name] + counting.map(\.element)).joined(separator: " ")
    return variant
  }

  /// Returns a policy with changed parameters, each given as `KEY=VALUE`. As in the daemon, a configured policy takes
  /// precedence over a preset of the same name. A variant's name selects it: `safari hideDistance=24`.
  func policy(named name: String, set assignments: [String] = []) throws(UsageError) -> Policy {
    var found = configuration.policy(named: name)
    if found == nil { found = try variant(named: name) }
    guard let policy = found else {
      let names = configuration.policyNames
      // A variant's parameters are not the mistake.
      let words = name.split(separator: " ").prefix { !$0.contains("=") }
      let wanted = words.isEmpty ? name : words.joined(separator: " ")
      let near = Suggestion.nearest(to: wanted, among: names).map { " (did you mean \($0)?)" } ?? ""
      throw .badValue(
        option: Option.policy.name, text: wanted,
        expected: "one of \(names.joined(separator: ", "))\(near); --config FILE adds those of a daemon's "
          + "configuration, and --set changes parameters")
    }
    return try Self.change(policy, assignments)
  }

  /// Returns the variant of a name such as `safari hideDistance=24`; `nil` if the text is no such name.
  private func variant(named name: String) throws(UsageError) -> Policy? {
    let words = name.split(separator: " ").map(String.init)
    // A policy's own name may have spaces.
    guard let first = words.firstIndex(where: { $0.contains("=") }), first > 0,
      let policy = configuration.policy(named: words[..<first].joined(separator: " "))
    else { return nil }
    var variant = try Self.change(policy, Array(words[first...]), by: .policy)
    variant.name = words.joined(separator: " ")
    return variant
  }

  /// Returns a policy with changed parameters, each given as `KEY=VALUE`.
  ///
  /// - Parameter option: The option that the assignments are of.
  static func change(
    _ policy: Policy, _ assignments: [String], by option: Option = .set
  ) throws(UsageError) -> Policy {
    var policy = policy
    for assignment in assignments {
      guard let equals = assignment.firstIndex(of: "="), equals > assignment.startIndex else {
        throw .badValue(option: option.name, text: assignment, expected: "KEY=VALUE, such as hideDistance=20")
      }
      do {
        try policy.set(String(assignment[..<equals]), to: String(assignment[assignment.index(after: equals)...]))
      } catch {
        throw .badAssignment(option: option.name, reason: error.suggestion)
      }
    }
    return policy
  }

  /// Says which sessions of the log have another policy than those by which they are folded, since nobody named these.
  func warn(of sessions: [LoadedSession], foldedBy policies: [Policy]) {
    let names = policies.map(\.name)
    let others = sessions.filter { $0.log != nil && !names.contains($0.policy?.name ?? names[0]) }
    guard let first = others.first, let policy = first.policy else { return }
    let name = "\(visible(first.name)) (\(visible(policy.name)))"
    let subject =
      others.count == 1
      ? "\(name) has another policy" : "\(others.count) sessions, such as \(name), have other policies"
    Program.warn(
      "\(subject), but everything is folded by \(names.joined(separator: " and "))",
      hint: "Choose a policy with --policy NAME; --config FILE adds those of a daemon's configuration.")
  }
}
