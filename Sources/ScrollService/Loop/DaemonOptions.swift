/// The command-line options. The environment and defaults provide what they omit.
public struct DaemonOptions: Equatable, Sendable {
  /// The configuration file; `nil` for the search path.
  public var configurationFile: String?
  /// The directory of the log; `nil` for the service manager's, or the default.
  public var stateDirectory: String?
  /// The path of the socket to make if the service manager passes none; `nil` for the default.
  public var socket: String?

  /// Creates options that are all `nil`.
  public init() {}
}
