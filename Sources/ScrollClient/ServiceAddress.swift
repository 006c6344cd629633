// Where the daemon listens, and which daemon is meant when nobody says.

import Glibc
import Varlink

/// Where a daemon listens: the path of its socket.
public struct ServiceAddress: Equatable, Sendable, CustomStringConvertible {
  /// The socket's path.
  public var path: String

  /// The address of a path. A Varlink address is accepted too: `unix:/path`, or `unix:@name` for an abstract one.
  public init(_ path: String) { self.path = path }

  /// The machine's own daemon.
  public static let system = ServiceAddress("/run/scrolld/socket")

  /// The daemon that runs as a service of the calling user; `nil` without `$XDG_RUNTIME_DIR`.
  ///
  /// - Parameter environment: Looks up a variable of the environment.
  public static func user(environment: (String) -> String? = Self.variable) -> ServiceAddress? {
    guard let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty else { return nil }
    return ServiceAddress(directory + "/scrolld/socket")
  }

  /// The daemon that is meant when nobody says: `$SCROLLD_SOCKET`; else the user's, if its socket is there; else the
  /// system's.
  ///
  /// - Parameters:
  ///   - environment: Looks up a variable of the environment.
  ///   - exists: Whether a path is there.
  public static func standard(
    environment: (String) -> String? = Self.variable, exists: (String) -> Bool = { access($0, F_OK) == 0 }
  ) -> ServiceAddress {
    if let path = environment("SCROLLD_SOCKET"), !path.isEmpty { return ServiceAddress(path) }
    if let user = user(environment: environment), exists(user.path) { return user }
    return .system
  }

  /// Looks up a variable of the process's environment.
  public static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The path.
  public var description: String { path }

  var varlinkAddress: VarlinkAddress { VarlinkAddress(path) ?? .path(path) }
}
