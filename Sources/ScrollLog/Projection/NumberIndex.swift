import ScrollModel

/// Where the newest events of a session stand in the log, so that a resend gets the answer that the original got.
///
/// Events whose numbers and positions both go on are one run, and the newest ``capacity`` runs are kept: it takes
/// 256 calls between which other sessions wrote to forget an event.
struct NumberIndex: Equatable {
  typealias Run = Checkpoint.Run

  static let capacity = 256
  /// How many of the newest runs a checkpoint keeps.
  static let kept = 16

  /// A ring once it is full: `oldest` is where the next run goes.
  private var runs: [Run] = []
  private var oldest = 0

  init(_ runs: [Run] = []) {
    for run in runs.suffix(Self.capacity) { add(run) }
  }

  private var newestIndex: Int? {
    runs.isEmpty ? nil : (oldest + runs.count - 1) % runs.count
  }

  /// Notes the next events.
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

  /// The position of an event; `nil` when it is unknown or long ago.
  func position(of number: Int64) -> Position? {
    for run in runs where number >= run.firstNumber && number < run.firstNumber + run.count {
      return run.firstPosition + (number - run.firstNumber)
    }
    return nil
  }

  /// The newest runs, in order.
  func newest(_ limit: Int) -> [Run] {
    Array((runs[oldest...] + runs[..<oldest]).suffix(limit))
  }
}
