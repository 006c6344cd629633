import Platform
import ScrollModel
import ScrollService

/// The settings of `scroll-relay.conf`.
public struct RelayConfiguration: Equatable, Sendable {
  /// libpq's connection string; empty for libpq's defaults.
  public var database = ""
  /// Patterns of client names of which one must match; empty for all clients.
  public var clients: [String] = []
  /// How many records a transaction has at most, unless a single reply has more.
  public var batchRecords = 4096
  /// How long a record waits for others, in microseconds.
  public var batchDelay: Int64 = 250_000
  /// The id of the machine; `nil` for one that is derived from that of the system.
  public var machine: SessionID?
  /// The name of the machine; `nil` for that of the host.
  public var name: String?
  /// The path of the daemon's socket; `nil` for the standard one.
  public var socket: String?

  /// Creates the defaults.
  public init() {}

  /// The directories to search for `scroll-relay.conf`, in order of precedence.
  public static let searchPath = ["/etc/scrolld", "/run/scrolld", "/usr/local/lib/scrolld", "/usr/lib/scrolld"]

  /// A key of the section `[Relay]`.
  struct Key: Sendable {
    let name: String
    /// The values that the key accepts, worded to follow “expected”.
    let expected: String
    let set: @Sendable (inout RelayConfiguration, String) -> Bool
    let reset: @Sendable (inout RelayConfiguration) -> Void

    init<Value: Sendable>(
      _ name: String, _ expected: String, _ path: WritableKeyPath<RelayConfiguration, Value> & Sendable,
      _ read: @escaping @Sendable (String) -> Value?
    ) {
      self.name = name
      self.expected = expected
      set = { configuration, text in
        guard let value = read(text) else { return false }
        configuration[keyPath: path] = value
        return true
      }
      reset = { $0[keyPath: path] = RelayConfiguration()[keyPath: path] }
    }
  }

  static let keys: [Key] = [
    Key("Database", "a connection string of libpq", \.database) { $0 },
    Key("Clients", "a space-separated list of patterns", \.clients) { SettingValue.words($0) },
    Key("BatchRecords", "a number from 1 to 65536", \.batchRecords) {
      SettingValue.count($0).flatMap { (1...65_536).contains($0) ? $0 : nil }
    },
    Key("BatchDelaySec", "a time span from 0 to 1min, such as 250ms", \.batchDelay) {
      TimeSpan.microseconds($0).flatMap { (0...60_000_000).contains($0) ? $0 : nil }
    },
    Key("Machine", "32 hexadecimal digits", \.machine) { RelayConfiguration.machine($0).map { .some($0) } },
    Key("Name", "a text", \.name) { .some($0) },
    Key("Socket", "an absolute path", \.socket) { $0.hasPrefix("/") ? .some($0) : nil },
  ]

  /// Reads the id of a machine, with or without hyphens.
  public static func machine(_ text: String) -> SessionID? { SessionID(text.filter { $0 != "-" }) }

  /// Reads the configuration.
  ///
  /// - Parameter file: The file to read; `nil` to search for `scroll-relay.conf`.
  /// - Throws: `ConfigurationError` with the file, line and key of the first error.
  public static func read(file: String?) throws(ConfigurationError) -> RelayConfiguration {
    var reader = ConfigurationReader(searchPath: searchPath)
    if let file { reader = ConfigurationReader(file: file) }
    reader.name = "scroll-relay"
    var configuration = RelayConfiguration()
    try reader.forEachFile { file throws(ConfigurationError) in try configuration.add(file) }
    return configuration
  }

  private mutating func add(_ file: ConfigurationFile) throws(ConfigurationError) {
    for section in file.sections where section.name != "Relay" {
      throw ConfigurationError(
        file: file.path, line: section.line, reason: "unknown section [\(section.name)]; the only section is [Relay]")
    }
    for assignment in file.assignments {
      guard let key = Self.keys.first(where: { $0.name == assignment.key }) else {
        let known = Self.keys.map(\.name).joined(separator: ", ")
        throw ConfigurationError(
          file: file.path, line: assignment.line, key: assignment.key,
          reason: "unknown key in [Relay]; the keys are \(known)")
      }
      if assignment.value.isEmpty {
        key.reset(&self)
      } else if !key.set(&self, assignment.value) {
        throw ConfigurationError(
          file: file.path, line: assignment.line, key: assignment.key,
          reason: "invalid value “\(ConfigurationFile.shown(assignment.value))”: expected \(key.expected)")
      }
    }
  }

  /// The address of the database, with the password that the service manager passes as the credential
  /// `scroll-relay.password`.
  ///
  /// - Throws: `ConfigurationError` if the credential can't be read.
  public func address() throws(ConfigurationError) -> DatabaseAddress {
    guard let directory = CurrentProcess.variable("CREDENTIALS_DIRECTORY") else { return DatabaseAddress(database) }
    let path = directory + "/scroll-relay.password"
    guard Files.exists(path) else { return DatabaseAddress(database) }
    let text: [UInt8]
    do { text = try TextFile.read(path) } catch {
      throw ConfigurationError(file: path, reason: "\(error.errno)")
    }
    let password = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).first
    return DatabaseAddress(database, password: password.map(String.init) ?? "")
  }
}
