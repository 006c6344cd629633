// Where the daemon's files are.

import Platform

/// Where the daemon's files are, by its options, its environment, and who runs it.
enum Places {
  /// A place that can't be told.
  struct Unknown: Error, CustomStringConvertible {
    let description: String
  }

  /// The reader of the configuration.
  static func configuration(_ options: DaemonOptions) -> ConfigurationReader {
    if let file = options.configurationFile { return ConfigurationReader(file: file) }
    if CurrentProcess.user == 0 || environment("STATE_DIRECTORY") != nil {
      return ConfigurationReader(searchPath: ConfigurationReader.systemSearchPath)
    }
    // A user's daemon is told by the user's files before the system's.
    let home = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" }
    return ConfigurationReader(
      searchPath: (home.map { [$0 + "/scrolld"] } ?? []) + ConfigurationReader.systemSearchPath)
  }

  /// The state directory: `--state-directory`, the service manager's, or the default. It is made where it is not there, and
  /// named so that other processes find it, too.
  static func stateDirectory(_ options: DaemonOptions) throws -> String {
    let path: String
    if let given = options.stateDirectory {
      path = given
    } else if let managed = environment("STATE_DIRECTORY") {
      path = String(managed.prefix { $0 != ":" })
    } else if CurrentProcess.user == 0 {
      path = "/var/lib/scrolld"
    } else if let home = environment("XDG_STATE_HOME") ?? environment("HOME").map({ $0 + "/.local/state" }) {
      path = home + "/scrolld"
    } else {
      throw Unknown(
        description: "there is no place for the log: give --state-directory, or set $XDG_STATE_HOME or $HOME")
    }
    try makeDirectories(path)
    if path.hasPrefix("/") { return path }
    return try SystemError.wrapping("find", path) { () throws(Errno) in try Files.resolve(path) }
  }

  /// The socket: `--socket`, or the default.
  static func socket(_ options: DaemonOptions) throws -> String {
    if let given = options.socket { return given }
    if CurrentProcess.user == 0 { return "/run/scrolld/socket" }
    guard let runtime = environment("XDG_RUNTIME_DIR") else {
      throw Unknown(description: "there is no place for the socket: give --socket, or set $XDG_RUNTIME_DIR")
    }
    return runtime + "/scrolld/socket"
  }

  private static func environment(_ name: String) -> String? {
    CurrentProcess.variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func makeDirectories(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += made.isEmpty || made.hasSuffix("/") ? part : "/" + part
      do { try Directory.make(made, permissions: 0o700) } catch {
        if error != .isDirectory { throw SystemError("make the directory", made, error) }
      }
    }
  }
}
