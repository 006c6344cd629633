import ScrollModel

extension Comparison {
  /// The result of an event under one policy.
  public struct Cell: Equatable, Sendable {
    /// The watched fields after the event.
    public let view: WatchedView
    /// Which of them the event changed.
    public let changed: WatchedFields
    /// The clause that decided at this event, if a trigger fired.
    public let reason: Reason?

    /// Whether the toolbar is visible after the event.
    public var toolbar: Toolbar { view.toolbar }
    /// What last changed it.
    public var trigger: Trigger? { view.trigger }
  }
}
