import ScrollModel

extension Comparison {
  /// An event at which compared policies begin to differ, differ in another way, or agree again.
  public struct Row: Equatable, Sendable {
    /// The session's index, 0 for the first.
    public let session: Int
    /// The event's index in its session, 0 for the first.
    public let event: Int
    /// The event's time, in microseconds since the Unix epoch.
    public let time: Int64
    /// The time since the session's first event, in microseconds, ≥ 0.
    public let sinceStart: Int64
    /// The event's kind.
    public let kind: Event.Kind
    /// The watched fields in which the policies differ after the event; empty if they agree again.
    public let differing: WatchedFields
    /// The event's result under each policy, in the order of the policies.
    public let cells: [Cell]
  }
}
