import ScrollLog
import ScrollLogTesting
import ScrollModel

/// A log of one segment, cut to a given size: its bytes, the ends of its blocks, and its records.
struct SingleSegment: Sendable {
  static let path = Workload.logPath + "/00000000000000000001.scrolllog"

  let bytes: [UInt8]
  /// Where the checkpoint and then each block ends, as far as they are within the bytes.
  let ends: [Int]
  /// The last position at each of these ends.
  let lasts: [Position]
  let ledger: Ledger
  let mode: SyncMode

  /// - Parameter calls: how many calls a block has, at most.
  init(bytes size: Int, _ mode: SyncMode, calls: Int, seed: UInt64) throws {
    self.mode = mode
    let fileSystem = FaultyFileSystem()
    let identifiers = SeededCounter(seed)
    let log = try EventLog.open(
      directory: Workload.directory, fileSystem: fileSystem,
      options: Workload.options(mode, boot: 1, identifier: { identifiers.next() }))
    var clients = Clients(seed: seed)
    var ledger = Ledger()
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    var ends = [Int(log.writer.status.segmentBytes)]
    var lasts: [Position] = [0]
    while true {
      var before = ledger
      let block = try clients.block(&builder, calls: Int(ledger.last % Int64(calls)) + 1, &ledger)
      try log.writer.write(block)
      let end = Int(log.writer.status.segmentBytes)
      if end > size {
        before.answer(durable: before.last, seen: before.last)
        self.ledger = before
        break
      }
      ends.append(end)
      lasts.append(ledger.last)
    }
    self.ends = ends
    self.lasts = lasts
    var bytes = fileSystem[Self.path]?.prefix(size) ?? []
    // Removes the part of the block that did not fit.
    if let end = ends.last { bytes.replaceSubrange(end..., with: repeatElement(0, count: bytes.count - end)) }
    self.bytes = Array(bytes)
    try require(
      self.bytes.count == size && ends.count > 3, "a segment of \(self.bytes.count) bytes and \(ends.count) ends")
  }

  /// Returns a file system with the log, with other bytes in its segment.
  func fileSystem(_ bytes: [UInt8]) throws -> FaultyFileSystem {
    let fileSystem = FaultyFileSystem()
    for path in [Workload.directory, Workload.logPath] { _ = try fileSystem.makeDirectory(path) }
    fileSystem[Self.path] = bytes
    return fileSystem
  }

  /// Opens the log with other bytes in its segment, and returns the result.
  func open(_ fileSystem: FaultyFileSystem) throws -> Outcome {
    let options = Workload.options(mode, boot: 1) { 0x5EED_0FA1_1CA5_E500 }
    do throws(OpenError) {
      return .opened(try EventLog.open(directory: Workload.directory, fileSystem: fileSystem, options: options))
    } catch {
      guard case .damaged(let damage) = error else { throw Problem("the start fails: \(error)") }
      try require(damage.file == Self.path, "damage of \(damage.file) is reported")
      return .damaged(damage)
    }
  }

  enum Outcome {
    case opened(OpenedLog)
    case damaged(LogDamage)
  }

  /// Checks an opened log against the records sent up to a position.
  func requireContent(_ log: OpenedLog, through last: Position, isTorn: Bool) throws {
    try require(log.nextPosition == last + 1, "the last position is \(log.nextPosition - 1), not \(last)")
    do {
      try RecoveryCheck.requireRecords(ledger, log.segments, through: last)
    } catch let error as ReadError {
      throw Problem("\(error)")
    }
    try RecoveryCheck.requireStanding(ledger, log.projection, at: last)
    try RecoveryCheck.requireKnown(ledger, log.projection, at: last)
    let isCut = log.notes.contains { if case .cutTornTail = $0 { true } else { false } }
    try require(isCut == isTorn, "a torn tail is \(isCut ? "" : "not ")reported: \(log.notes)")
    try require(
      (log.generations.current > 1) == isTorn, "the generation is \(log.generations.current)")
    if isTorn {
      let shared = log.generations.lastPosition(sharedWith: 1)
      try require(shared == last, "generation 1 is said to be good up to \(String(describing: shared))")
    }
  }
}
