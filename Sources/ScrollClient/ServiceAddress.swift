import Platform
internal import Varlink

/// The address of a daemon: the path of its socket.
public struct ServiceAddress: Equatable, Sendable, CustomStringConvertible {
  /// The socket's path.
  public var path: String

  /// Creates an address from a path, or from a Varlink address: `unix:/path`, or `unix:@name` for an abstract socket.
  public init(_ path: String) { self.path = path }

  /// The system's daemon.
  public static let system = ServiceAddress("/run/scrolld/socket")

  /// The daemon that runs as the calling user's service; `nil` without `$XDG_RUNTIME_DIR`.
  ///
  /// - Parameter environment: Looks up an environment variable.
  public static func user(environment: (String) -> String? = Self.variable) -> ServiceAddress? {
    guard let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty else { return nil }
    return ServiceAddress(directory + "/scrolld/socket")
  }

  /// The default daemon: the one at `$SCROLLD_SOCKET` if that is set, else the user's if its socket exists, else the
  /// system's.
  ///
  /// - Parameters:
  ///   - environment: Looks up an environment variable.
  ///   - exists: Tells whether a path exists.
  public static func standard(
    environment: (String) -> String? = Self.variable, exists: (String) -> Bool = { Files.exists($0) }
  ) -> ServiceAddress {
    if let path = environment("SCROLLD_SOCKET"), !path.isEmpty { return ServiceAddress(path) }
    if let user = user(environment: environment), exists(user.path) { return user }
    return .system
  }

  /// Looks up an environment variable of the process.
  public static func variable(_ name: String) -> String? { CurrentProcess.variable(name) }

  /// The path.
  public var description: String { path }

  var varlinkAddress: VarlinkAddress { VarlinkAddress(path) ?? .path(path) }
}
