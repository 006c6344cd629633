import ScrollLog
import ScrollLogTesting
import ScrollModel
import ScrollTesting

/// A check of a log after a crash against what was sent and answered before it.
struct RecoveryCheck {
  /// What happened to the machine.
  enum Crash {
    /// The process was killed; the page cache survives.
    case kill
    /// The page cache is lost as well.
    case powerLoss
  }

  let mode: SyncMode
  let ledger: Ledger
  let crash: Crash
  /// The number of the boot in which the recovery runs.
  let boot: UInt64
  /// Whether files may contain bytes of removed files.
  var showsStaleBytes = false
  /// Whether an earlier recovery may have completed without reporting it.
  var wasInterrupted = false

  /// Opens the log twice after a crash, and checks it against the ledger.
  ///
  /// - Returns: the ledger of a workload that continues from here.
  func run(_ fileSystem: FaultyFileSystem) throws -> Ledger {
    let log = try open(fileSystem)
    // The part that a start from a snapshot has not read is good as well.
    while log.writer.status.isUnchecked {
      let result = log.writer.perform(.check)
      guard case .success = result.outcome else { throw Problem("the rest of the segment is bad: \(result.outcome)") }
    }
    let last = log.nextPosition - 1
    try requirePositions(last)
    try requireRecords(log, through: last)
    try requireGeneration(log, last)
    try Self.requireStanding(ledger, log.projection, at: last)
    try Self.requireKnown(ledger, log.projection, at: last)
    try requireCheckpoints(log)
    try requireClosed(log, last)
    try requireWholeFiles(fileSystem)
    try requireForgotten(fileSystem)
    try requireListed(log)
    try requireSameAgain(fileSystem, log)
    var ledger = ledger
    ledger.resume(after: last, log.generations)
    return ledger
  }

  private func open(_ fileSystem: FaultyFileSystem) throws -> OpenedLog {
    // The same identifier each time, so that the files of two recoveries can be compared.
    let options = Workload.options(mode, boot: boot) { 0x5EED_0FA1_1CA5_E500 }
    do {
      return try EventLog.open(directory: Workload.directory, fileSystem: fileSystem, options: options)
    } catch {
      throw Problem("the start fails after the crash: \(error)")
    }
  }

  private func requirePositions(_ last: Position) throws {
    try require(last >= ledger.durable, "\(ledger.durable) was answered as durable, \(last) is the last position")
    try require(last <= ledger.last, "only \(ledger.last) records were sent, but the last position is \(last)")
    if crash == .kill {
      try require(last >= ledger.seen, "a kill took back positions \(last + 1) to \(ledger.seen), which were seen")
    }
  }

  private func requireRecords(_ log: OpenedLog, through last: Position) throws {
    try require(
      ledger.beginnings.contains(log.segments.firstPosition),
      "the log begins at \(log.segments.firstPosition), and not at one of \(ledger.beginnings)")
    do {
      try Self.requireRecords(ledger, log.segments, through: last)
    } catch let error as ReadError {
      throw Problem("the log cannot be read: \(error)")
    }
  }

  /// Reads all records up to a position, and checks that each is the one sent, and that only forgotten ones are missing.
  ///
  /// - Throws: ``Problem``, or the log's `ReadError`.
  static func requireRecords(_ ledger: Ledger, _ segments: SegmentList, through last: Position) throws {
    var expected = segments.firstPosition
    func requireForgotten(before position: Position) throws {
      while expected < position {
        let isGone = ledger.forgotten.contains(expected) || ledger.vanishing.contains(expected)
        try require(isGone, "the record at \(expected) is missing")
        expected += 1
      }
    }
    var reader = LogReader(segments.view, after: expected - 1)
    while true {
      let step = try reader.next(through: last)
      if case .atHorizon = step { break }
      guard case .block(let block) = step else { continue }
      var records = block.records()
      while let stored = try records.next() {
        try requireForgotten(before: stored.position)
        try require(
          stored.position <= ledger.last && stored == ledger.records[Int(stored.position) - 1],
          "the record at \(stored.position) is not the one that was sent: \(stored)")
        try require(
          !ledger.forgotten.contains(stored.position), "the record at \(stored.position) was reported as forgotten")
        expected += 1
      }
    }
    try requireForgotten(before: last + 1)
  }

  private func requireGeneration(_ log: OpenedLog, _ last: Position) throws {
    let before = ledger.generations
    let now = log.generations
    try require(
      now.entries.starts(with: before.entries), "the generations were \(before.entries), now they are \(now.entries)")
    if last < ledger.seen {
      try require(now.current > before.current, "positions after \(last) were seen, but no generation began")
    }
    if now.current > before.current {
      let shared = now.lastPosition(sharedWith: before.current)
      try require(shared == last, "generation \(before.current) is said to be good up to \(String(describing: shared))")
      let isTold = log.notes.contains { note in
        guard case .newGeneration(let generation, let after, _) = note else { return false }
        return generation == now.current && after == last
      }
      try require(isTold || wasInterrupted, "a new generation is not reported: \(log.notes)")
    } else {
      try require(
        now.lastPosition(sharedWith: before.current) == .max,
        "the current generation does not share all positions with itself")
    }
    let isCut = log.notes.contains { if case .cutTornTail = $0 { true } else { false } }
    try require(!isCut || now.current > before.current, "a tail was cut within a generation")
  }

  /// Checks that the open sessions and their states are those that the policies' own steps over the sent events lead to.
  static func requireStanding(
    _ ledger: Ledger, _ projection: Projection, at position: Position, ignoring vanished: Set<SessionID> = []
  ) throws {
    try require(projection.position == position, "folded up to \(projection.position), not \(position)")
    let expected = ledger.standings[Int(position)]
    for (id, standing) in expected {
      guard let session = projection.sessions[id] else {
        try require(vanished.contains(id), "session \(id) is not open at \(position)")
        continue
      }
      try require(session.opening == standing.opening, "session \(id) has another opening")
      try requireEqual(session.openedPosition, standing.openedPosition, "the opening of session \(id)")
      try requireEqual(session.nextNumber, standing.nextNumber, "the next number of session \(id)")
      try requireEqual(session.lastPosition, standing.lastPosition, "the last position of session \(id)")
      try requireEqual(session.state, standing.state, "the state of session \(id) at \(position)")
    }
    for id in projection.sessions.keys { try require(expected[id] != nil, "session \(id) is open at \(position)") }
  }

  /// Checks that resent events are known by their numbers, with their positions.
  static func requireKnown(_ ledger: Ledger, _ projection: Projection, at position: Position) throws {
    for (id, standing) in ledger.standings[Int(position)] {
      guard let session = projection.sessions[id] else { throw Problem("session \(id) is not open") }
      for (index, expected) in standing.positions.enumerated() {
        let number = Int64(index) + 1
        let known = session.position(ofNumber: number)
        // The positions of older events are only in the log itself.
        try require(
          known == expected || known == nil && number < standing.nextNumber - 1,
          "event \(number) of \(id) has position \(expected), not \(String(describing: known))")
      }
      try require(
        session.position(ofNumber: standing.nextNumber) == nil, "an event of \(id) is known before it was sent")
    }
  }

  /// Checks that each segment's checkpoint is the fold of everything before it, except for sessions that are being forgotten.
  private func requireCheckpoints(_ log: OpenedLog) throws {
    for first in log.segments.firstPositions {
      do {
        let checkpoint = try log.segments.view.checkpoint(before: first)
        try Self.requireStanding(ledger, Projection(checkpoint), at: first - 1, ignoring: ledger.vanishingSessions)
      } catch let error as ReadError {
        throw Problem("a checkpoint cannot be read: \(error)")
      }
    }
  }

  /// Checks that the sessions closed in the remaining log are known, so that their IDs are not used again.
  private func requireClosed(_ log: OpenedLog, _ last: Position) throws {
    for stored in ledger.records[(Int(log.segments.firstPosition) - 1)..<Int(last)] {
      guard case .close = stored.record else { continue }
      try require(log.closedSessions[stored.session] != nil, "session \(stored.session) is not known to be closed")
    }
  }

  private func requireWholeFiles(_ fileSystem: FaultyFileSystem) throws {
    let names = fileSystem.names(in: Workload.logPath)
    try require(!names.contains { $0.hasSuffix(".tmp") }, "incomplete files are left: \(names)")
    do {
      for segment in try LogVerification.verify(directory: Workload.directory, fileSystem: fileSystem) {
        try require(segment.problems.isEmpty, "\(segment.file): \(segment.problems)")
        try require(segment.unfinished == nil, "\(segment.file) has an unfinished end")
      }
    } catch let error as FileError {
      throw Problem("\(error)")
    }
  }

  /// Checks that the list of what was forgotten is whole, and that it has what was reported as listed.
  private func requireListed(_ log: OpenedLog) throws {
    let selection: ForgottenSelection
    do throws(ReadError) {
      selection = ForgottenSelection(try log.forgotten.list(), try log.forgotten.keys())
    } catch {
      throw Problem("the list of what was forgotten cannot be read: \(error)")
    }
    try require(selection.missingKeys.isEmpty, "the list of what was forgotten lacks its key")
    let client = ClientID(user: 1, name: Clients.forgettable)
    let isFound = selection.includes(SessionID(high: 0, low: 0), of: client, received: 0)
    try require(isFound || !ledger.isListed, "a client that was forgotten is not listed")
  }

  private func requireForgotten(_ fileSystem: FaultyFileSystem) throws {
    guard let text = ledger.forbiddenText else { return }
    let wanted = Array(text.utf8)
    for name in fileSystem.names(in: Workload.logPath) {
      // Bytes of removed files may be kept with the torn tail in which they appeared.
      if showsStaleBytes, name.hasSuffix(".torn") { continue }
      let bytes = fileSystem[Workload.logPath + "/" + name] ?? []
      try require(!bytes.holds(wanted), "\(name) still holds what was forgotten")
    }
  }

  /// Checks that a second recovery changes only what any start has to write, which is a start mark at the end of the last
  /// segment.
  private func requireSameAgain(_ fileSystem: FaultyFileSystem, _ log: OpenedLog) throws {
    var first = fileSystem.afterKill()
    var opened = log
    // A start after a clean shutdown writes its mark to the existing file. Only the one after that makes a new file.
    if !log.notes.contains(where: { if case .recovered = $0 { true } else { false } }) {
      opened = try open(first)
      first = first.afterKill()
    }
    let second = first.afterKill()
    let again = try open(second)
    try require(again.nextPosition == log.nextPosition, "a second recovery ends at \(again.nextPosition)")
    try require(again.generations == opened.generations, "a second recovery begins a generation")
    let names = first.names(in: Workload.logPath)
    try require(second.names(in: Workload.logPath) == names, "a second recovery makes or removes files")
    for name in names {
      let before = first[Workload.logPath + "/" + name] ?? []
      let after = second[Workload.logPath + "/" + name] ?? []
      if name == names.last(where: { $0.hasSuffix(".scrolllog") }) {
        try requireOneMarkMore(before.withoutZeros, after.withoutZeros, name)
      } else {
        try require(before == after, "a second recovery changes \(name)")
      }
    }
  }

  private func requireOneMarkMore(_ before: ArraySlice<UInt8>, _ after: ArraySlice<UInt8>, _ name: String) throws {
    // The last bytes of a checksum may be zero, and the mark is a block of 96 bytes.
    let growth = after.count - before.count
    try require(
      (89...103).contains(growth) && after.prefix(before.count) == before,
      "a second recovery changes \(name) by \(growth) bytes")
  }
}

extension [UInt8] {
  /// The bytes up to the last one that is not zero.
  var withoutZeros: ArraySlice<UInt8> { prefix((lastIndex { $0 != 0 } ?? -1) + 1) }

  /// Returns whether these bytes contain others.
  func holds(_ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first, count >= wanted.count else { return false }
    var from = startIndex
    while let found = self[from...].firstIndex(of: first), found + wanted.count <= count {
      if self[found..<(found + wanted.count)].elementsEqual(wanted) { return true }
      from = found + 1
    }
    return false
  }
}
