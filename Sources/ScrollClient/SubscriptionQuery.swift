// What a subscriber asks for.

import JSON
import ScrollModel

/// What a subscriber asks for.
public struct SubscriptionQuery: Equatable, Sendable {
  /// How much is told.
  public enum Detail: String, Sendable {
    /// Openings, transitions and closings.
    case transitions
    /// The state after every event as well; the newest wins when the reader is slow.
    case frames
  }

  /// Globs over client names; every client that the caller may see when there are none.
  public var clients: [String] = []
  /// The last position that was seen already; without it the stream begins with the present states.
  public var after: Position?
  /// The generation in which that position was seen.
  public var generation: Int64?
  /// How much is told.
  public var detail = Detail.transitions

  /// A query for the present states and all transitions of all clients.
  public init() {}

  func writeMembers(to writer: inout JSONWriter) {
    if !clients.isEmpty { writer.member("clients", clients) }
    writer.member("after", ifPresent: after)
    writer.member("generation", ifPresent: generation)
    if detail != .transitions { writer.member("detail", detail.rawValue) }
  }
}
