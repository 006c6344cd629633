import Testing

@testable import ScrollRelay

/// What an error of the database means: its exit status, and what to do.
@Suite struct DatabaseFailureTests {
  private static func problem(
    _ message: String, state: String? = nil, while use: DatabaseFailure.Use = .relaying
  ) -> RelayProblem {
    DatabaseFailure(state: state, message: message, isConnecting: state == nil).problem(while: use)
  }

  @Test(arguments: [
    "missing \"=\" after \"x\" in connection info string", "unterminated quoted string in connection info string",
    "invalid connection option \"hots\"", "invalid port number: \"abc\"", "invalid sslmode value: \"x\"",
    "invalid target_session_attrs value: \"primry\"", "could not match 3 port numbers to 2 hosts",
    "forbidden value %00 in percent-encoded value: \"%00\"", "definition of service \"x\" not found",
    "invalid integer value \"x\" for connection option \"keepalives\"",
    "connection to server at \"h\", port 1 failed: keepalives parameter must be an integer",
    "extra key/value separator \"=\" in URI query",
  ])
  func anErrorOfTheConnectionStringEndsTheProgramAndNamesTheKey(message: String) {
    let problem = Self.problem(message + "\n")
    #expect(problem == .configuration("Database=: \(message); correct the connection string"))
    #expect(problem.status == 78)
  }

  @Test(
    arguments: [
      ("connection to server at \"h\", port 1 failed: server does not support SSL, but SSL was required", 77, "ssl=on"),
      ("connection to server failed: FATAL:  pg_hba.conf rejects connection for host \"h\"", 77, "check the role"),
      ("connection to server failed: FATAL:  password authentication failed for user \"x\"", 77, "credential"),
      ("connection to server failed: FATAL:  role \"x\" does not exist", 77, "check the role"),
      ("connection to server failed: FATAL:  database \"x\" does not exist", 77, "create it"),
      ("connection to server failed: root certificate file \"/x\" does not exist", 77, "readable file"),
      ("connection to server failed: SSL error: certificate verify failed", 77, "must name the host"),
      ("connection to server failed: FATAL:  too many connections for role \"x\"", nil, "CONNECTION LIMIT"),
      ("connection to server failed: FATAL:  sorry, too many clients already", nil, "max_connections"),
      ("connection to server failed: session is read-only", nil, "name all servers"),
      ("connection to server on socket \"/x\" failed: No such file or directory", nil, "check that the server runs"),
      ("could not translate host name \"x\" to address: Name or service not known", nil, "host= and port="),
      ("local user with ID 63323 does not exist", 78, "user="),
    ] as [(String, Int32?, String)])
  func eachFailureToConnectSaysWhatToDo(message: String, status: Int32?, advice: String) {
    let problem = Self.problem(message)
    #expect(problem.status == status, "\(problem)")
    #expect("\(problem)".hasPrefix(message + "; ") && "\(problem)".contains(advice), "\(problem)")
  }

  @Test(
    arguments: [
      (.relaying, "GRANT scroll_relay"), (.reading, "GRANT scroll_reader"), (.initializing, "owner of the database"),
    ] as [(DatabaseFailure.Use, String)])
  func aMissingRightNamesTheOneThatTheUseNeeds(use: DatabaseFailure.Use, advice: String) {
    let problem = Self.problem("permission denied for schema scroll", state: "42501", while: use)
    #expect(problem.status == 77 && "\(problem)".contains(advice))
    for other in ["GRANT scroll_relay", "GRANT scroll_reader", "owner of the database"] where other != advice {
      #expect(!"\(problem)".contains(other))
    }
  }

  @Test func citusThatIsMissingIsNotTakenForAnotherVersion() {
    let problem = Self.problem(
      "function create_distributed_table(unknown, unknown) does not exist", state: "42883", while: .initializing)
    #expect(problem.status == 78 && "\(problem)".contains("CREATE EXTENSION citus"))
    #expect(!"\(problem)".contains("with this version"))
  }

  @Test(arguments: ["LATIN1", "SQL_ASCII", ""])
  func onlyUTF8HasAllNames(encoding: String) {
    #expect(Schema.problem(withEncoding: encoding)?.status == 78)
    #expect(Schema.problem(withEncoding: "UTF8") == nil)
  }
}
