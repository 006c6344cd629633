import JSON
import Platform
import ScrollClient
import ScrollModel

/// A session of the log to be exported.
struct ExportedSession {
  /// Why a session cannot be exported completely.
  enum Loss {
    /// The log no longer has its beginning.
    case trimmed
    /// Its beginning is where the log is damaged.
    case beginning
    /// It has lost events to damage or to the fair share, or may have.
    case events
  }

  /// A session among those of all users. Two users may have sessions with the same id.
  struct Key: Hashable {
    var user: UInt32
    var id: SessionID

    init(_ entry: LogEntry) {
      user = entry.user
      id = entry.session
    }

    init(_ place: LoadedSession.LogPlace) {
      user = place.user
      id = place.session
    }

    /// - Returns: `nil` for an event whose session's id is none.
    init?(_ event: PlainEvent) {
      guard let id = SessionID(digits: event.session) else { return nil }
      user = event.user
      self.id = id
    }

    fileprivate init(_ session: ExportedSession) {
      user = session.user
      id = session.id
    }
  }

  var key: Key { Key(self) }

  var id: SessionID
  var client: String
  var user: UInt32
  /// What is missing; `nil` when the session is complete.
  var loss: Loss?
  /// Whether the log has its closing.
  private(set) var isClosed = false
  /// The number of its next event, if none is missing.
  private var nextNumber: Int64 = 1
  /// Whether it was open where the log is damaged, and no later event shows yet whether it has lost any.
  private var isUnsure = false
  /// The position of its first record in the log.
  var firstPosition: Position
  /// When the daemon received its first and its last record, in microseconds since the Unix epoch.
  var received: ClosedRange<Int64>
  /// The number of its records and events.
  var records: Int64 = 0
  var events: Int64 = 0
  /// The members that a flat line has after those of its record, with the rest of the line.
  let flatMembers: [UInt8]

  /// Creates a session from its first record.
  ///
  /// - Parameter isBehindGap: Whether an earlier part of the log cannot be read.
  init(_ entry: LogEntry, isBehindGap: Bool) {
    id = entry.session
    client = entry.client
    user = entry.user
    if case .open = entry.record { loss = nil } else { loss = isBehindGap ? .beginning : .trimmed }
    firstPosition = entry.position
    received = entry.received.rawValue...entry.received.rawValue
    flatMembers = Self.flatMembers(client, id)
  }

  /// Creates a session whose first record, as far as the log has them, is an event.
  init(_ event: PlainEvent, _ key: Key, isBehindGap: Bool) {
    id = key.id
    client = String(decoding: event.client, as: UTF8.self)
    user = key.user
    loss = isBehindGap ? .beginning : .trimmed
    firstPosition = event.position
    received = event.received...event.received
    flatMembers = Self.flatMembers(client, id)
  }

  /// Adds an event of the session.
  mutating func add(_ event: PlainEvent) {
    records += 1
    count(number: event.number)
    if event.received > received.upperBound { received = received.lowerBound...event.received }
  }

  private mutating func count(number: Int64) {
    events += 1
    if loss == nil, number != nextNumber { loss = .events }
    nextNumber = number + 1
    isUnsure = false
  }

  /// Adds a record of the session.
  mutating func add(_ entry: LogEntry) {
    records += 1
    if let number = entry.number { count(number: number) }
    if case .close = entry.record {
      isClosed = true
      finish()
    }
    received = received.lowerBound...max(received.upperBound, entry.received.rawValue)
  }

  /// Notes that the log is damaged after the records so far.
  mutating func passGap() { if !isClosed { isUnsure = true } }

  /// Notes that the log has no more records of the session.
  mutating func finish() {
    if isUnsure, loss == nil { loss = .events }
  }

  /// A file name that every file system accepts, and that no program takes for an option or hides.
  ///
  /// - Parameter isTaken: Whether another user's session of the same client and id has the plain name.
  func fileName(_ isTaken: (String) -> Bool) -> String {
    let name = client.utf8.prefix(100).map { byte -> Character in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        Character(Unicode.Scalar(byte))
      default: "_"
      }
    }
    let isPlain = name.first.map { $0 != "-" } ?? false
    let stem = (isPlain ? "" : "_") + String(name) + "-\(id)"
    return isTaken(stem + ".ndjson") ? "\(stem)-\(user).ndjson" : stem + ".ndjson"
  }

  /// Returns a record as a line of a recording. The opening has the session's id, its user if that is not the caller, and when
  /// the daemon received it.
  ///
  /// - Parameter isFlat: Whether the line of every record has the client and the session.
  func line(_ entry: LogEntry, isFlat: Bool = false) -> [UInt8] {
    let json = Array(entry.recordJSON.utf8)
    guard json.last == UInt8(ascii: "}") else { return json + [0x0A] }
    if case .open = entry.record {
      let owner = user == CurrentProcess.effectiveUser ? "" : ",\"user\":\(user)"
      return json.dropLast()
        + Array(",\"session\":\"\(id)\"\(owner),\"received\":\(entry.received.rawValue)}\n".utf8)
    }
    guard isFlat else { return json + [0x0A] }
    return json.dropLast() + flatMembers
  }

  private static func flatMembers(_ client: String, _ id: SessionID) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.appendJSON { $0.string(client) }
    return Array(",\"client\":".utf8) + buffer.bytes + Array(",\"session\":\"\(id)\"}\n".utf8)
  }
}
