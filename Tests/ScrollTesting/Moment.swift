import ScrollModel
import Testing

/// The result of an event of a story, and expectations about it.
public struct Moment {
  let before: FoldState
  let after: FoldState
  let step: Policy.Step

  /// Expects that the toolbar was shown and that the reason hid it.
  public func hides(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(before.toolbar == .shown, sourceLocation: sourceLocation)
    #expect(after.toolbar == .hidden, sourceLocation: sourceLocation)
    #expect(step.reason?.description == reason, sourceLocation: sourceLocation)
  }

  /// Expects that the toolbar was hidden and that the reason showed it.
  public func shows(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(before.toolbar == .hidden, sourceLocation: sourceLocation)
    #expect(after.toolbar == .shown, sourceLocation: sourceLocation)
    #expect(step.reason?.description == reason, sourceLocation: sourceLocation)
  }

  /// Expects that the reason fired a trigger without changing the toolbar.
  public func confirms(
    _ trigger: Trigger, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(before.toolbar == after.toolbar, sourceLocation: sourceLocation)
    #expect(after.trigger == trigger, sourceLocation: sourceLocation)
    #expect(step.reason?.description == reason, sourceLocation: sourceLocation)
  }

  /// Expects that no trigger fired.
  public func decidesNothing(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(step.reason == nil, sourceLocation: sourceLocation)
    #expect(after.toolbar == before.toolbar, sourceLocation: sourceLocation)
    #expect(after.trigger == before.trigger, sourceLocation: sourceLocation)
  }
}
