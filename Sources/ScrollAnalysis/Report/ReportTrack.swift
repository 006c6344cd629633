import ScrollModel

/// A session under one policy, for a report: the state after each event, as the events that changed it.
struct ReportTrack {
  /// An event that changed what the report shows.
  struct Change {
    let event: Int
    let time: Int64
    let view: WatchedView
    let reason: Reason?
    let changed: WatchedFields
  }

  let policy: Policy
  let changes: [Change]

  init(_ policy: Policy, _ events: [Event], times: [Int64]) {
    self.policy = policy
    var state = FoldState()
    var changes: [Change] = []
    for (index, event) in events.enumerated() {
      let step = policy.step(&state, event)
      if !step.changed.isEmpty || index == 0 {
        changes.append(
          Change(
            event: index, time: times[index], view: WatchedView(state), reason: step.reason, changed: step.changed))
      }
    }
    self.changes = changes
  }

  /// The spans of time with the toolbar hidden.
  func hidden(until end: Int64) -> [Range<Int64>] {
    var spans: [Range<Int64>] = []
    var since: Int64?
    for change in changes {
      if change.view.toolbar == .hidden {
        since = since ?? change.time
      } else if let start = since {
        spans.append(start..<change.time)
        since = nil
      }
    }
    if let since, since < end { spans.append(since..<end) }
    return spans
  }
}
