/// An error of PostgreSQL or of libpq.
public struct DatabaseFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The SQLSTATE; `nil` for an error that the server did not send.
  public var state: String?
  /// The message, without line breaks.
  public var message: String
  /// Whether it happened while connecting.
  public var isConnecting: Bool

  /// Creates a failure.
  public init(state: String?, message: String, isConnecting: Bool) {
    self.state = state
    self.isConnecting = isConnecting
    let lines = message.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }.filter { !$0.isEmpty }
    self.message = lines.joined(separator: "; ")
  }

  /// The message.
  public var description: String { message }

  /// What it means for a relay, with what to do.
  public var problem: RelayProblem {
    switch state {
    case "28P01"?: return .databaseDenied("\(message); check Database= and the password’s credential or .pgpass")
    case "28000"?: return .databaseDenied("\(message); check the role in Database= and the server’s pg_hba.conf")
    case "42501"?:
      return .databaseDenied("\(message); let the role write: GRANT scroll_relay TO the role of Database=")
    case "3D000"?: return .databaseDenied("\(message); create it, then run “scroll-relay init”")
    case "42P01"?, "3F000"?, "42703"?, "42883"?:
      return .schema("\(message); run “scroll-relay init” with this version of scroll-relay")
    case "53100"?:
      return .database(
        "the database’s disk is full: \(message); nothing is lost, the relay continues when there is space")
    case "25006"?: return .database("\(message); add target_session_attrs=read-write to Database=")
    default: break
    }
    guard isConnecting, state == nil else { return .database(message) }
    // libpq reports these without a code.
    if message.contains("certificate") {
      return .databaseDenied(
        "\(message); the server’s certificate must name the host of Database=, and sslrootcert= must have its issuer")
    }
    if message.contains("password authentication failed") || message.contains("no password supplied") {
      return .databaseDenied("\(message); check Database= and the password’s credential or .pgpass")
    }
    if message.contains("no pg_hba.conf entry") || message.contains("authentication failed")
      || message.contains("role ") && message.contains(" does not exist")
    {
      return .databaseDenied("\(message); check the role in Database= and the server’s pg_hba.conf")
    }
    if message.contains("database ") && message.contains(" does not exist") {
      return .databaseDenied("\(message); create it, then run “scroll-relay init”")
    }
    // The user of the unit exists only while it runs, and not everywhere for the C library.
    if message.contains("local user with ID") {
      return .configuration("\(message); name the role with user= in Database= of scroll-relay.conf")
    }
    if message.contains("invalid connection option") || message.contains("missing \"=\"")
      || message.contains("invalid sslmode value") || message.contains("invalid URI")
    {
      return .configuration("Database=: \(message)")
    }
    return .database(message)
  }
}
