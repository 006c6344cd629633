import Platform
import ScrollModel

/// A builder of a configuration from one or more files, where later assignments override earlier ones.
struct ConfigurationBuilder {
  private struct PolicyDraft {
    var name: String
    var rule: (name: String, place: SettingPlace)?
    var clients: [String] = []
    var parameters: [(name: String, value: String, place: SettingPlace)] = []
    var place: SettingPlace
  }

  private var configuration = Configuration()
  private var drafts: [PolicyDraft] = []
  private var bufferPlaces: [String: SettingPlace] = [:]
  private var defaultPolicyPlace: SettingPlace?

  /// Adds a file.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown section or key and for an invalid value.
  mutating func add(_ file: ConfigurationFile) throws(ConfigurationError) {
    var problems: [ConfigurationError] = []
    add(file, problems: &problems)
    if let first = problems.first { throw first }
  }

  /// Adds a file, and leaves out what is wrong in it.
  ///
  /// - Parameter problems: Gets an error for everything that is wrong.
  mutating func add(_ file: ConfigurationFile, problems: inout [ConfigurationError]) {
    for section in file.sections {
      do throws(ConfigurationError) {
        try add(section, in: file.path)
      } catch {
        problems.append(error)
      }
    }
    for assignment in file.assignments {
      if let name = Self.policyName(assignment.section) {
        set(assignment, ofPolicy: name, in: file.path)
        continue
      }
      // The error about an unknown section is enough.
      guard Self.sectionNames.contains(assignment.section) else { continue }
      do throws(ConfigurationError) {
        try set(assignment, in: file.path)
      } catch {
        problems.append(error)
      }
    }
  }

  private mutating func add(_ section: ConfigurationFile.Section, in file: String) throws(ConfigurationError) {
    if let name = Self.policyName(section.name) {
      try addPolicy(name, SettingPlace(file: file, line: section.line))
    } else if !Self.sectionNames.contains(section.name) {
      let known = Self.sectionNames.map { "[\($0)]" }.joined(separator: ", ")
      throw ConfigurationError(
        file: file, line: section.line,
        reason: "unknown section [\(section.name)]; the sections are \(known) and [Policy NAME]")
    }
  }

  /// Returns the configuration that the files make.
  ///
  /// - Throws: ``ConfigurationError`` for an invalid policy and for an unknown default policy.
  func finish() throws(ConfigurationError) -> Configuration {
    var problems: [ConfigurationError] = []
    let result = finish(problems: &problems)
    if let first = problems.first { throw first }
    return result
  }

  /// Returns the configuration that the files make, without what is wrong.
  ///
  /// - Parameter problems: Gets an error for everything that is wrong.
  func finish(problems: inout [ConfigurationError]) -> Configuration {
    var result = configuration
    checkBuffers(&problems)
    for draft in drafts { result.policySections.append(Self.policy(of: draft, &problems)) }
    if result.policy(named: result.defaultPolicy) == nil {
      let known = result.policyNames
      problems.append(
        ConfigurationError(
          file: defaultPolicyPlace?.file ?? "", line: defaultPolicyPlace?.line, key: "Policy",
          reason: "unknown policy “\(ConfigurationFile.shown(result.defaultPolicy))”"
            + "\(Self.suggestion(for: result.defaultPolicy, known)); the policies are \(known.joined(separator: ", "))")
      )
    }
    return result
  }

  /// Checks that the buffers can hold a message of the maximum size.
  private func checkBuffers(_ problems: inout [ConfigurationError]) {
    let buffers = [
      ("BufferPerUserMax", configuration.maximumBufferPerUser), ("BufferMax", configuration.maximumBuffer),
    ]
    for (key, limit) in buffers {
      guard let limit, limit < configuration.maximumMessageSize, let place = bufferPlaces[key] else { continue }
      problems.append(
        ConfigurationError(
          file: place.file, line: place.line, key: key,
          reason: "must not be less than MessageSizeMax=, which is \(configuration.maximumMessageSize)"))
    }
  }

  private static var sectionNames: [String] {
    var names: [String] = []
    for key in Configuration.keys where !names.contains(key.section) { names.append(key.section) }
    return names
  }

  private static func policyName(_ section: String) -> String? {
    guard section.hasPrefix("Policy ") else { return nil }
    return String(Substring(section.dropFirst("Policy ".count)).trimmingSpaces())
  }

  private mutating func addPolicy(_ name: String, _ place: SettingPlace) throws(ConfigurationError) {
    if name.isEmpty || name.utf8.count > 64 || name.unicodeScalars.contains(where: \.isControl) {
      throw ConfigurationError(
        file: place.file, line: place.line, reason: "a policy name must have 1 to 64 bytes and no control characters")
    }
    if !drafts.contains(where: { $0.name == name }) { drafts.append(PolicyDraft(name: name, place: place)) }
  }

  private mutating func set(_ assignment: ConfigurationFile.Assignment, in file: String) throws(ConfigurationError) {
    guard
      let key = Configuration.keys.first(where: { $0.section == assignment.section && $0.name == assignment.key })
    else {
      let known = Configuration.keys.filter { $0.section == assignment.section }.map(\.name)
      throw ConfigurationError(
        file: file, line: assignment.line, key: assignment.key,
        reason: "unknown key in [\(assignment.section)]\(Self.suggestion(for: assignment.key, known)); the keys are "
          + known.joined(separator: ", "))
    }
    let place = SettingPlace(file: file, line: assignment.line)
    if assignment.value.isEmpty {
      key.reset(&configuration)
    } else if !key.set(&configuration, assignment.value, place) {
      throw ConfigurationError(
        file: file, line: assignment.line, key: assignment.key,
        reason: "invalid value “\(ConfigurationFile.shown(assignment.value))”: expected \(key.expected)")
    }
    if key.section == "Sessions", key.name == "Policy" { defaultPolicyPlace = place }
    if key.name.hasPrefix("Buffer") { bufferPlaces[key.name] = place }
  }

  private mutating func set(_ assignment: ConfigurationFile.Assignment, ofPolicy name: String, in file: String) {
    guard let index = drafts.firstIndex(where: { $0.name == name }) else { return }
    let place = SettingPlace(file: file, line: assignment.line)
    let words = SettingValue.words(assignment.value)
    switch assignment.key {
    case "Rule":
      drafts[index].rule = assignment.value.isEmpty ? nil : (assignment.value, place)
    case "Clients":
      drafts[index].clients = assignment.value.isEmpty ? [] : drafts[index].clients + words
    default:
      drafts[index].parameters.append((assignment.key, assignment.value, place))
    }
  }

  private static func policy(
    of draft: PolicyDraft, _ problems: inout [ConfigurationError]
  ) -> Configuration.PolicySection {
    let rulePlace = draft.rule?.place ?? draft.place
    var policy: Policy?
    do {
      policy = try Policy(name: draft.name, ruleNamed: draft.rule?.name ?? "safari")
    } catch {
      problems.append(
        ConfigurationError(file: rulePlace.file, line: rulePlace.line, key: "Rule", reason: error.description))
    }
    // With an unknown rule, a parameter is checked by a rule that has it, so that all mistakes are found at once.
    let defaults = policy.map { [$0] } ?? Policy.presets
    var candidates = defaults
    for (key, value, place) in draft.parameters {
      // Keys begin with an upper-case letter in the files; the names of parameters do not.
      let name = key.prefix(1).lowercased() + key.dropFirst()
      let owner = candidates.firstIndex { $0.parameters.contains { $0.name == name } } ?? 0
      let text = value.isEmpty ? defaults[owner].parameters.first { $0.name == name }?.value ?? "" : value
      do {
        try candidates[owner].set(name, to: text)
      } catch .unknownParameter(_, let rule, _) {
        let keys = keys(of: defaults)
        let reason =
          "unknown key in [Policy \(draft.name)]" + (policy == nil ? ": no rule has it" : ", whose rule is \(rule)")
          + "\(suggestion(for: key, keys)); the keys are \(keys.joined(separator: ", "))"
        problems.append(ConfigurationError(file: place.file, line: place.line, key: key, reason: reason))
      } catch {
        problems.append(
          ConfigurationError(file: place.file, line: place.line, key: key, reason: error.description))
      }
    }
    var result = candidates[0]
    result.name = draft.name
    return Configuration.PolicySection(policy: result, clients: draft.clients)
  }

  /// The keys of a policy's section, if its rule is that of one of these policies.
  private static func keys(of policies: [Policy]) -> [String] {
    var keys = ["Rule", "Clients"]
    for name in policies.flatMap(\.parameters).map(\.name) {
      let key = name.prefix(1).uppercased() + name.dropFirst()
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }

  /// What a message about an unknown name says about the one that it may mean.
  private static func suggestion(for name: String, _ known: [String]) -> String {
    Suggestion.nearest(to: name, among: known).map { " (did you mean \($0)?)" } ?? ""
  }
}
