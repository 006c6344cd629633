import ScrollLog
import ScrollModel

/// The state of a session after some of the log's records, computed by the policy's own steps over the events, without the
/// log's projection.
struct Standing: Sendable {
  let opening: Opening
  let openedPosition: Position
  var lastPosition: Position
  var state = FoldState()
  /// The position of each event; the first one has number 1.
  var positions: [Position] = []

  var nextNumber: Int64 { Int64(positions.count) + 1 }

  init(_ opening: Opening, at position: Position) {
    self.opening = opening
    openedPosition = position
    lastPosition = position
  }

  mutating func take(_ event: Event, at position: Position) {
    _ = opening.policy.step(&state, event)
    positions.append(position)
    lastPosition = position
  }
}
