import ScrollModel

/// The configuration in force, and who may do what by it.
final class Settings {
  private(set) var configuration: Configuration
  private(set) var access: AccessRules
  /// Whether the last reload found a bad configuration, so that the files say something else.
  private(set) var isOutdated = false
  private let read: () throws(ConfigurationError) -> Configuration
  private let journal: Journal

  init(
    _ configuration: Configuration, _ access: AccessRules, journal: Journal,
    read: @escaping () throws(ConfigurationError) -> Configuration
  ) {
    self.configuration = configuration
    self.access = access
    self.journal = journal
    self.read = read
  }

  /// Reads the configuration again, and takes what can change while the daemon runs.
  ///
  /// - Throws: ``ConfigurationError`` when it is bad; then the old one stays in force.
  func reload() throws(ConfigurationError) {
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
    if next.sync != configuration.sync || next.syncInterval != configuration.syncInterval {
      journal.log(.needsRestart)
    }
    next.sync = configuration.sync
    next.syncInterval = configuration.syncInterval
    configuration = next
    isOutdated = false
  }

  /// The policy that a client's sessions begin with: that of the first section whose globs match, else the default.
  func policy(for client: String) -> Policy {
    let section = configuration.policySections.first { section in
      !section.clients.isEmpty && Glob(section.clients).matches(client)
    }
    // The reader of the configuration has checked that the default exists.
    return section?.policy ?? configuration.policy(named: configuration.defaultPolicy) ?? .safari
  }
}
