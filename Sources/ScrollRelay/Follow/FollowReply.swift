import JSON
import ScrollModel

/// A session that the daemon described before its first record.
public struct FollowedSession: Equatable, Sendable {
  /// The id under which the log has it.
  public var id: SessionID
  /// The id that its user knows, if that is another one.
  public var given: SessionID?
  /// The client's name.
  public var client: String
  /// The user id.
  public var user: UInt32
  /// When the daemon received the opening, microseconds since the Unix epoch.
  public var received: Int64
  /// The policy's name.
  public var policy: String

  /// Creates a session from its parts.
  public init(id: SessionID, given: SessionID?, client: String, user: UInt32, received: Int64, policy: String) {
    self.id = id
    self.given = given
    self.client = client
    self.user = user
    self.received = received
    self.policy = policy
  }

  init(_ json: JSONValue) throws(MalformedFollow) {
    guard let id = json["session"]?.asText.flatMap({ SessionID(digits: $0.bytes) }),
      let client = json["client"]?.asString, let user = json["user"]?.asInt64.flatMap({ UInt32(exactly: $0) }),
      let received = json["received"]?.asInt64, let policy = json["policy"]?.asString
    else { throw MalformedFollow("sessions") }
    self.init(
      id: id, given: json["given"]?.asText.flatMap { SessionID(digits: $0.bytes) }, client: client, user: user,
      received: received, policy: policy)
  }
}

/// A decoded reply to `Follow`.
public struct FollowReply: Equatable, Sendable {
  /// Up to where everything was sent.
  public var position: Position
  /// The generation of that position.
  public var generation: Int64
  /// When the daemon received the record there, microseconds since the Unix epoch.
  public var received: Int64?
  /// The run of the daemon that sends the replies; the first one has it.
  public var run: SessionID?
  /// Sessions of the records.
  public var sessions: [FollowedSession] = []
  /// The records, in order.
  public var records: [FollowedRecord] = []
  /// The position after which a crash took back everything.
  public var takenBackAfter: Position?
  /// Positions that the log no longer has.
  public var gap: ClosedRange<Position>?
  /// The name of the list of what was forgotten.
  public var forgotten: String?
  /// Whether everything that was on the disk has been sent.
  public var isCaughtUp = false

  /// Creates a reply without records.
  public init(position: Position, generation: Int64, received: Int64? = nil) {
    self.position = position
    self.generation = generation
    self.received = received
  }

  /// Reads the parameters of a reply.
  ///
  /// - Throws: ``MalformedFollow``.
  init(_ json: JSONObject?) throws(MalformedFollow) {
    guard let json, let position = json["position"]?.asInt64 else { throw MalformedFollow("position") }
    guard let generation = json["generation"]?.asInt64 else { throw MalformedFollow("generation") }
    self.init(position: position, generation: generation, received: json["received"]?.asInt64)
    if let list = json["sessions"]?.asArray {
      for session in list { sessions.append(try FollowedSession(session)) }
    }
    if let list = json["records"]?.asArray {
      records.reserveCapacity(list.count)
      for record in list { records.append(try FollowedRecord(record)) }
    }
    if let value = json["takenBack"] {
      guard let after = value["after"]?.asInt64 else { throw MalformedFollow("takenBack") }
      takenBackAfter = after
    }
    if let value = json["gap"] {
      guard let first = value["first"]?.asInt64, let last = value["last"]?.asInt64, first <= last else {
        throw MalformedFollow("gap")
      }
      gap = first...last
    }
    run = json["run"]?.asText.flatMap { SessionID(digits: $0.bytes) }
    forgotten = json["forgotten"]?.asString
    isCaughtUp = json["caughtUp"]?.asBool ?? false
  }

  /// Whether it says nothing but how far the stream is.
  var isHeartbeat: Bool {
    sessions.isEmpty && records.isEmpty && takenBackAfter == nil && gap == nil && run == nil && forgotten == nil
      && !isCaughtUp
  }
}
