/// Why a motion event decides nothing under the default rule: its movement is not the user's scrolling.
public enum UncountedMovement: Equatable, Sendable {
  /// The feeder said that a relayout moved the content.
  case layout
  /// The feeder said that the app moved the content.
  case program
  /// The content grew above the offset, and the browser's scroll anchoring moved the offset with it, which the feeder did
  /// not say.
  case anchoring(grown: Double, isExact: Bool)
  /// The content moved against the finger, which happens only when the app shifts it.
  case againstFinger
  /// A pinch is in progress.
  case zooming
  /// No offset was known before.
  case firstOffset
  /// The finger swipes sideways.
  case sideways
}

extension SafariRule {
  /// Returns how far an event moves the content of a session in a state, and why that doesn't count as the user's scrolling;
  /// `nil` if it counts, or if the event reports no motion.
  ///
  /// - Returns: `moved` in points, positive downwards, as the rule measures it: between offsets within the bounds.
  public func uncountedMovement(of event: Event, after state: FoldState) -> (cause: UncountedMovement, moved: Double)? {
    guard event.kind == .scroll || event.kind == .dragEnd || event.kind == .scrollEnd else { return nil }
    var next = state
    next.geometry.update(with: event)
    let memory = next.memory
    let bounds = ScrollBounds(next.geometry, edgeTolerance: edgeTolerance)
    let movement = Movement(
      event, bounds, y: next.geometry.y, last: memory.last, pan: memory.pan, panX: memory.panX)
    let cause = uncountedMovement(
      movement, event.source, grown: memory.grown, guessed: memory.guessed, zooming: memory.zooming,
      isFirst: memory.last == nil)
    return cause.map { ($0, movement.moved) }
  }

  /// Clause 5: why the event decides nothing; `nil` if its movement is the user's scrolling.
  @inline(__always)
  func uncountedMovement(
    _ movement: Movement, _ source: Event.Source?, grown: Double, guessed: Bool, zooming: Bool, isFirst: Bool
  ) -> UncountedMovement? {
    switch source {
    case .layout: return .layout
    case .program: return .program
    case .user, nil: break
    }
    if let anchoring = anchoring(movement, grown: grown, guessed: guessed) { return anchoring }
    if movement.isAgainstFinger { return .againstFinger }
    if zooming { return .zooming }
    if isFirst { return .firstOffset }
    return movement.isSideways ? .sideways : nil
  }

  /// Whether the user's event moved the content exactly as far as it grew, or, once in a row, a part of a small growth.
  private func anchoring(_ movement: Movement, grown: Double, guessed: Bool) -> UncountedMovement? {
    guard movement.pull == 0, grown.magnitude > edgeTolerance else { return nil }
    let moved = movement.moved
    if (moved - grown).magnitude <= edgeTolerance { return .anchoring(grown: grown, isExact: true) }
    let isSameDirection = (moved > 0 && grown > 0) || (moved < 0 && grown < 0)
    guard !guessed, isSameDirection, moved.magnitude < grown.magnitude, grown.magnitude <= 2 * minimumRange
    else { return nil }
    return .anchoring(grown: grown, isExact: false)
  }
}
