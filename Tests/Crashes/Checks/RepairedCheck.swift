import ScrollLog
import ScrollLogTesting
import ScrollModel

/// A check of a repaired log against what was sent before one of its blocks, or its head, was damaged.
struct RepairedCheck {
  let ledger: Ledger
  let repair: RepairReport.Repair
  let opened: OpenedLog
  /// The last position of each block of the segment, and the one before the first block.
  let lasts: [Position]
  /// The last intact block before the damage, by its index in ``lasts``; `nil` if the head is damaged.
  let whole: Int?

  func run() throws {
    let last = opened.nextPosition - 1
    try require(last == repair.keptThrough, "the log ends at \(last), and not at \(repair.keptThrough)")
    try requirePositions(last)
    try requireRecords(last)
    try requireSessions(last)
    let isLost = last < ledger.last || !repair.gaps.isEmpty
    try require(!isLost || opened.generations.current > 1, "records are missing within a generation")
    if opened.generations.current > 1 {
      let shared = opened.generations.lastPosition(sharedWith: 1)
      try require(shared == last, "generation 1 is said to be good up to \(String(describing: shared))")
    }
  }

  /// Checks that only the damaged block is missing.
  private func requirePositions(_ last: Position) throws {
    guard let whole else { return }
    try require(last == ledger.last, "the last position is \(last), not \(ledger.last)")
    let lost = whole + 1 < lasts.count ? [(lasts[whole] + 1)...lasts[whole + 1]] : []
    try require(repair.gaps == lost, "the gaps are \(repair.gaps), not \(lost)")
  }

  /// Checks that each record outside of the gaps is there, unless its session has lost its opening.
  func requireRecords(_ last: Position) throws {
    var found: Set<Position> = []
    var after = opened.segments.firstPosition - 1
    while after < last {
      var reader = LogReader(opened.segments.view, after: after)
      do {
        while after < last {
          guard case .block(let block) = try reader.next(through: last) else { continue }
          after = block.lastPosition
          var records = block.records()
          while let stored = try records.next() {
            try require(
              stored == ledger.records[Int(stored.position) - 1],
              "the record at \(stored.position) is not the one that was sent: \(stored)")
            found.insert(stored.position)
          }
        }
      } catch let error as ReadError {
        guard let next = opened.segments.firstPositions.first(where: { $0 > after + 1 }) else {
          throw Problem("the log can't be read after \(after): \(error)")
        }
        try require(repair.gaps.contains((after + 1)...(next - 1)), "\(after + 1) to \(next - 1) can't be read")
        after = next - 1
      }
    }
    for stored in ledger.records.prefix(Int(last)) where !found.contains(stored.position) {
      let isLost =
        repair.gaps.contains { $0.contains(stored.position) } || repair.lostSessions.contains(stored.session)
      try require(isLost, "the record at \(stored.position) is missing")
    }
  }

  /// Checks the states of the sessions without a lost record.
  private func requireSessions(_ last: Position) throws {
    var touched = Set(repair.lostSessions)
    for gap in repair.gaps {
      for position in gap { touched.insert(ledger.records[Int(position) - 1].session) }
    }
    let isWhole = repair.head != .lost
    let expected = ledger.standings[Int(last)]
    for (id, standing) in expected where isWhole && !touched.contains(id) {
      guard let session = opened.projection.sessions[id] else { throw Problem("session \(id) is not open") }
      try require(
        session.opening == standing.opening && session.nextNumber == standing.nextNumber
          && session.state == standing.state, "session \(id) has lost no record, but has another state")
    }
    for id in opened.projection.sessions.keys where !touched.contains(id) {
      try require(expected[id] != nil, "session \(id) is open at \(last)")
    }
  }
}
