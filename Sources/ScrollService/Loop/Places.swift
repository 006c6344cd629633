import Platform

/// The places of the daemon's files, which depend on its options, its environment and its user.
enum Places {
  /// A place that is neither set nor has a default.
  struct Unknown: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the reader of the configuration.
  static func configuration(_ options: DaemonOptions) -> ConfigurationReader {
    if let file = options.configurationFile { return ConfigurationReader(file: file) }
    if CurrentProcess.user == 0 || environment("STATE_DIRECTORY") != nil {
      return ConfigurationReader(searchPath: ConfigurationReader.systemSearchPath)
    }
    // For a user's daemon, the user's files take precedence over the system's.
    let home = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" }
    return ConfigurationReader(
      searchPath: (home.map { [$0 + "/scrolld"] } ?? []) + ConfigurationReader.systemSearchPath)
  }

  /// Returns the command that checks the configuration of a daemon.
  ///
  /// - Parameter file: The file of `--config`.
  static func checkCommand(_ file: String?) -> String {
    guard let file else { return "scrolld --check-config" }
    let isPlain = file.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%".contains($0)) }
    let argument =
      isPlain ? file : "'\(file.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    return "scrolld --config \(argument) --check-config"
  }

  /// Returns a path that other processes can use, too.
  static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let directory = try? Files.resolve(".") else { return path }
    return directory + "/" + path
  }

  /// Makes the state directory if it does not exist: `--state-directory`, the service manager's, or the default.
  ///
  /// - Returns: Its absolute path, which other processes can use, too.
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
        description: "no directory is known for the log: pass --state-directory, or set $XDG_STATE_HOME or $HOME")
    }
    try makeDirectories(path, permissions: 0o700)
    try TrustedDirectory.check(path, for: "the log", allowsSticky: false)
    if path.hasPrefix("/") { return path }
    return try SystemError.wrapping("find", path) { () throws(Errno) in try Files.resolve(path) }
  }

  /// Returns the path of the socket: `--socket`, or the default.
  static func socket(_ options: DaemonOptions) throws -> String {
    if let given = options.socket { return given }
    if CurrentProcess.user == 0 { return "/run/scrolld/socket" }
    guard let runtime = environment("XDG_RUNTIME_DIR") else {
      throw Unknown(description: "no path is known for the socket: pass --socket, or set $XDG_RUNTIME_DIR")
    }
    return runtime + "/scrolld/socket"
  }

  private static func environment(_ name: String) -> String? {
    CurrentProcess.variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Makes a directory and those above it that do not exist.
  static func makeDirectories(_ path: String, permissions: UInt32) throws(SystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += made.isEmpty || made.hasSuffix("/") ? part : "/" + part
      do throws(Errno) {
        // The umask may have taken bits away that other users need.
        if try Directory.make(made, permissions: permissions) { try Files.setPermissions(permissions, of: made) }
      } catch {
        if error != .isDirectory { throw SystemError("make the directory", made, error) }
      }
    }
  }
}
