// A workload that crashed.

import ScrollLog
import ScrollLogTesting
import ScrollTesting

/// A workload that crashed at one of its operations: what it left, and what is known of it.
struct CrashedWorkload {
  private let workload: Workload
  /// The operation and what it was done for, for people.
  let place: String

  /// Runs a workload into a crash. Of that operation not more than a half is done, if it is a write.
  ///
  /// - Parameters:
  ///   - crash: the operation's index.
  ///   - index: the case that a failure is noted for.
  /// - Returns: `nil` when it failed before.
  init?(_ mode: SyncMode, seed: UInt64, at crash: Int, _ index: Int, _ report: inout Report) {
    workload = Workload(FaultyFileSystem(), mode, seed: seed)
    workload.fileSystem.crash(at: crash)
    var problem: Problem?
    do {
      try workload.run()
      problem = Problem("the workload runs to its end, though operation \(crash) crashed")
    } catch is Stopped {
    } catch {
      problem = Problem("\(error)")
    }
    let operations = workload.fileSystem.operations
    let operation = crash < operations.count ? "\(operations[crash])" : "none"
    place = "\(mode), operation \(crash) (\(operation)) of step “\(workload.step(of: crash))”"
    if let problem {
      report.run(index, place) { throw problem }
      return nil
    }
  }

  /// The file system as the next process finds it, after a kill without a power loss, and which run of the machine it is in.
  func found(_ loss: PowerLoss?, _ random: inout SeededRandom) -> (fileSystem: FaultyFileSystem, boot: UInt64) {
    guard let loss else { return (workload.fileSystem.afterKill(), workload.boot) }
    return (workload.fileSystem.afterPowerLoss(loss, &random), workload.boot + 1)
  }

  /// What has to hold of it then.
  func check(_ loss: PowerLoss?, boot: UInt64) -> RecoveryCheck {
    RecoveryCheck(
      mode: workload.mode, ledger: workload.ledger, crash: loss == nil ? .kill : .powerLoss, boot: boot,
      showsStaleBytes: loss?.remains == .stale)
  }
}
