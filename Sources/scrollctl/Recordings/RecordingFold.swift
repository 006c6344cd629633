// Folds a recording line by line.

import ScrollJSON
import ScrollModel

/// Folds a recording line by line, as the daemon folds a session. A line that opens begins anew.
struct RecordingFold {
  let policy: Policy
  private(set) var state = FoldState()
  /// The client that the recording names; `nil` when it names none.
  private(set) var client: String?
  /// The time of the first event, microseconds since the Unix epoch.
  private(set) var firstTime: Int64?

  init(_ policy: Policy) { self.policy = policy }

  var identity: StateIdentity { StateIdentity(client: client, policy: policy.name) }

  /// Takes a line.
  ///
  /// - Returns: What the event changed; `nil` when it changed no watched field, or the line is no event.
  mutating func take(_ line: RecordingLine) -> Policy.Step? {
    switch line {
    case .open(_, let client, _, _, _, _):
      self = RecordingFold(policy)
      self.client = client
      return nil
    case .event(let event): return take(event)
    case .close, .request, .response: return nil
    }
  }

  /// Takes an event.
  ///
  /// - Returns: What it changed; `nil` when it changed no watched field.
  mutating func take(_ event: Event) -> Policy.Step? {
    if firstTime == nil { firstTime = event.time }
    let step = policy.step(&state, event)
    return step.changed.isEmpty ? nil : step
  }
}
