// What has to hold of a log of which one file is damaged.

import ScrollLog
import ScrollLogTesting
import ScrollModel
import ScrollTesting

/// A log in one file of which a bit is flipped, and what has to hold of it.
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

  /// Damage in a packed segment stops no start, and fails only the reads that need what is bad. What is derived is made anew.
  func checkPacked(_ random: inout SeededRandom) throws {
    let fileSystem = try fileSystem()
    guard let found = try verify(fileSystem), !found.problems.isEmpty else {
      throw Problem("verification finds nothing")
    }
    let opened = try open(fileSystem)
    try require(opened.generations.current == 1, "a generation began")
    try RecoveryCheck.requireStanding(ledger, opened.projection, at: ledger.last)
    let failures = try requireTruth(opened, &random, damaged: path)
    // Closings may be hidden with the records, and then the journal says so.
    let isTold = opened.notes.contains { if case .sealedDamage(let damage) = $0 { damage.file == path } else { false } }
    if !isTold { try requireClosed(opened) }
    switch found.damage {
    case .none: throw Problem("verification finds no damage, but problems: \(found.problems)")
    case .derived: try require(failures == 0, "\(failures) reads fail, though only what is derived is bad")
    case .records: try require(failures > 0, "all is read, though verification says that records are lost")
    }
    // The rest takes long, and each bit is as good as the next for it.
    if random.happens(0.1) { try checkPacking(found.damage) }
    if random.happens(0.1) { try checkForgetting(found.damage) }
  }

  /// A daemon packs the segment anew where it found a bad index, and leaves it where records are bad.
  private func checkPacking(_ damage: SegmentVerification.Damage) throws {
    let fileSystem = try fileSystem()
    let opened = try open(fileSystem)
    let first = opened.segments.nextUnpacked(except: [])
    try require(
      (first != nil) == isMadeAnew(damage) || damage == .records, "verification is wrong: made anew is \(damage)")
    guard let first else { return }
    switch opened.upkeep.perform(.pack(first)) {
    case .packed(_, bytes: .some):
      let found = try verify(fileSystem)
      try require(found?.problems.isEmpty == true, "packed anew, it is damaged: \(String(describing: found?.problems))")
    case .notPacked:
      try require(damage == .records, "it is not packed anew, though all records are whole")
      try require(fileSystem[path] == bytes, "it was changed")
    case let result: throw Problem("packing comes to \(result)")
    }
  }

  private func isMadeAnew(_ damage: SegmentVerification.Damage) -> Bool {
    if case .derived(isMadeAnew: true) = damage { true } else { false }
  }

  /// Either a client is forgotten, and all else is there, or it is said that it can't be.
  private func checkForgetting(_ damage: SegmentVerification.Damage) throws {
    let fileSystem = try fileSystem()
    let opened = try open(fileSystem)
    guard let first = log.firsts.last(where: { name.contains(String($0)) }) else { throw Problem("no such segment") }
    let scope = ForgetScope.client(name: Clients.forgettable, user: nil, except: [])
    switch opened.upkeep.perform(.forget(.segment(first, scope))) {
    case .forgotten:
      try require(damage != .records, "records are bad, and what is there is said to be forgotten")
      let found = try verify(fileSystem)
      try require(
        found?.problems.isEmpty == true, "written anew, it is damaged: \(String(describing: found?.problems))")
      let text = Array(Clients.forgettable.utf8)
      try require(fileSystem[path]?.holds(text) == false, "it still holds what was forgotten")
    case .notForgotten:
      try require(damage == .records, "nothing is forgotten, though all records are whole")
      try require(fileSystem[path] == bytes, "it was changed")
    case let result: throw Problem("forgetting comes to \(result)")
    }
  }

  // MARK: The last segment

  /// Damage in the last segment stops the start, or the daemon once it has looked; only what may be a torn tail is cut.
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
    // Where the daemon finds out after its start, it ends, and the next one reads all.
    let left = fileSystem.afterKill()
    let bytes = left[path] ?? []
    do throws(OpenError) {
      _ = try log.open(left)
    } catch {
      try checkDamage(error, left, bytes)
      return
    }
    throw Problem("what ended the daemon is no damage for the next one")
  }

  private func checkDamage(_ error: OpenError, _ fileSystem: FaultyFileSystem, _ bytes: [UInt8]) throws {
    guard case .damaged(let damage) = error else { throw Problem("the start fails: \(error)") }
    try require(damage.file == path && damage.offset <= byte, "\(damage) is named")
    try require(fileSystem[path] == bytes, "the damaged segment was changed")
    let options = Workload.options(log.mode, boot: 1) { 0x4EBA_14ED_4EBA_14ED }
    do throws(OpenError) {
      _ = try LogRepair.run(directory: Workload.directory, fileSystem: fileSystem, options: options)
    } catch {
      // A version or a feature of the future is no damage, and nothing is to be done about it.
      guard byte < SegmentHeader.size, case .damaged = error else { throw Problem("the repair fails: \(error)") }
      return
    }
    let opened = try open(fileSystem)
    var random = SeededRandom(seed: UInt64(byte))
    try requireContent(opened, &random)
  }

  /// Checks what a start from a snapshot has not read yet.
  ///
  /// - Returns: whether it is as it should be.
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

  /// All that stood in whole blocks before the bad byte is there, and where more is missing a generation began.
  private func requireContent(_ opened: OpenedLog, _ random: inout SeededRandom) throws {
    let last = opened.nextPosition - 1
    let kept = log.ends.last { $0.offset <= byte }?.last ?? log.firsts[log.firsts.count - 1] - 1
    try require(last >= kept && last <= ledger.last, "it goes up to \(last), not to \(kept) at the least")
    try RecoveryCheck.requireStanding(ledger, opened.projection, at: last)
    let isCut = opened.generations.current > 1
    try require(isCut || last == ledger.last, "records are gone within a generation")
    if isCut {
      let shared = opened.generations.lastPosition(sharedWith: 1)
      try require(shared == last, "generation 1 is said to be good up to \(String(describing: shared))")
    }
    _ = try requireTruth(opened, &random, damaged: nil)
  }

  // MARK: Snapshots

  /// Bad snapshots are as good as none, after a stop in order and after a kill.
  func checkSnapshots(_ random: inout SeededRandom) throws {
    for files in [log.files, log.killed] {
      let opened = try open(try log.fileSystem(files, with: bytes, of: name))
      try require(try isWhole(opened), "the segment is called bad")
      try require(opened.generations.current == 1, "a generation began: \(opened.notes)")
      try RecoveryCheck.requireStanding(ledger, opened.projection, at: ledger.last)
      try RecoveryCheck.requireKnown(ledger, opened.projection, at: ledger.last)
      try requireClosed(opened)
      _ = try requireTruth(opened, &random, damaged: nil)
    }
  }

  // MARK: What holds of all

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
      try require(opened.closedSessions.contains(stored.session), "session \(stored.session) is not known to be closed")
    }
  }

  /// Whatever is read is what was sent; what can't be read is said to be damaged.
  ///
  /// - Parameter damaged: the only file of which that may be said.
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
    var reader = LogReader(segments, after: positions.lowerBound - 1)
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
    let checkpoint = try LogReader.checkpoint(segments, before: position)
    try require(checkpoint.position < position, "a checkpoint before \(position) stands at \(checkpoint.position)")
    try RecoveryCheck.requireStanding(ledger, Projection(checkpoint), at: checkpoint.position)
  }

  /// Nothing is passed over that is sought.
  private func requireSearch(_ segments: SegmentList, _ positions: Range<Position>, _ middle: Position) throws {
    let session = ledger.records[Int(middle) - 1].session
    var search = SessionSearch(segments) { id, _ in id == session }
    let isNothing = try search.isNothing(after: positions.lowerBound - 1, through: positions.upperBound - 1)
    try require(!isNothing, "a session that has the record at \(middle) is said to have none")
    if let checkpoint = try search.checkpoint(after: positions.lowerBound - 1, through: positions.upperBound - 1) {
      let passed = ledger.records[(Int(positions.lowerBound) - 1)..<Int(checkpoint.position)]
      try require(!passed.contains { $0.session == session }, "records of \(session) are passed over")
      try RecoveryCheck.requireStanding(ledger, Projection(checkpoint), at: checkpoint.position)
    }
  }
}
