import ScrollLog
import ScrollLogTesting
import ScrollTesting

/// A crash after every file operation of a workload, each with a kill and with every kind of power loss.
struct CrashSuite: Suite {
  let mode: SyncMode
  let seed: UInt64
  /// How many operations the workload has.
  let operations: Int

  init(_ mode: SyncMode, seed: UInt64) throws {
    self.mode = mode
    self.seed = seed
    operations = try Self.countOperations(mode, seed: seed)
  }

  /// Returns the number of operations of an undisturbed workload.
  static func countOperations(_ mode: SyncMode, seed: UInt64) throws -> Int {
    let fileSystem = FaultyFileSystem()
    try Workload(fileSystem, mode, seed: seed).run()
    let count = fileSystem.operations.count
    try require(count >= 400, "the workload has only \(count) operations")
    return count
  }

  var title: String { "crash after each of \(operations) operations, \(mode)" }
  var count: Int { operations * stride }
  /// A kill, and the kinds of power loss.
  var stride: Int { 1 + PowerLoss.kinds.count }

  func run(_ cases: Range<Int>, _ report: inout Report) {
    let crash = cases.lowerBound / stride
    guard let left = CrashedWorkload(mode, seed: seed, at: crash, cases.lowerBound, &report) else { return }
    for index in cases {
      let kind = index % stride
      let loss = kind == 0 ? nil : PowerLoss.kinds[kind - 1]
      var random = SeededRandom(seed: seed &+ UInt64(index) &* 0x9E37)
      report.run(index, "\(left.place), \(PowerLoss.text(loss))") {
        let found = left.found(loss, &random)
        let ledger = try left.check(loss, boot: found.boot).run(found.fileSystem)
        // Some cases continue with the log and crash once more.
        if random.happens(0.2) { try resume(found.fileSystem, ledger, boot: found.boot, &random) }
      }
    }
  }

  private func resume(
    _ fileSystem: FaultyFileSystem, _ ledger: Ledger, boot: UInt64, _ random: inout SeededRandom
  ) throws {
    let workload = Workload(resuming: fileSystem.afterKill(), mode, ledger, boot: boot, seed: random.next())
    workload.fileSystem.crash(at: random.whole(20...80))
    do {
      try workload.resume()
    } catch is Stopped {}
    let loss = PowerLoss.random(using: &random)
    let check = RecoveryCheck(
      mode: mode, ledger: workload.ledger, crash: .powerLoss, boot: boot + 1, showsStaleBytes: true)
    _ = try check.run(workload.fileSystem.afterPowerLoss(loss, &random))
  }
}
