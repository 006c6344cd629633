import ScrollClient
import ScrollModel

/// What forgetting a session or a client would remove, as far as the caller may see it.
struct ForgetPreview {
  let name: String
  private(set) var records: Int64 = 0
  private(set) var sessions: Set<SessionID> = []
  /// The sessions that have not ended. Forgetting closes them, which makes one more record of each.
  private var open: Set<SessionID> = []
  /// The client of the session, if it is one.
  private var client: String?
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
    isSession = !sessions.isEmpty
    if isSession { return }
    query.session = nil
    query.client = name
    try count(query, address)
  }

  private mutating func count(_ query: LogQuery, _ address: ServiceAddress) throws(ServiceError) {
    for entry in try ServiceConnection(address).read(query) {
      let entry = try entry.get()
      if sessions.insert(entry.session).inserted { open.insert(entry.session) }
      if case .close = entry.record { open.remove(entry.session) }
      client = entry.client
      records += 1
    }
    records += Int64(open.count)
  }

  /// The counts in words: `412 records of 3 sessions of “reader/main”`.
  var text: String {
    let subject =
      isSession
      ? "the session \(name) of “\(client ?? "")”"
      : "\(sessions.count == 1 ? "1 session" : "\(sessions.count) sessions") of “\(name)”"
    if open.isEmpty { return "\(Self.count(records)) of \(subject)" }
    let closing = sessions.count == 1 ? "which is open and closed first" : "\(open.count) of them open and closed first"
    return "\(Self.count(records)) of \(subject), \(closing)"
  }

  static func count(_ records: Int64) -> String { records == 1 ? "1 record" : "\(records) records" }
}
