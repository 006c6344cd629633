// What one of the compared policies made of one event.

import ScrollModel

extension Comparison {
  /// What one policy made of one event.
  public struct Cell: Equatable, Sendable {
    /// The watched fields after the event.
    public let view: WatchedView
    /// Which of them the event changed.
    public let changed: WatchedFields
    /// Which clause decided at this event, where a trigger fired.
    public let reason: Reason?

    /// Whether the toolbar is seen after the event.
    public var toolbar: Toolbar { view.toolbar }
    /// What last decided it.
    public var trigger: Trigger? { view.trigger }
  }
}
