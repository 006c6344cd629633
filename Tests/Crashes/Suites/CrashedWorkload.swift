import ScrollLog
import ScrollLogTesting
import ScrollTesting

/// A workload that crashed at one of its operations, with its file system and its ledger.
struct CrashedWorkload {
  private let workload: Workload
  /// The operation and its purpose, as text for people.
  let place: String

  /// Runs a workload into a crash. A write at which it crashes is at most half done.
  ///
  /// - Parameters:
  ///   - crash: the index of the operation.
  ///   - index: the case to which a failure is attributed.
  /// - Returns: `nil` when it failed before.
  init?(_ mode: SyncMode, seed: UInt64, at crash: Int, _ index: Int, _ report: inout Report) {
    workload = Workload(FaultyFileSystem(), mode, seed: seed)
    workload.fileSystem.crash(at: crash)
    var problem: Problem?
    do {
      try workload.run()
      problem = Problem("the workload ran to its end although operation \(crash) crashed")
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

  /// Returns the file system as the next process finds it, after a kill or a power loss, and the number of the boot.
  func found(_ loss: PowerLoss?, _ random: inout SeededRandom) -> (fileSystem: FaultyFileSystem, boot: UInt64) {
    guard let loss else { return (workload.fileSystem.afterKill(), workload.boot) }
    return (workload.fileSystem.afterPowerLoss(loss, &random), workload.boot + 1)
  }

  /// Returns the check of what has to hold then.
  func check(_ loss: PowerLoss?, boot: UInt64) -> RecoveryCheck {
    RecoveryCheck(
      mode: workload.mode, ledger: workload.ledger, crash: loss == nil ? .kill : .powerLoss, boot: boot,
      showsStaleBytes: loss?.remains == .stale)
  }
}
