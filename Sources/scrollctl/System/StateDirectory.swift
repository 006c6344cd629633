import Platform
import ScrollClient

/// The state directories of daemons.
enum StateDirectory {
  static let system = "/var/lib/scrolld"

  /// Returns the calling user's state directory: `$XDG_STATE_HOME/scrolld`, or `~/.local/state/scrolld`.
  static func user(environment: (String) -> String? = ServiceAddress.variable) -> String? {
    if let state = environment("XDG_STATE_HOME"), !state.isEmpty { return state + "/scrolld" }
    return environment("HOME").map { $0 + "/.local/state/scrolld" }
  }

  /// Returns the state directory of the daemon that the command line selects.
  static func choose(_ command: ParsedCommand) throws(UsageError) -> String {
    if command.has(.system), command.has(.user) { throw .conflict(Option.system.name, Option.user.name) }
    if command.has(.system) { return system }
    guard let user = user() else {
      if command.has(.user) { throw .badEnvironment("--user needs $XDG_STATE_HOME or $HOME, and neither is set") }
      return system
    }
    return command.has(.user) || Files.exists(user) ? user : system
  }
}
