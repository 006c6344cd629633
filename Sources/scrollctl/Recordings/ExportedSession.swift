// A session of the log that is to be exported.

import ScrollClient
import ScrollModel

/// A session of the log that is to be exported: where it stands in the log.
struct ExportedSession {
  /// Why a session can't be written whole.
  enum Loss {
    /// The log no longer holds its beginning.
    case trimmed
    /// Records of it may stand where the log is damaged.
    case damaged
  }

  var id: SessionID
  var client: String
  var user: UInt32
  /// What of it can't be had; `nil` when it is whole.
  var loss: Loss?
  /// Nothing more of it can come.
  private(set) var isClosed = false
  /// The position of its first record that the log holds.
  var firstPosition: Position
  /// When the daemon got its first and its last record, microseconds since the Unix epoch.
  var received: ClosedRange<Int64>
  /// How many records and events of it there are.
  var records: Int64 = 0
  var events: Int64 = 0

  /// A session by its first record.
  ///
  /// - Parameter isBehindGap: whether a part of the log before that can't be read.
  init(_ entry: LogEntry, isBehindGap: Bool) {
    id = entry.session
    client = entry.client
    user = entry.user
    if case .open = entry.record { loss = nil } else { loss = isBehindGap ? .damaged : .trimmed }
    firstPosition = entry.position
    received = entry.received.rawValue...entry.received.rawValue
  }

  /// Takes a record of it.
  mutating func add(_ entry: LogEntry) {
    records += 1
    if entry.number != nil { events += 1 }
    if case .close = entry.record { isClosed = true }
    received = received.lowerBound...max(received.upperBound, entry.received.rawValue)
  }

  /// A name for its file that every file system takes.
  var fileName: String {
    let safe = client.utf8.prefix(100).map { byte -> Character in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        Character(Unicode.Scalar(byte))
      default: "_"
      }
    }
    return String(safe) + "-\(id).ndjson"
  }

  /// A record as a line of a recording; the opening tells the session, too.
  func line(_ entry: LogEntry) -> [UInt8] {
    let json = Array(entry.recordJSON.utf8)
    guard case .open = entry.record, json.last == UInt8(ascii: "}") else { return json + [0x0A] }
    return json.dropLast() + Array(",\"session\":\"\(id)\"}\n".utf8)
  }
}
