/// Why a relay has to stop or to begin again: what happened, and what to do.
public enum RelayProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another relay of the machine has stored more. The relay continues from there.
  case cursorMoved
  /// The daemon is away or answered strangely.
  case daemon(String)
  /// The daemon refuses this user.
  case daemonDenied
  /// The daemon does not have the interface.
  case daemonTooOld
  /// The database has a history that the log does not have.
  case otherHistory(String)
  /// The database is away, or has a passing trouble such as a full disk.
  case database(String)
  /// The database refuses the connection or the role, or its certificate does not match.
  case databaseDenied(String)
  /// The database has no schema, or that of another version.
  case schema(String)
  /// The configuration is wrong.
  case configuration(String)

  /// Whether retrying is no use before somebody has changed something.
  public var endsProgram: Bool { status != nil }

  /// The exit status of the program; `nil` when the relay retries.
  public var status: Int32? {
    switch self {
    case .cursorMoved, .daemon, .database: nil
    case .otherHistory: 1
    case .daemonDenied, .databaseDenied: 77
    case .daemonTooOld, .schema, .configuration: 78
    }
  }

  /// The message for people.
  public var description: String {
    switch self {
    case .cursorMoved: "another relay has stored records of this machine"
    case .daemon(let text): "scrolld: \(text)"
    case .daemonDenied:
      "scrolld refuses this user; add it, or its group with @, to Relays= in the section [Access] of scrolld.conf, then run “scrollctl "
        + "reload”"
    case .daemonTooOld: "this scrolld has no interface org.scrolld.Relay; upgrade it to the version of scroll-relay"
    case .otherHistory(let text), .database(let text), .databaseDenied(let text), .schema(let text),
      .configuration(let text):
      text
    }
  }
}
