// One event at which compared policies differ, and what each made of it.

import ScrollModel

extension Comparison {
  /// One event at which compared policies begin to differ, differ in another way, or agree again.
  public struct Row: Equatable, Sendable {
    /// Which session, 0 for the first.
    public let session: Int
    /// Which of its events, 0 for the first.
    public let event: Int
    /// The event's time, microseconds since the Unix epoch.
    public let time: Int64
    /// The event's kind.
    public let kind: Event.Kind
    /// The watched fields in which the policies differ after the event; none where they agree again.
    public let differing: WatchedFields
    /// What each policy made of the event, in the order of the policies.
    public let cells: [Cell]
  }

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
