import Glibc

/// A runner that runs suites on all cores, and prints progress and results.
struct Runner {
  /// The runner stops after this many failures.
  private static let failureLimit = 10

  let suites: [any Suite]
  let seed: UInt64
  /// If given, only suites with this in their titles are run.
  let word: String?

  /// Runs all cases.
  ///
  /// - Returns: whether all cases passed.
  func runAll() async -> Bool {
    let start = ContinuousClock.now
    var first = 0
    var whole = Report()
    for suite in suites {
      defer { first += suite.count }
      if let word, !suite.title.contains(word) { continue }
      let suiteStart = ContinuousClock.now
      let report = await run(suite, first)
      let result = "\(report.recoveries) recoveries, \(report.failures.count) failures"
      say("\(suite.title): \(result), \(seconds(since: suiteStart))")
      tell(report)
      whole.add(report)
      if whole.failures.count >= Self.failureLimit { break }
    }
    say("\(whole.recoveries) recoveries, \(whole.failures.count) failures, \(seconds(since: start)); seed \(seed)")
    return whole.failures.isEmpty
  }

  /// Runs one case by its number.
  ///
  /// - Returns: whether the case exists and passed.
  func run(case number: Int) -> Bool {
    var first = 0
    for suite in suites {
      let index = number - first
      if index >= 0, index < suite.count {
        var report = Report(first: first)
        suite.run(index..<(index + 1), &report)
        say("\(suite.title), case \(number) of seed \(seed): \(report.recoveries) recoveries")
        tell(report)
        return report.failures.isEmpty && report.recoveries > 0
      }
      first += suite.count
    }
    say("cases have numbers 0 to \(first - 1)")
    return false
  }

  private func run(_ suite: any Suite, _ first: Int) async -> Report {
    let parts = (suite.count + suite.stride - 1) / suite.stride
    let queue = WorkQueue(parts, failureLimit: Self.failureLimit) { part in
      if part > 0, part % max(1, parts / 4) == 0 { say("  \(suite.title): \(part * 100 / parts) %") }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
        group.addTask {
          while let part = queue.take() {
            var report = Report(first: first)
            let start = part * suite.stride
            suite.run(start..<min(suite.count, start + suite.stride), &report)
            queue.add(report)
          }
        }
      }
    }
    return queue.report
  }

  private func tell(_ report: Report) {
    for failure in report.failures {
      say("FAILED case \(failure.number), \(failure.what)")
      say("  again: Tests/Crashes/run --seed \(seed) --case \(failure.number)")
    }
  }

  private func seconds(since start: ContinuousClock.Instant) -> String {
    "\(start.duration(to: .now).components.seconds) s"
  }
}

/// Prints a line without delay, even to a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
