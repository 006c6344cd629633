import ScrollLog
import ScrollLogTesting
import ScrollTesting

/// Recoveries that crash themselves, at each of their operations, after crashes throughout a workload.
struct RecoveryCrashSuite: Suite {
  let mode: SyncMode
  let seed: UInt64
  let operations: Int
  /// The distance between first crashes, in operations of the workload.
  private static let step = 13

  init(_ mode: SyncMode, seed: UInt64) throws {
    self.mode = mode
    self.seed = seed
    operations = try CrashSuite.countOperations(mode, seed: seed)
  }

  var title: String { "crash in the middle of a recovery, \(mode)" }
  var count: Int { (operations / Self.step) * stride }
  /// More operations than any recovery has.
  var stride: Int { 160 }

  func run(_ cases: Range<Int>, _ report: inout Report) {
    let point = cases.lowerBound / stride
    guard let left = CrashedWorkload(mode, seed: seed, at: point * Self.step, cases.lowerBound, &report) else { return }
    for index in cases {
      let crash = index % stride
      // The cases of a stride share the first crash, so that they interrupt the same recovery at every operation.
      var first = SeededRandom(seed: seed &+ UInt64(point))
      let loss = first.happens(0.25) ? nil : PowerLoss.random(using: &first)
      let found = left.found(loss, &first)
      if recovers(found.fileSystem, found.boot, crashingAt: crash) {
        // The recovery has fewer operations.
        if crash < 5 { report.run(index, left.place) { throw Problem("a recovery has only \(crash) operations") } }
        return
      }
      var random = SeededRandom(seed: seed &+ UInt64(index) &* 0xA5A5)
      let second = random.happens(0.25) ? nil : PowerLoss.random(using: &random)
      let operation = found.fileSystem.operations[crash]
      let place = "\(left.place), \(PowerLoss.text(loss)), then at operation \(crash) (\(operation)) of the recovery"
      report.run(index, "\(place), \(PowerLoss.text(second))") {
        let again = second.map { found.fileSystem.afterPowerLoss($0, &random) } ?? found.fileSystem.afterKill()
        var check = left.check(loss ?? second, boot: found.boot + (second == nil ? 0 : 1))
        check.showsStaleBytes = true
        check.wasInterrupted = true
        _ = try check.run(again)
      }
    }
  }

  /// Returns whether a recovery ends before the operation at which it would crash.
  private func recovers(_ fileSystem: FaultyFileSystem, _ boot: UInt64, crashingAt crash: Int) -> Bool {
    fileSystem.crash(at: crash)
    let identifiers = SeededCounter(seed)
    let options = Workload.options(mode, boot: boot, identifier: { identifiers.next() })
    return (try? EventLog.open(directory: Workload.directory, fileSystem: fileSystem, options: options)) != nil
  }
}
