import ScrollLog
import ScrollLogTesting
import ScrollModel
import ScrollTesting

/// A log with a flipped bit in one of its files, and the checks of what has to hold then.
struct Damaged {
  private let log: StoppedLog
  private let name: String
  private let byte: Int
  private let bytes: [UInt8]

  init(log: StoppedLog, name: String, byte: Int, mask: UInt8) {
    self.log = log
    self.name = name
    self.byte = byte
    var bytes = log.files[name] ?? []
    bytes[byte] ^= mask
    self.bytes = bytes
  }

  private var path: String { Workload.logPath + "/" + name }
  private var ledger: Ledger { log.ledger }

  private func fileSystem() throws -> FaultyFileSystem { try log.fileSystem(log.files, with: bytes, of: name) }

  // MARK: Packed segments

  /// Checks that damage in a packed segment fails no start, and only the reads that need the bad part. Derived parts are
  /// rebuilt.
  func checkPacked(_ random: inout SeededRandom) throws {
    let fileSystem = try fileSystem()
    guard let found = try verify(fileSystem), !found.problems.isEmpty else {
      throw Problem("verification finds nothing")
    }
    let opened = try open(fileSystem)
    try require(opened.generations.current == 1, "a generation began")
    try RecoveryCheck.requireStanding(ledger, opened.projection, at: ledger.last)
    let failures = try requireTruth(opened, &random, damaged: path)
    // Closings may be hidden with the records; then the notes report it.
    let isTold = opened.notes.contains { if case .sealedDamage(let damage) = $0 { damage.file == path } else { false } }
    if !isTold { try requireClosed(opened) }
    switch found.damage {
    case .none: throw Problem("verification finds no damage, but problems: \(found.problems)")
    case .derived: try require(failures == 0, "\(failures) reads fail, though only what is derived is bad")
    case .records: try require(failures > 0, "everything is read although verification reports lost records")
    }
    // The rest takes long, and does not depend on the bit.
    if random.happens(0.1) { try checkPacking(found.damage) }
    if random.happens(0.1) { try checkForgetting(found.damage) }
    if found.damage == .records, random.happens(0.1) { try checkSealedRepair(opened) }
  }

  /// Checks that a repair brings back everything but the bad block and the sessions that have lost records, which it names.
  private func checkSealedRepair(_ before: OpenedLog) throws {
    let fileSystem = try fileSystem()
    let options = Workload.options(log.mode, boot: 1) { 0x4EBA_14ED_4EBA_14ED }
    let report = try LogRepair.run(directory: Workload.directory, fileSystem: fileSystem, options: options)
    guard let repair = report.sealedRepairs.first else {
      // An unknown version or feature is not damage, and cannot be repaired.
      return try require(byte < SegmentHeader.size, "nothing is repaired: \(report.lines)")
    }
    try require(try verify(fileSystem)?.problems.isEmpty == true, "it is damaged after a repair")
    let opened = try open(fileSystem)
    try require(opened.generations == before.generations, "a generation began")
    try RecoveryCheck.requireStanding(ledger, opened.projection, at: ledger.last)
    try RepairedCheck(ledger: ledger, repair: repair, opened: opened, lasts: [], whole: nil).requireRecords(ledger.last)
  }

  /// Checks that a daemon packs the segment again after a bad index, and leaves it alone if records are bad.
  private func checkPacking(_ damage: SegmentVerification.Damage) throws {
    let fileSystem = try fileSystem()
    let opened = try open(fileSystem)
    let first = opened.segments.nextUnpacked(except: [])
    try require(
      (first != nil) == isRebuilt(damage) || damage == .records, "verification is wrong about the rebuild: \(damage)")
    guard let first else { return }
    switch opened.upkeep.perform(.pack(first)) {
    case .packed(_, bytes: .some):
      let found = try verify(fileSystem)
      try require(
        found?.problems.isEmpty == true,
        "it is damaged after it was packed again: \(String(describing: found?.problems))")
    case .notPacked:
      try require(damage == .records, "it is not packed again although all records are good")
      try require(fileSystem[path] == bytes, "it was changed")
    case let result: throw Problem("packing results in \(result)")
    }
  }

  private func isRebuilt(_ damage: SegmentVerification.Damage) -> Bool {
    if case .derived(isRebuilt: true) = damage { true } else { false }
  }

  /// Checks that a client is forgotten and everything else is there, or that forgetting fails.
  private func checkForgetting(_ damage: SegmentVerification.Damage) throws {
    let fileSystem = try fileSystem()
    let opened = try open(fileSystem)
    guard let first = log.firsts.last(where: { name.contains(String($0)) }) else { throw Problem("no such segment") }
    let scope = ForgetScope.client(name: Clients.forgettable, user: nil, except: [])
    switch opened.upkeep.perform(.forget(.segment(first, scope))) {
    case .forgotten:
      try require(damage != .records, "records are bad, but forgetting succeeds")
      let found = try verify(fileSystem)
      try require(
        found?.problems.isEmpty == true, "it is damaged after the rewrite: \(String(describing: found?.problems))")
      let text = Array(Clients.forgettable.text.utf8)
      try require(fileSystem[path]?.holds(text) == false, "it still holds the forgotten text")
    case .notForgotten:
      try require(damage == .records, "forgetting fails although all records are good")
      try require(fileSystem[path] == bytes, "it was changed")
    case let result: throw Problem("forgetting results in \(result)")
    }
  }

  // MARK: The last segment

  /// Checks that damage in the last segment fails the start, or ends the daemon later; only a possible torn tail is cut.
  func checkLast(_ random: inout SeededRandom) throws {
    let fileSystem = try fileSystem()
    let found = try verify(fileSystem)
    try require(found.map { !$0.problems.isEmpty || $0.unfinished != nil } == true, "verification finds nothing")
    let opened: OpenedLog
    do throws(OpenError) {
      opened = try log.open(fileSystem)
    } catch {
      try checkDamage(error, fileSystem, bytes)
      return
    }
    if try isWhole(opened) {
      try requireContent(opened, &random)
      return
    }
    // A daemon that notices the damage after its start ends, and the next start reads everything.
    let left = fileSystem.afterKill()
    let bytes = left[path] ?? []
    do throws(OpenError) {
      _ = try log.open(left)
    } catch {
      try checkDamage(error, left, bytes)
      return
    }
    throw Problem("the next start does not report the damage that ended the daemon")
  }

  private func checkDamage(_ error: OpenError, _ fileSystem: FaultyFileSystem, _ bytes: [UInt8]) throws {
    guard case .damaged(let damage) = error else { throw Problem("the start fails: \(error)") }
    try require(damage.file == path && damage.offset <= byte, "\(damage) is named")
    try require(fileSystem[path] == bytes, "the damaged segment was changed")
    let options = Workload.options(log.mode, boot: 1) { 0x4EBA_14ED_4EBA_14ED }
    let report: RepairReport
    do throws(OpenError) {
      report = try LogRepair.run(directory: Workload.directory, fileSystem: fileSystem, options: options)
    } catch {
      // An unknown version or feature is not damage, and cannot be repaired.
      guard byte < SegmentHeader.size, case .damaged = error else { throw Problem("the repair fails: \(error)") }
      return
    }
    guard let repair = report.repair else { throw Problem("nothing is repaired") }
    let opened = try open(fileSystem)
    let whole = log.ends.lastIndex { $0.offset <= byte }
    try RepairedCheck(
      ledger: ledger, repair: repair, opened: opened, lasts: log.ends.map(\.last), whole: whole
    ).run()
  }

  /// Checks what a start from a snapshot has not read.
  ///
  /// - Returns: whether it is good.
  private func isWhole(_ opened: OpenedLog) throws -> Bool {
    while opened.writer.status.isUnchecked {
      switch opened.writer.perform(.check).outcome {
      case .success: continue
      case .failure(.badSegment(.logDamaged(let damage))):
        try require(damage.file == path && damage.offset <= byte, "\(damage) is named")
        return false
      case .failure(let error): throw Problem("the check fails: \(error)")
      }
    }
    return true
  }

  /// Checks that everything in intact blocks before the bad byte is there, and that a generation began if more is missing.
  private func requireContent(_ opened: OpenedLog, _ random: inout SeededRandom) throws {
    let last = opened.nextPosition - 1
    let kept = log.ends.last { $0.offset <= byte }?.last ?? log.firsts[log.firsts.count - 1] - 1
    try require(last >= kept && last <= ledger.last, "the last position is \(last), and not at least \(kept)")
    try RecoveryCheck.requireStanding(ledger, opened.projection, at: last)
    let isCut = opened.generations.current > 1
    try require(isCut || last == ledger.last, "records are missing within a generation")
    if isCut {
      let shared = opened.generations.lastPosition(sharedWith: 1)
      try require(shared == last, "generation 1 is said to be good up to \(String(describing: shared))")
    }
    _ = try requireTruth(opened, &random, damaged: nil)
  }

  // MARK: Snapshots

  /// Checks that bad snapshots do no harm, after a clean shutdown and after a kill.
  func checkSnapshots(_ random: inout SeededRandom) throws {
    for files in [log.files, log.killed] {
      let opened = try open(try log.fileSystem(files, with: bytes, of: name))
      try require(try isWhole(opened), "the segment is reported as bad")
      try require(opened.generations.current == 1, "a generation began: \(opened.notes)")
      try RecoveryCheck.requireStanding(ledger, opened.projection, at: ledger.last)
      try RecoveryCheck.requireKnown(ledger, opened.projection, at: ledger.last)
      try requireClosed(opened)
      _ = try requireTruth(opened, &random, damaged: nil)
    }
  }

  // MARK: All files

  private func open(_ fileSystem: FaultyFileSystem) throws -> OpenedLog {
    do {
      return try log.open(fileSystem)
    } catch {
      throw Problem("the start fails: \(error)")
    }
  }

  private func verify(_ fileSystem: FaultyFileSystem) throws -> SegmentVerification? {
    try LogVerification.verify(directory: Workload.directory, fileSystem: fileSystem).first { $0.file == path }
  }

  private func requireClosed(_ opened: OpenedLog) throws {
    for stored in ledger.records.prefix(Int(opened.nextPosition - 1)) {
      guard case .close = stored.record else { continue }
      try require(opened.closedSessions[stored.session] != nil, "session \(stored.session) is not known to be closed")
    }
  }

  /// Checks that every record that can be read is the one sent, and that all others are reported as damaged.
  ///
  /// - Parameter damaged: the only file that may be reported as damaged.
  /// - Returns: how many reads failed.
  private func requireTruth(_ opened: OpenedLog, _ random: inout SeededRandom, damaged: String?) throws -> Int {
    let last = opened.nextPosition - 1
    var failures = 0
    func reading(_ body: () throws -> Void) throws {
      do {
        try body()
      } catch let error as ReadError {
        guard case .logDamaged(let damage) = error, damage.file == damaged else {
          throw Problem("a read fails: \(error)")
        }
        failures += 1
      }
    }
    for (first, next) in zip(log.firsts, log.firsts.dropFirst() + [last + 1]) {
      let positions = first..<max(first, next)
      try reading { try requireRecords(opened.segments, positions) }
      try reading { try requireCheckpoint(opened.segments, before: first) }
      guard !positions.isEmpty else { continue }
      let middle = Position(random.whole(Int(first)...Int(next - 1)))
      try reading { try requireRecords(opened.segments, middle..<min(middle + 10, next)) }
      try reading { try requireCheckpoint(opened.segments, before: middle) }
      try reading { try requireSearch(opened.segments, positions, middle) }
    }
    return failures
  }

  private func requireRecords(_ segments: SegmentList, _ positions: Range<Position>) throws {
    var reader = LogReader(segments.view, after: positions.lowerBound - 1)
    var next = positions.lowerBound
    while next < positions.upperBound {
      guard case .block(let block) = try reader.next(through: positions.upperBound - 1) else { continue }
      var records = block.records(after: next - 1)
      while let stored = try records.next(), stored.position < positions.upperBound {
        try require(
          stored == ledger.records[Int(next) - 1], "the record at \(next) is not the one that was sent: \(stored)")
        next += 1
      }
    }
  }

  private func requireCheckpoint(_ segments: SegmentList, before position: Position) throws {
    let checkpoint = try segments.view.checkpoint(before: position)
    try require(checkpoint.position < position, "the checkpoint before \(position) is at \(checkpoint.position)")
    try RecoveryCheck.requireStanding(ledger, Projection(checkpoint), at: checkpoint.position)
  }

  /// Checks that a search never skips the records of its sessions.
  private func requireSearch(_ segments: SegmentList, _ positions: Range<Position>, _ middle: Position) throws {
    let session = ledger.records[Int(middle) - 1].session
    var search = SessionSearch(segments.view) { id, _ in id == session }
    let end = try search.endOfNothing(after: positions.lowerBound - 1)
    try require(
      end < positions.upperBound - 1, "the search reports no records for the session with the record at \(middle)")
    let after = positions.lowerBound - 1
    if let reading = try search.checkpointReading(after: after, through: positions.upperBound - 1) {
      let checkpoint = try reading.checkpoint()
      let passed = ledger.records[(Int(positions.lowerBound) - 1)..<Int(checkpoint.position)]
      try require(!passed.contains { $0.session == session }, "records of \(session) are skipped")
      try RecoveryCheck.requireStanding(ledger, Projection(checkpoint), at: checkpoint.position)
    }
  }
}
