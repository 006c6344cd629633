import ScrollClient
import ScrollModel

/// A session of the log to be exported.
struct ExportedSession {
  /// Why a session cannot be exported completely.
  enum Loss {
    /// The log no longer has its beginning.
    case trimmed
    /// It may have records where the log is damaged.
    case damaged
  }

  var id: SessionID
  var client: String
  var user: UInt32
  /// What is missing; `nil` when the session is complete.
  var loss: Loss?
  /// Whether the log has its closing.
  private(set) var isClosed = false
  /// The position of its first record in the log.
  var firstPosition: Position
  /// When the daemon received its first and its last record, in microseconds since the Unix epoch.
  var received: ClosedRange<Int64>
  /// The number of its records and events.
  var records: Int64 = 0
  var events: Int64 = 0

  /// Creates a session from its first record.
  ///
  /// - Parameter isBehindGap: Whether an earlier part of the log cannot be read.
  init(_ entry: LogEntry, isBehindGap: Bool) {
    id = entry.session
    client = entry.client
    user = entry.user
    if case .open = entry.record { loss = nil } else { loss = isBehindGap ? .damaged : .trimmed }
    firstPosition = entry.position
    received = entry.received.rawValue...entry.received.rawValue
  }

  /// Adds a record of the session.
  mutating func add(_ entry: LogEntry) {
    records += 1
    if entry.number != nil { events += 1 }
    if case .close = entry.record { isClosed = true }
    received = received.lowerBound...max(received.upperBound, entry.received.rawValue)
  }

  /// A file name that every file system accepts, and that no program takes for an option or hides.
  var fileName: String {
    let name = client.utf8.prefix(100).map { byte -> Character in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        Character(Unicode.Scalar(byte))
      default: "_"
      }
    }
    let isPlain = name.first.map { $0 != "-" } ?? false
    return (isPlain ? "" : "_") + String(name) + "-\(id).ndjson"
  }

  /// Returns a record as a line of a recording. The opening has the session's id.
  func line(_ entry: LogEntry) -> [UInt8] {
    let json = Array(entry.recordJSON.utf8)
    guard case .open = entry.record, json.last == UInt8(ascii: "}") else { return json + [0x0A] }
    return json.dropLast() + Array(",\"session\":\"\(id)\"}\n".utf8)
  }
}
