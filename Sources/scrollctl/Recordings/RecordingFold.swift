import ScrollAnalysis
import ScrollJSON
import ScrollModel

/// The fold of a recording, line by line, as the daemon folds a session. An open line starts over.
struct RecordingFold {
  let policy: Policy
  private(set) var state = FoldState()
  /// The client in the recording's open line; `nil` without an open line.
  private(set) var client: String?
  private var clock = SessionClock()

  init(_ policy: Policy) { self.policy = policy }

  /// The time from the first event to the last, in microseconds.
  var elapsed: Int64 { clock.elapsed }

  var identity: StateIdentity { StateIdentity(client: client, policy: policy.name) }

  /// Folds a line.
  ///
  /// - Returns: What the event changed; `nil` when it changed no watched field, or the line is not an event.
  mutating func take(_ line: RecordingLine) -> Policy.Step? {
    switch line {
    case .open(_, let client, _, _, _, _, _):
      self = RecordingFold(policy)
      self.client = client
      return nil
    case .event(let event): return take(event)
    case .close, .request, .response: return nil
    }
  }

  /// Folds an event.
  ///
  /// - Returns: What it changed; `nil` when it changed no watched field.
  mutating func take(_ event: Event) -> Policy.Step? {
    clock.advance(to: event.time)
    let step = policy.step(&state, event)
    return step.changed.isEmpty ? nil : step
  }
}
