import ScrollModel

/// The log positions of a session's newest events, so that a resend gets the answer that the original got.
///
/// Events with consecutive numbers and consecutive positions form a run, and the newest ``capacity`` runs are kept. An
/// event is dropped only after 256 more calls with records of other sessions between them.
struct NumberIndex: Equatable {
  typealias Run = Checkpoint.Run

  static let capacity = 256
  /// How many of the newest runs a checkpoint stores.
  static let kept = 16

  /// A ring buffer once it is full; the next run then replaces the one at `oldest`.
  private var runs: [Run] = []
  private var oldest = 0

  init(_ runs: [Run] = []) {
    for run in runs.suffix(Self.capacity) { add(run) }
  }

  private var newestIndex: Int? {
    runs.isEmpty ? nil : (oldest + runs.count - 1) % runs.count
  }

  /// Adds the next events.
  mutating func add(_ run: Run) {
    if let index = newestIndex {
      let newest = runs[index]
      if newest.firstNumber + newest.count == run.firstNumber, newest.firstPosition + newest.count == run.firstPosition
      {
        runs[index].count += run.count
        return
      }
    }
    if runs.count < Self.capacity {
      runs.append(run)
    } else {
      runs[oldest] = run
      oldest = (oldest + 1) % runs.count
    }
  }

  /// Returns the position of an event; `nil` when it is unknown or no longer kept.
  func position(of number: Int64) -> Position? {
    for run in runs where number >= run.firstNumber && number < run.firstNumber + run.count {
      return run.firstPosition + (number - run.firstNumber)
    }
    return nil
  }

  /// Returns the newest runs, in order.
  func newest(_ limit: Int) -> [Run] {
    Array((runs[oldest...] + runs[..<oldest]).suffix(limit))
  }
}
