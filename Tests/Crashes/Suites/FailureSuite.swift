import ScrollLog
import ScrollLogTesting
import ScrollTesting

/// Every operation of a workload fails, in several ways. If the log continues, it loses nothing and works again once nothing
/// fails; if it ends, it has reported that, and the next start has everything that was answered.
struct FailureSuite: Suite {
  /// A way to fail.
  private enum Fault: String, CaseIterable {
    case inputOutputOnce = "EIO once"
    case inputOutputForGood = "EIO from then on"
    case syncsForGood = "EIO for every sync from then on"
    case noSpaceOnce = "ENOSPC once"
    case noSpaceForAWhile = "ENOSPC for every operation that needs space, for a while"
  }

  /// The operations that need space. A file system without reservations notices the lack of it only when it syncs.
  private static let growing: Set<FileOperation> = [.create, .write, .preallocate, .rename, .makeDirectory]

  let mode: SyncMode
  let seed: UInt64
  let operations: Int

  init(_ mode: SyncMode, seed: UInt64) throws {
    self.mode = mode
    self.seed = seed
    operations = try CrashSuite.countOperations(mode, seed: seed)
  }

  var title: String { "failure of each of \(operations) operations, \(mode)" }
  var count: Int { operations * stride }
  var stride: Int { Fault.allCases.count }

  func run(_ cases: Range<Int>, _ report: inout Report) {
    for index in cases {
      let fault = Fault.allCases[index % stride]
      let operation = index / stride
      let fileSystem = FaultyFileSystem()
      order(fault, at: operation, fileSystem)
      // One failure fails at most one start; failures for a while fail several, but not all.
      let patience =
        switch fault {
        case .inputOutputOnce, .noSpaceOnce: 1
        case .noSpaceForAWhile: 40
        case .inputOutputForGood, .syncsForGood: 2
        }
      let workload = Workload(fileSystem, mode, seed: seed, patience: patience)
      var place: String {
        let operations = fileSystem.operations
        let name = operation < operations.count ? "\(operations[operation])" : "none"
        let step = workload.step(of: operation)
        return "\(mode), \(fault.rawValue) at operation \(operation) (\(name)) of step “\(step)”"
      }
      report.run(index, place) {
        var isStopped = false
        do {
          try workload.run()
        } catch is Stopped {
          isStopped = true
        }
        fileSystem.clearFailures()
        if !isStopped { try workload.writeOnceMore() }
        var random = SeededRandom(seed: seed &+ UInt64(index))
        for loss in [nil, PowerLoss.random(using: &random)] {
          let left = loss.map { fileSystem.afterPowerLoss($0, &random) } ?? fileSystem.afterKill()
          var check = RecoveryCheck(
            mode: mode, ledger: workload.ledger, crash: loss == nil ? .kill : .powerLoss,
            boot: workload.boot + (loss == nil ? 0 : 1))
          check.showsStaleBytes = true
          check.wasInterrupted = true
          do {
            _ = try check.run(left)
          } catch {
            throw Problem("\(PowerLoss.text(loss)): \(error)")
          }
        }
      }
    }
  }

  private func order(_ fault: Fault, at operation: Int, _ fileSystem: FaultyFileSystem) {
    switch fault {
    case .inputOutputOnce: fileSystem.fail(operation, with: .inputOutput)
    case .noSpaceOnce: fileSystem.fail(operation, with: .noSpace)
    case .inputOutputForGood:
      fileSystem.fail(operation..<Int.max, with: .inputOutput, Set(FileOperation.allCases))
    case .syncsForGood: fileSystem.fail(operation..<Int.max, with: .inputOutput, [.sync, .syncDirectory])
    case .noSpaceForAWhile: fileSystem.fail(operation..<(operation + 60), with: .noSpace, Self.growing)
    }
  }
}
