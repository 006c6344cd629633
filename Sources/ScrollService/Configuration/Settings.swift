import ScrollModel

/// The configuration in force, with its access rules.
final class Settings {
  private(set) var configuration: Configuration { didSet { policyGlobs = Self.globs(of: configuration) } }
  /// The clients of each policy section, in the order of the sections.
  private var policyGlobs: [Glob]
  private(set) var access: AccessRules
  /// Whether the last reload failed, so that the files differ from the configuration in force.
  private(set) var isOutdated = false
  private let read: () throws(ConfigurationError) -> Configuration
  private let journal: Journal

  init(
    _ configuration: Configuration, _ access: AccessRules, journal: Journal,
    read: @escaping () throws(ConfigurationError) -> Configuration
  ) {
    self.configuration = configuration
    policyGlobs = Self.globs(of: configuration)
    self.access = access
    self.journal = journal
    self.read = read
  }

  /// Reloads the configuration, and applies everything that can change while the daemon runs.
  ///
  /// - Returns: Warnings about the new configuration.
  /// - Throws: ``ConfigurationError`` if it is invalid; the old configuration then stays in force.
  func reload() throws(ConfigurationError) -> [String] {
    var next: Configuration
    do throws(ConfigurationError) {
      next = try read()
    } catch {
      journal.log(.configurationKept(error))
      isOutdated = true
      throw error
    }
    var warnings: [ConfigurationError] = []
    access = AccessRules(next, warnings: &warnings)
    for warning in warnings { journal.log(.nameUnknown(warning)) }
    var texts = warnings.map { "\($0)" }
    if next.sync != configuration.sync || next.syncInterval != configuration.syncInterval {
      journal.log(.needsRestart)
      texts.append(JournalEntry.restartWarning)
    }
    next.sync = configuration.sync
    next.syncInterval = configuration.syncInterval
    configuration = next
    isOutdated = false
    return texts
  }

  /// Returns the policy for new sessions of a client: that of the first section whose globs match, else the default.
  func policy(for client: String) -> Policy {
    let index = policyGlobs.firstIndex { !$0.compiled.isEmpty && $0.matches(client) }
    let section = index.map { configuration.policySections[$0] }
    // ConfigurationBuilder has checked that the default exists.
    return section?.policy ?? configuration.policy(named: configuration.defaultPolicy) ?? .safari
  }

  private static func globs(of configuration: Configuration) -> [Glob] {
    configuration.policySections.map { Glob($0.clients) }
  }
}
