import ScrollModel

/// A comparison of policies over the same sessions.
///
/// Each policy folds each session from its start. Rows report the events at which the policies differ, and a tally sums up
/// each policy.
///
///     let comparison = Comparison([.safari, .classic], sessions: [events])
///     comparison.isSame            // false
///     comparison.rows[0].event     // 1: classic hides at once, safari after 10 points
///
/// It folds the sessions once per policy, and keeps the rows but not the sessions.
public struct Comparison: Sendable {
  /// The policies, in the order of every row's cells.
  public let policies: [Policy]
  /// The events at which the policies begin to differ, differ in another way, or agree again.
  public private(set) var rows: [Row] = []
  /// Each policy's numbers over all sessions.
  public private(set) var tallies: [PolicyTally]

  /// Whether the policies agree on all watched fields after every event.
  public var isSame: Bool { rows.isEmpty }

  /// Compares policies over sessions.
  ///
  /// - Parameters:
  ///   - policies: Two or more policies. A single policy has a tally but no rows.
  ///   - sessions: Each session's events, in order.
  ///   - closings: The time of each session's closing; `nil` without one. Sessions that it has no place for have none.
  ///   - progress: Called with the number of sessions before each one.
  public init(
    _ policies: [Policy], sessions: [[Event]], closings: [Int64?] = [], progress: (Int64) -> Void = { _ in }
  ) {
    self.policies = policies
    tallies = policies.map { PolicyTally($0) }
    for index in sessions.indices {
      progress(Int64(index))
      compare(sessions[index], closed: index < closings.count ? closings[index] : nil, session: index)
    }
  }

  private mutating func compare(_ events: [Event], closed: Int64?, session: Int) {
    var states = policies.map { _ in FoldState() }
    for index in tallies.indices { tallies[index].beginSession() }
    var clock = SessionClock()
    var differed = false
    for (index, event) in events.enumerated() {
      let sinceStart = clock.advance(to: event.time)
      var cells: [Cell] = []
      for (place, policy) in policies.enumerated() {
        let step = policy.step(&states[place], event)
        tallies[place].add(event, step, states[place], session: session, index: index)
        cells.append(Cell(view: WatchedView(states[place]), changed: step.changed, reason: step.reason))
      }
      let differing = Self.differing(cells)
      let hasNews = cells.contains { !$0.changed.isEmpty }
      if hasNews, differed || !differing.isEmpty {
        let row = Row(
          session: session, event: index, time: event.time, sinceStart: sinceStart, kind: event.kind,
          differing: differing, cells: cells)
        rows.append(row)
      }
      differed = !differing.isEmpty
    }
    guard let closed else { return }
    for index in tallies.indices { tallies[index].endSession(at: closed) }
  }

  /// Returns the fields in which the cells differ.
  private static func differing(_ cells: [Cell]) -> WatchedFields {
    guard let first = cells.first else { return [] }
    return cells.dropFirst().reduce(into: WatchedFields()) { fields, cell in
      fields.formUnion(first.view.difference(from: cell.view))
    }
  }
}
