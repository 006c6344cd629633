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

  /// Returns the state directory of the daemon that the command line selects. A daemon that a socket selects is asked.
  static func choose(_ command: ParsedCommand) throws -> String {
    let selection = try Selection(command)
    switch selection {
    case .directory(let directory): return directory
    case .socket(let address, let source):
      do throws(ServiceError) {
        return try ServiceConnection(address).pinLog().directory
      } catch {
        throw Failure(
          "cannot ask the daemon that \(source) selects for its state directory: \(error)",
          hint: "Name the state directory, or choose a daemon with --system or --user.")
      }
    }
  }

  /// Returns the state directory of the daemon that the command line selects, which is not running.
  ///
  /// - Parameter option: The option that names the directory instead.
  static func chooseStopped(_ command: ParsedCommand, option: Option) throws(UsageError) -> String {
    switch try Selection(command) {
    case .directory(let directory): return directory
    case .socket(_, let source):
      throw .badEnvironment(
        "\(source) selects a daemon, but not the state directory of one that is stopped: name it with --\(option.name)")
    }
  }

  /// How a command line selects a state directory.
  enum Selection: Equatable {
    case directory(String)
    /// That of the daemon at a socket; `source` says what names the socket.
    case socket(ServiceAddress, source: String)

    init(_ command: ParsedCommand, environment: (String) -> String? = ServiceAddress.variable) throws(UsageError) {
      if command.has(.system), command.has(.user) { throw .conflict(Option.system.name, Option.user.name) }
      if command.has(.system) {
        self = .directory(StateDirectory.system)
        return
      }
      if !command.has(.user) {
        if command.has(.socket) {
          self = .socket(try command.address(), source: "--socket")
          return
        }
        if let path = environment("SCROLLD_SOCKET"), !path.isEmpty {
          self = .socket(ServiceAddress(path), source: "$SCROLLD_SOCKET")
          return
        }
      }
      let user = StateDirectory.user(environment: environment)
      if command.has(.user), user == nil {
        throw .badEnvironment("--user needs $XDG_STATE_HOME or $HOME, and neither is set")
      }
      let chosen = user.flatMap { command.has(.user) || Files.exists($0) ? $0 : nil }
      self = .directory(chosen ?? StateDirectory.system)
    }
  }

  /// Returns how to stop the daemon that uses a state directory.
  static func stopHint(_ directory: String) -> String {
    let isAt = { (path: String) in
      (try? Files.resolve(path)) == (try? Files.resolve(directory)) && Files.exists(directory)
    }
    if isAt(system) { return "Stop the daemon first:  systemctl stop scrolld.socket scrolld" }
    if let user = user(), isAt(user) { return "Stop the daemon first:  systemctl --user stop scrolld.socket scrolld" }
    return "Stop the daemon that uses this state directory first."
  }

  /// Checks that a directory is a state directory: that it has the directory `log`.
  ///
  /// - Parameter what: What the directory should be, for the message.
  /// - Throws: ``Failure`` that says what it is instead; `SystemError` when it cannot be examined.
  static func requireLog(in directory: String, what: String = "a state directory") throws {
    let status = try SystemError.wrapping("examine", directory) { () throws(Errno) in try FileStatus(directory) }
    let hint = "The system's daemon has its state in \(system), your own in \(user() ?? "~/.local/state/scrolld")."
    guard status.kind == .directory else {
      throw Failure("\(directory) is not a directory: \(what) is needed", hint: hint)
    }
    let log: FileStatus
    do {
      log = try FileStatus(directory + "/log")
    } catch {
      guard error == .noSuchFile else { throw SystemError("examine", directory + "/log", error) }
      let isLog = directory.split(separator: "/").last == "log" && Files.exists(directory + "/../lock")
      throw Failure(
        "\(directory) is not \(what): it has no directory “log”",
        hint: isLog ? "Give the directory above it." : hint)
    }
    if log.kind != .directory { throw Failure("\(directory) is not \(what): its “log” is not a directory", hint: hint) }
  }

  /// Returns the size of a log's files in bytes, for a progress bar; `nil` when it cannot be read.
  static func logSize(of directory: String) -> Int64? {
    guard let names = try? Directory.names(in: directory + "/log") else { return nil }
    return names.reduce(0) { $0 + ((try? FileStatus("\(directory)/log/\($1)"))?.size ?? 0) }
  }

  /// Returns whether a path is a directory or leads into it, also by symbolic links and bind mounts. It need not exist.
  static func contains(_ directory: String, _ path: String) -> Bool {
    guard let wanted = try? FileStatus(directory) else { return false }
    var ancestor: String? = existingPart(of: path)
    while let current = ancestor {
      let status = try? FileStatus(current)
      if let status, (status.device, status.inode) == (wanted.device, wanted.inode) { return true }
      ancestor = parent(of: current)
    }
    return false
  }

  /// Returns the longest part of a path that exists, without symbolic links.
  private static func existingPart(of path: String) -> String? {
    var part: String? = path.isEmpty ? "." : path
    while let current = part {
      if let resolved = try? Files.resolve(current) { return resolved }
      part = parent(of: current) ?? (current.hasPrefix("/") ? nil : current == "." ? nil : ".")
    }
    return nil
  }

  /// Returns the path without its last part; `nil` for one without a slash, and for the root.
  private static func parent(of path: String) -> String? {
    let parts = path.split(separator: "/")
    guard parts.count > 1 || path.hasPrefix("/") && parts.count == 1 else { return nil }
    return (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
  }
}
