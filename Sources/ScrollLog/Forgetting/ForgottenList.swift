import ScrollModel

/// What was forgotten: sessions by their ids, and clients by keyed hashes of their names, so that a backup that still has them
/// can be restored without them. It has no readable name.
public struct ForgottenList: Equatable, Sendable {
  /// A client.
  public struct Client: Hashable, Sendable {
    /// The name of the key that made the hash, 16 hexadecimal digits.
    public var key: String
    /// The hash of the client's name, 64 hexadecimal digits.
    public var hash: String
    /// The user whose client was forgotten; `nil` for the clients of that name of all users.
    public var user: UInt32?

    /// Creates a client from its parts.
    public init(key: String, hash: String, user: UInt32?) {
      self.key = key
      self.hash = hash
      self.user = user
    }
  }

  /// Which sessions of a client were forgotten.
  public struct Extent: Equatable, Sendable {
    /// The sessions that the daemon had opened by then, microseconds since the Unix epoch.
    public var received: Int64
    /// Those of these sessions that were kept, because the client had come back before the daemon was done.
    public var except: Set<SessionID>

    /// Creates an extent from its parts.
    public init(received: Int64, except: Set<SessionID> = []) {
      self.received = received
      self.except = except
    }
  }

  /// When each session was forgotten, microseconds since the Unix epoch.
  public private(set) var sessions: [SessionID: Int64] = [:]
  /// What was forgotten of each client.
  public private(set) var clients: [Client: Extent] = [:]

  /// Creates an empty list.
  public init() {}

  /// Whether nothing was forgotten.
  public var isEmpty: Bool { sessions.isEmpty && clients.isEmpty }

  /// Adds a session.
  public mutating func add(_ session: SessionID, at time: Int64) {
    sessions[session] = max(time, sessions[session] ?? time)
  }

  /// Adds a client. What was forgotten of it later includes what was forgotten earlier.
  public mutating func add(_ client: Client, _ extent: Extent) {
    if let known = clients[client], known.received > extent.received { return }
    clients[client] = extent
  }

  /// Adds everything that another list has.
  public mutating func merge(_ other: ForgottenList) {
    for (session, time) in other.sessions { add(session, at: time) }
    for (client, extent) in other.clients { add(client, extent) }
  }

  /// The names of the keys that made the hashes, in order.
  public var keyIDs: [String] { Set(clients.keys.map(\.key)).sorted() }

  /// The sessions in the order in which they were forgotten.
  public var sortedSessions: [(id: SessionID, time: Int64)] {
    sessions.map { (id: $0.key, time: $0.value) }.sorted { ($0.time, "\($0.id)") < ($1.time, "\($1.id)") }
  }

  /// The clients in the order in which they were forgotten.
  public var sortedClients: [(client: Client, extent: Extent)] {
    clients.map { (client: $0.key, extent: $0.value) }.sorted {
      let (first, second) = ($0, $1)
      if first.extent.received != second.extent.received { return first.extent.received < second.extent.received }
      return (first.client.hash, first.client.user ?? .max) < (second.client.hash, second.client.user ?? .max)
    }
  }
}

/// A list with the keys that it needs, to find sessions by.
public struct ForgottenSelection: Equatable, Sendable {
  /// The list.
  public let list: ForgottenList
  let keys: ForgottenKeys?

  /// Creates a selection.
  public init(_ list: ForgottenList, _ keys: ForgottenKeys?) {
    self.list = list
    self.keys = keys
  }

  /// The names of the keys that are missing. Clients with their hashes can't be recognized.
  public var missingKeys: [String] { list.keyIDs.filter { keys?.named($0) == nil } }

  /// Returns whether a session was forgotten.
  ///
  /// - Parameter received: When the daemon received its opening.
  public func includes(_ session: SessionID, of client: ClientID, received: Int64) -> Bool {
    if list.sessions[session] != nil { return true }
    if list.clients.isEmpty { return false }
    for key in keys?.all ?? [] {
      let hash = key.hash(of: client.name)
      for user in [client.user, nil] {
        let extent = list.clients[ForgottenList.Client(key: key.id, hash: hash, user: user)]
        if let extent, received <= extent.received, !extent.except.contains(session) { return true }
      }
    }
    return false
  }
}
