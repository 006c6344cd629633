/// The results of cases.
struct Report: Sendable {
  /// A case that found a problem.
  struct Failure: Sendable {
    var number: Int
    var what: String
  }

  /// The number of the suite's first case.
  let first: Int
  /// How often a log was opened again after a fault and checked.
  private(set) var recoveries = 0
  private(set) var failures: [Failure] = []

  init(first: Int = 0) { self.first = first }

  /// Runs one case of the suite and records its result.
  ///
  /// - Parameter context: what was done before something went wrong.
  mutating func run(_ index: Int, _ context: @autoclosure () -> String, _ body: () throws -> Void) {
    do {
      try body()
      recoveries += 1
    } catch {
      failures.append(Failure(number: first + index, what: "\(context()): \(error)"))
    }
  }

  mutating func add(_ other: Report) {
    recoveries += other.recoveries
    failures += other.failures
  }
}
