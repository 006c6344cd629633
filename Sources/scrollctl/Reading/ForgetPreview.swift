import ScrollClient
import ScrollModel

/// What forgetting a session or a client would remove, as far as the caller may see it.
struct ForgetPreview {
  let name: String
  private(set) var records: Int64 = 0
  private(set) var sessions: Set<SessionID> = []
  /// Whether the name is a session's id, and not a client's name.
  private(set) var isSession = false

  /// Counts the records of a session, or of all sessions of a client.
  init(_ name: String, user: UInt32?, at address: ServiceAddress) throws(ServiceError) {
    self.name = name
    var query = LogQuery()
    query.user = user
    // As for forgetting itself, a client's name may look like a session's id.
    if user == nil, let session = SessionID(name) {
      query.session = session
      try count(query, address)
    }
    isSession = records > 0
    if isSession { return }
    query.session = nil
    query.client = name
    try count(query, address)
  }

  private mutating func count(_ query: LogQuery, _ address: ServiceAddress) throws(ServiceError) {
    for entry in try ServiceConnection(address).read(query) {
      sessions.insert(try entry.get().session)
      records += 1
    }
  }

  /// The counts in words: `412 records of 3 sessions of “reader/main”`.
  var text: String {
    "\(Self.count(records)) of \(sessions.count == 1 ? "1 session" : "\(sessions.count) sessions") of “\(name)”"
  }

  static func count(_ records: Int64) -> String { records == 1 ? "1 record" : "\(records) records" }
}
