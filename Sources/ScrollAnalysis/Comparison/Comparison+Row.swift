// One event at which compared policies differ.

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
}
