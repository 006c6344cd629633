// Policies side by side over the same sessions: where they differ, and how each of them does.

import ScrollModel

/// Policies side by side over the same sessions.
///
/// Each policy folds each session from its start. What they make of it is told event by event where they differ, and in
/// sum by a tally for each.
///
///     let comparison = Comparison([.safari, .classic], sessions: [events])
///     comparison.isSame            // false
///     comparison.rows[0].event     // 1: classic hides at once, safari after 10 points
///
/// It costs one fold a policy; what is kept is the rows, not the sessions.
public struct Comparison: Sendable {
  /// The policies, in the order of every row's cells.
  public let policies: [Policy]
  /// The events at which the policies begin to differ, differ in another way, or agree again.
  public private(set) var rows: [Row] = []
  /// How each policy did over all sessions.
  public private(set) var tallies: [PolicyTally]
  /// When each session's first event was; `nil` for a session without events.
  let starts: [Int64?]

  /// Whether the policies made the same of every event in all that is watched.
  public var isSame: Bool { rows.isEmpty }

  /// Compares policies over sessions.
  ///
  /// - Parameters:
  ///   - policies: two or more; one alone is tallied and has no rows.
  ///   - sessions: each session's events, in order.
  public init(_ policies: [Policy], sessions: [[Event]]) {
    self.policies = policies
    tallies = policies.map { PolicyTally($0) }
    starts = sessions.map { $0.first?.time }
    for index in sessions.indices { compare(sessions[index], session: index) }
  }

  private mutating func compare(_ events: [Event], session: Int) {
    var states = policies.map { _ in FoldState() }
    for index in tallies.indices { tallies[index].beginSession() }
    var differed = false
    for (index, event) in events.enumerated() {
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
          session: session, event: index, time: event.time, kind: event.kind, differing: differing, cells: cells)
        rows.append(row)
      }
      differed = !differing.isEmpty
    }
  }

  /// The fields in which not all cells are alike.
  private static func differing(_ cells: [Cell]) -> WatchedFields {
    guard let first = cells.first else { return [] }
    return cells.dropFirst().reduce(into: WatchedFields()) { fields, cell in
      fields.formUnion(first.view.difference(from: cell.view))
    }
  }
}
