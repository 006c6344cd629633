import ScrollAnalysis
import ScrollModel

/// The note about samples that are so far apart that policies cannot be told apart, although they differ.
struct SampleNote {
  /// The shortest typical time between two samples that hides what happens between them, in microseconds. Screens show a frame
  /// at least every 20 ms.
  private static let coarse: Int64 = 50_000
  /// How many samples are enough to judge.
  private static let leastSteps = 10

  /// The typical time between two samples of the same movement, in microseconds.
  private let interval: Int64
  /// The typical distance between them, in points.
  private let step: Double

  /// Measures the samples of sessions; `nil` if there are too few, or if they are as close as a screen's frames.
  init?(_ sessions: [[Event]]) {
    var intervals: [Int64] = []
    var steps: [Double] = []
    for events in sessions {
      let samples = events.lazy.filter { $0.kind == .scroll && $0.y != nil }
      for (event, next) in zip(samples, samples.dropFirst()) {
        guard let y = event.y, let nextY = next.y, y != nextY else { continue }
        let (interval, overflow) = next.time.subtractingReportingOverflow(event.time)
        guard !overflow, (1...PolicyTally.longestScrollingGap).contains(interval) else { continue }
        intervals.append(interval)
        steps.append(abs(nextY - y))
      }
    }
    guard intervals.count >= Self.leastSteps else { return nil }
    interval = intervals.sorted()[intervals.count / 2]
    step = steps.sorted()[steps.count / 2]
    if interval < Self.coarse { return nil }
  }

  /// Returns the message; `nil` if every policy that turned a toolbar did so in its own way, or if the samples are close enough
  /// for the distances by which policies with the same result decide.
  func message(_ tallies: [PolicyTally]) -> String? {
    let results = Dictionary(grouping: tallies.filter { $0.flips > 0 }) {
      [Int64($0.flips), Int64($0.flickers.count), $0.hidden]
    }
    let same = results.values.map {
      $0.map(\.policy).filter { Self.greatestDistance(of: $0).map { $0 <= step } ?? false }
    }
    guard let policies = same.max(by: { $0.count < $1.count }), policies.count > 1 else { return nil }
    let names = policies.map(\.name)
    return
      "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") cannot be told apart: most samples are "
      + "\(interval / 1000) ms and \(NumberText.rounded(in: shortest(step))) points apart, farther than the distances by which these "
      + "policies differ"
  }

  /// The greater of the distances that turn a policy's toolbar; `nil` if its rule has none.
  private static func greatestDistance(of policy: Policy) -> Double? {
    policy.parameters.filter { ["hideDistance", "showDistance"].contains($0.name) }.compactMap { Double($0.value) }
      .max()
  }
}
