import ScrollLog
import ScrollLogTesting
import ScrollModel

/// Each bit of a last segment of 4 KiB, its reserved space included, is flipped.
struct BitFlipSuite: Suite {
  private let segment: SingleSegment

  init(_ mode: SyncMode, seed: UInt64) throws {
    segment = try SingleSegment(bytes: 4096, mode, calls: 2, seed: seed)
  }

  var title: String { "every flipped bit of a last segment of \(segment.bytes.count) bytes, \(segment.mode)" }
  var count: Int { segment.bytes.count * 8 }
  var stride: Int { 512 }

  func run(_ cases: Range<Int>, _ report: inout Report) {
    for bit in cases {
      report.run(bit, "bit \(bit % 8) of byte \(bit / 8) flipped") { try run(bit / 8, 1 << UInt8(bit % 8)) }
    }
  }

  private func run(_ byte: Int, _ mask: UInt8) throws {
    var bytes = segment.bytes
    bytes[byte] ^= mask
    let fileSystem = try segment.fileSystem(bytes)
    let verified = try LogVerification.verify(directory: Workload.directory, fileSystem: fileSystem)
    try require(
      verified.contains { !$0.problems.isEmpty || $0.unfinished != nil }, "verification finds nothing")
    // The last intact block before the byte.
    let whole = segment.ends.lastIndex { $0 <= byte }
    switch try segment.open(fileSystem) {
    case .damaged(let damage):
      try require(damage.offset <= byte, "byte \(damage.offset) is named")
      try require(fileSystem[SingleSegment.path] == bytes, "the damaged segment was changed")
      try requireNextSaysSynced(whole)
      try requireRepairable(fileSystem, whole)
    case .opened(let log):
      guard let whole else { throw Problem("a start uses a bad header or checkpoint") }
      // Only bytes that no later block says were synced can be torn.
      let isLast = whole >= segment.ends.count - 2
      try require(isLast || segment.mode != .commit, "synced bytes are cut")
      try segment.requireContent(log, through: segment.lasts[whole], isTorn: true)
    }
  }

  /// Checks that only synced bytes are reported as damage: the head, and with `commit` every block but the last one.
  private func requireNextSaysSynced(_ whole: Int?) throws {
    guard let whole else { return }
    let isSynced = segment.mode == .commit && whole < segment.ends.count - 2
    try require(isSynced, "bytes that may be torn are reported as damaged")
  }

  /// Checks that the repair that the message suggests works, and keeps everything before the damage.
  private func requireRepairable(_ fileSystem: FaultyFileSystem, _ whole: Int?) throws {
    let options = Workload.options(segment.mode, boot: 1) { 0x4EBA_14ED_4EBA_14ED }
    let report: RepairReport
    do throws(OpenError) {
      report = try LogRepair.run(directory: Workload.directory, fileSystem: fileSystem, options: options)
    } catch {
      // An unknown version or feature is not damage, and cannot be repaired.
      guard whole == nil, case .damaged = error else { throw Problem("the repair fails: \(error)") }
      return
    }
    guard case .opened(let log) = try segment.open(fileSystem) else { throw Problem("a repaired log does not open") }
    guard let repair = report.repair else { throw Problem("nothing is repaired") }
    // With a bad header or checkpoint the blocks are kept, since at position 1 the empty checkpoint is right. The header's own
    // checksum shows its wrong bit.
    try require(
      repair.keptThrough == segment.ledger.last,
      "a repair keeps \(repair.keptThrough) positions, not \(segment.ledger.last)")
    try RepairedCheck(
      ledger: segment.ledger, repair: repair, opened: log, lasts: segment.lasts, whole: whole
    ).run()
  }
}
