/// An error of PostgreSQL or of libpq.
public struct DatabaseFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What the database is used for, which decides what its role needs.
  public enum Use: Sendable {
    /// A relay writes records.
    case relaying
    /// `init` makes or upgrades the schema.
    case initializing
    /// `status` and `export` read.
    case reading
  }

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
  public var problem: RelayProblem { problem(while: .relaying) }

  /// Returns what it means, with what to do.
  public func problem(while use: Use) -> RelayProblem {
    if isConnecting, state == nil, let problem = connectionProblem { return problem }
    switch state {
    case "28P01"?: return .databaseDenied("\(message); \(Self.passwordAdvice)")
    case "28000"?: return .databaseDenied("\(message); \(Self.accessAdvice)")
    case "42501"?: return .databaseDenied("\(message); \(Self.grantAdvice(use))")
    case "3D000"?: return .databaseDenied("\(message); \(Self.createAdvice)")
    case "42883"? where message.contains("create_distributed_table"):
      return .schema(
        "\(message); --distributed needs Citus: install it, then run CREATE EXTENSION citus in the database, or leave "
          + "--distributed out")
    case "42P01"?, "3F000"?, "42703"?, "42883"?:
      return .schema("\(message); run “scroll-relay init” with this version of scroll-relay")
    case "22P05"?:
      return .schema(
        "\(message); use a database with the encoding UTF8 (createdb --template=template0 --encoding=UTF8)")
    case "53100"?:
      return .database("the database’s disk is full: \(message); make space: nothing is lost\(Self.continuation(use))")
    case "23505"? where message.contains("\"record") || message.contains("\"transition"):
      return .database(
        "\(message); the database has rows of this machine after its position in scroll.machine: to let it begin again, delete its "
          + "rows of all tables")
    case "53300"?: return .database("\(message); \(Self.connectionsAdvice)")
    case "25006"?: return .database("\(message); add target_session_attrs=read-write to Database=")
    default: return .database(message)
    }
  }

  private static let passwordAdvice = "check Database= and the password’s credential or .pgpass"
  private static let accessAdvice = "check the role in Database= and the server’s pg_hba.conf"
  private static let createAdvice = "create it, then run “scroll-relay init”"
  private static let connectionsAdvice =
    "raise max_connections of the server, or the CONNECTION LIMIT of the role or the database"

  private static func grantAdvice(_ use: Use) -> String {
    switch use {
    case .relaying: "let the role write: GRANT scroll_relay TO the role of Database="
    case .reading: "let the role read: GRANT scroll_reader TO the role of Database="
    case .initializing:
      "run “scroll-relay init” as the owner of the database, or let the role make schemas (GRANT CREATE ON DATABASE) and, the "
        + "first time, roles (ALTER ROLE … CREATEROLE)"
    }
  }

  private static func continuation(_ use: Use) -> String {
    use == .relaying ? ", and the relay continues then" : ""
  }

  // MARK: Errors without a code

  /// How libpq's messages about a connection string begin: it reports them before it looks for a server.
  private static let stringErrors = [
    "missing \"=\"", "missing key/value separator", "extra key/value separator", "unterminated quoted string",
    "invalid ",
    "could not match ", "unexpected character", "end of string reached", "IPv6 host address may not be empty",
    "forbidden value", "definition of service", "service file", "syntax error in service file", "sslmode value",
    "weak sslmode", "keepalives parameter",
  ]

  /// What an error that libpq reports without a code, as all while connecting, means; `nil` for others.
  private var connectionProblem: RelayProblem? {
    func has(_ text: String) -> Bool { message.contains(text) }
    // It reads some values only when it has an address.
    let hasBadValue = has("invalid integer value") || has("parameter must be an integer")
    if hasBadValue || Self.stringErrors.contains(where: { message.hasPrefix($0) }) {
      return .configuration("Database=: \(message); correct the connection string")
    }
    // The user of the unit exists only while it runs, and not everywhere for the C library.
    if has("local user with ID") {
      return .configuration("\(message); name the role with user= in Database= of scroll-relay.conf")
    }
    if has("root certificate file") {
      return .databaseDenied(
        "\(message); sslrootcert= in Database= must name a readable file with the certificate of the issuer")
    }
    if has("private key file") || has("certificate file") {
      return .databaseDenied(
        "\(message); sslcert= and sslkey= in Database= must name readable files that belong together")
    }
    if has("certificate") {
      return .databaseDenied(
        "\(message); the server’s certificate must name the host of Database=, and sslrootcert= must have its issuer")
    }
    if has("server does not support SSL") {
      return .databaseDenied("\(message); turn TLS on at the server (ssl=on), or check host= and sslmode= in Database=")
    }
    if has("password authentication failed") || has("no password supplied") {
      return .databaseDenied("\(message); \(Self.passwordAdvice)")
    }
    if has("pg_hba.conf") || has("authentication failed") || has("is not permitted to log in")
      || has("role ") && has(" does not exist")
    {
      return .databaseDenied("\(message); \(Self.accessAdvice)")
    }
    if has("permission denied for database") {
      return .databaseDenied("\(message); let the role connect: GRANT CONNECT ON DATABASE")
    }
    if has("database ") && has(" does not exist") { return .databaseDenied("\(message); \(Self.createAdvice)") }
    if has("too many c") || has("remaining connection slots are reserved") {
      return .database("\(message); \(Self.connectionsAdvice)")
    }
    if has("session is read-only") || has("is in hot standby") {
      return .database("\(message); name all servers with host= in Database=, so that the primary is found")
    }
    if has("starting up") || has("shutting down") || has("recovery") { return .database(message) }
    return .database("\(message); check that the server runs, and host= and port= in Database=")
  }
}
