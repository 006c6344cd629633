/// The options of the command line; the environment and the defaults fill in the rest.
public struct DaemonOptions: Equatable, Sendable {
  /// The configuration file; `nil` for the search path.
  public var configurationFile: String?
  /// The directory of the log.
  public var stateDirectory: String?
  /// Where to listen when the service manager hands over no socket.
  public var socket: String?

  /// No options.
  public init() {}
}
