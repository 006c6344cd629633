import ScrollLog
import ScrollLogTesting
import ScrollTesting

/// Each read or write of a workload transfers half of its bytes, and then all of them transfer any part. Nothing may fail for
/// that, and nothing may be missing or wrong.
struct ShortTransferSuite: Suite {
  /// In how many workloads all reads and writes are short.
  private static let lives = 8

  let mode: SyncMode
  let seed: UInt64
  let operations: Int

  init(_ mode: SyncMode, seed: UInt64) throws {
    self.mode = mode
    self.seed = seed
    operations = try CrashSuite.countOperations(mode, seed: seed)
  }

  var title: String { "short transfers at each of \(operations) operations, \(mode)" }
  var count: Int { operations + Self.lives }
  var stride: Int { 8 }

  func run(_ cases: Range<Int>, _ report: inout Report) {
    for index in cases {
      let isEach = index >= operations
      let place = isEach ? "all transfers" : "operation \(index)"
      report.run(index, "\(mode), short: \(place)") { try run(isEach ? nil : index, index) }
    }
  }

  private func run(_ operation: Int?, _ index: Int) throws {
    let fileSystem = FaultyFileSystem()
    if let operation { fileSystem.shorten(operation) } else { fileSystem.shortenAll() }
    let seed = operation == nil ? seed &+ UInt64(index) : seed
    let workload = Workload(fileSystem, mode, seed: seed)
    do {
      try workload.run()
    } catch is Stopped {
      throw Problem("the workload ended although nothing failed")
    }
    if operation == nil {
      let whole = try CrashSuite.countOperations(mode, seed: seed)
      try require(fileSystem.operations.count > whole, "no transfer was short")
    }
    var random = SeededRandom(seed: seed &+ UInt64(index))
    for loss in [nil, PowerLoss.random(using: &random)] {
      let left = loss.map { fileSystem.afterPowerLoss($0, &random) } ?? fileSystem.afterKill()
      if operation == nil { left.shortenAll() }
      let check = RecoveryCheck(
        mode: mode, ledger: workload.ledger, crash: loss == nil ? .kill : .powerLoss,
        boot: workload.boot + (loss == nil ? 0 : 1), showsStaleBytes: loss?.remains == .stale)
      do {
        _ = try check.run(left)
      } catch {
        throw Problem("\(PowerLoss.text(loss)): \(error)")
      }
    }
  }
}
