// What one event of a story came to, and what one expects of it.

import ScrollModel
import Testing

/// What one event of a story came to, and what one expects of it.
public struct Moment {
  let before: FoldState
  let after: FoldState
  let step: Policy.Step

  /// The toolbar was shown, and the reason hid it.
  public func hides(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(before.toolbar == .shown, sourceLocation: sourceLocation)
    #expect(after.toolbar == .hidden, sourceLocation: sourceLocation)
    #expect(step.reason?.description == reason, sourceLocation: sourceLocation)
  }

  /// The toolbar was hidden, and the reason showed it.
  public func shows(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(before.toolbar == .hidden, sourceLocation: sourceLocation)
    #expect(after.toolbar == .shown, sourceLocation: sourceLocation)
    #expect(step.reason?.description == reason, sourceLocation: sourceLocation)
  }

  /// The reason fired a trigger that left the toolbar as it was.
  public func confirms(
    _ trigger: Trigger, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(before.toolbar == after.toolbar, sourceLocation: sourceLocation)
    #expect(after.trigger == trigger, sourceLocation: sourceLocation)
    #expect(step.reason?.description == reason, sourceLocation: sourceLocation)
  }

  /// No trigger fired.
  public func decidesNothing(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(step.reason == nil, sourceLocation: sourceLocation)
    #expect(after.toolbar == before.toolbar, sourceLocation: sourceLocation)
    #expect(after.trigger == before.trigger, sourceLocation: sourceLocation)
  }
}
