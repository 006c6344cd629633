/// The schema `scroll` in the database, and how it is made and upgraded.
public struct Schema: Sendable {
  /// The version that this program needs.
  public static let version = 3

  /// How the tables are laid out. It is chosen when the schema is made.
  public struct Layout: Equatable, Sendable {
    /// Into how many partitions the tables are divided by machine; `nil` for none.
    public var partitions: Int?
    /// How long the time of each partition of the records and transitions is; `nil` for no partitions by time.
    public var period: Period?
    /// Whether the partitions are tables on other servers, which somebody makes.
    public var hasForeignShards = false
    /// Whether Citus distributes the tables.
    public var isDistributed = false
    /// Whether readers see only the rows of listed users.
    public var hasRowSecurity = false

    /// Creates the simple layout: one table each.
    public init() {}

    /// Whether tables are divided in some way.
    public var isDivided: Bool { partitions != nil || period != nil || hasForeignShards || isDistributed }
  }

  /// How long the time of a partition is.
  public enum Period: String, CaseIterable, Sendable {
    /// A day, in UTC.
    case day
    /// A week from Monday, in UTC.
    case week
    /// A month, in UTC.
    case month
  }

  /// The tables that are divided by machine, and those of them that can be divided by time.
  private static let (tables, tablesOfTime) = (
    ["machine", "record", "session", "transition", "gap", "forgotten"], ["record", "transition"]
  )

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the statements that bring a schema to this version.
  ///
  /// - Parameter present: The version that the database has; 0 for none.
  public static func script(from present: Int, _ layout: Layout) -> String {
    var parts: [String] = []
    if present < 1 {
      let byMachine = layout.partitions != nil || layout.hasForeignShards ? "PARTITION BY HASH (machine)" : ""
      parts.append(
        text(PackageResources.tables_sql).replacing("/*partitions*/", with: byMachine)
          .replacing("/*divided*/", with: layout.period == nil ? byMachine : "PARTITION BY RANGE (received)"))
      if !layout.hasForeignShards {
        // The key of a partitioned table has the columns that divide it.
        let time = layout.period == nil ? "" : ", received"
        parts.append(text(PackageResources.keys_sql).replacing("/*time*/", with: time))
      }
      if let count = layout.partitions {
        parts.append(partitions(count, of: tables.filter { layout.period == nil || !tablesOfTime.contains($0) }))
      }
      if let period = layout.period {
        parts.append(text(PackageResources.periods_sql))
        parts.append("INSERT INTO scroll.period VALUES ('\(period.rawValue)', \(layout.partitions ?? 0));")
      }
      if layout.isDistributed { parts.append(text(PackageResources.citus_sql)) }
    }
    parts.append(
      """
      DO $$ BEGIN
        IF to_regprocedure('scroll.make_partitions()') IS NOT NULL THEN PERFORM scroll.make_partitions(); END IF;
      END $$;
      """)
    if present < 2 { parts.append(text(PackageResources.views_sql)) }
    if present < 3 { parts += [text(PackageResources.reading_sql), text(PackageResources.runs_sql)] }
    parts.append(text(PackageResources.roles_sql))
    if layout.hasRowSecurity { parts.append(text(PackageResources.row_security_sql)) }
    return parts.joined(separator: "\n")
  }

  private static func partitions(_ count: Int, of tables: [String]) -> String {
    tables.flatMap { table in
      (0..<count).map { index in
        "CREATE TABLE scroll.\(table)_\(index) PARTITION OF scroll.\(table) FOR VALUES WITH (MODULUS \(count), REMAINDER \(index));"
      }
    }.joined(separator: "\n") + "\n"
  }

  /// Returns the version of a database's schema; 0 when it has none.
  ///
  /// - Throws: ``DatabaseFailure``.
  public static func present(in database: Database) throws(DatabaseFailure) -> Int {
    let found = try database.rows("SELECT to_regclass('scroll.version') IS NOT NULL")
    guard found.first?.first == "t" else { return 0 }
    return try database.rows("SELECT max(version) FROM scroll.version").first?.first.flatMap { $0.flatMap(Int.init) }
      ?? 0
  }

  /// Returns what is wrong with a version; `nil` if it is the right one.
  public static func problem(withVersion version: Int) -> RelayProblem? {
    if version == Self.version { return nil }
    if version == 0 { return .schema("the database has no schema “scroll”; run “scroll-relay init”") }
    if version < Self.version {
      return .schema(
        "the database’s schema has version \(version), and this scroll-relay needs \(Self.version); run “scroll-relay init”"
      )
    }
    return .schema(
      "the database’s schema has version \(version), and this scroll-relay knows only \(Self.version); upgrade scroll-relay"
    )
  }

  /// Returns what is wrong with the encoding of a database; `nil` for UTF8, which alone has all names.
  public static func problem(withEncoding encoding: String) -> RelayProblem? {
    if encoding == "UTF8" { return nil }
    return .schema(
      "the database has the encoding \(encoding), and names of clients may have any character; create another one with "
        + "“createdb --template=template0 --encoding=UTF8 NAME”, and name it in Database=")
  }

  /// Makes or upgrades a schema, in one transaction. Row security stays if the database has it.
  ///
  /// - Returns: The version before.
  /// - Throws: ``DatabaseFailure``, or ``RelayProblem`` for a version that is newer than this program or another encoding.
  @discardableResult
  public static func apply(_ layout: Layout, to database: Database) throws -> Int {
    let encoding = try database.rows("SELECT current_setting('server_encoding')").first?.first.flatMap { $0 }
    if let problem = problem(withEncoding: encoding ?? "") { throw problem }
    var layout = layout
    try database.run("BEGIN")
    // Two programs that make it at once take turns.
    try database.run("SELECT pg_advisory_xact_lock(7454123)")
    let present = try present(in: database)
    if present > version, let problem = problem(withVersion: present) {
      try database.run("ROLLBACK")
      throw problem
    }
    if present > 0 {
      let found = try database.rows(
        "SELECT relrowsecurity FROM pg_class WHERE oid = to_regclass('scroll.record')")
      // New views have to keep it too.
      if found.first?.first == "t" { layout.hasRowSecurity = true }
    }
    try database.run(script(from: present, layout))
    try database.run("COMMIT")
    return present
  }
}
