import ScrollLog
import ScrollModel

/// What was sent to a log and what was answered: all that a log can be held to.
struct Ledger: Sendable {
  /// All that was sent in this history of the log, in the order of positions, the first at 1.
  private(set) var records: [StoredRecord] = []
  /// The states of the open sessions after each position, from position 0 on.
  private(set) var standings: [[SessionID: Standing]] = [[:]]
  /// The last position that was answered as durable.
  private(set) var durable: Position = 0
  /// The last position that anyone can have seen.
  private(set) var seen: Position = 0
  /// The generations of the log when it was last opened.
  private(set) var generations = GenerationHistory()
  /// Where the log may begin: one position, or several while old segments are being removed.
  var beginnings: [Position] = [1]
  /// The positions of records that may have been forgotten, and of those that have been.
  private(set) var vanishing: Set<Position> = []
  private(set) var forgotten: Set<Position> = []
  /// The sessions of these records.
  private(set) var vanishingSessions: Set<SessionID> = []
  /// A text that no file may hold after it has been forgotten.
  var forbiddenText: String?
  /// Whether the list of what was forgotten has the client.
  var isListed = false

  /// The last position that was sent.
  var last: Position { Int64(records.count) }

  /// Adds a record that is about to be written.
  mutating func send(_ record: Record, of session: SessionID, received: Int64) {
    let position = last + 1
    records.append(StoredRecord(position: position, received: received, session: session, record: record))
    var standing = standings[standings.count - 1]
    switch record {
    case .open(let opening): standing[session] = Standing(opening, at: position)
    case .close: standing[session] = nil
    case .event(let event, _): standing[session]?.take(event, at: position)
    case .request, .response: break
    }
    standings.append(standing)
  }

  /// Records what was answered: the last position, and the last durable one.
  mutating func answer(durable: Position, seen: Position) {
    self.durable = max(self.durable, durable)
    self.seen = max(self.seen, seen)
  }

  /// Drops what was refused, or what a crash took back. Everything else has been seen and is on the disk.
  mutating func resume(after last: Position, _ generations: GenerationHistory) {
    refuse(after: last)
    durable = last
    seen = last
    self.generations = generations
  }

  /// Drops records that were sent and refused.
  mutating func refuse(after last: Position) {
    records.removeLast(records.count - Int(last))
    standings.removeLast(standings.count - 1 - Int(last))
    vanishing = vanishing.filter { $0 <= last }
    forgotten = forgotten.filter { $0 <= last }
  }

  /// Returns the positions of the records of some sessions within a segment.
  func positions(of sessions: Set<SessionID>, within positions: Range<Position>) -> [Position] {
    positions.filter { sessions.contains(records[Int($0) - 1].session) }
  }

  /// Records that the records of some sessions are being forgotten.
  mutating func beginForgetting(_ positions: [Position], of sessions: Set<SessionID>) {
    vanishing.formUnion(positions)
    vanishingSessions.formUnion(sessions)
  }

  /// Records that the log has reported records as forgotten.
  mutating func endForgetting(_ positions: [Position]) {
    vanishing.subtract(positions)
    forgotten.formUnion(positions)
  }
}
