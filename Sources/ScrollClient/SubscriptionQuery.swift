internal import JSON
import ScrollModel

/// What a subscriber asks for.
public struct SubscriptionQuery: Equatable, Sendable {
  /// How much the daemon sends.
  public enum Detail: String, Sendable {
    /// Openings, transitions and closings.
    case transitions
    /// The state after every event as well. A slow reader gets only the newest state of each client.
    case frames
  }

  /// Globs over client names; when empty, every client that the caller may see.
  public var clients: [String] = []
  /// The last position that the subscriber has seen; without it the stream begins with the current states.
  public var after: Position?
  /// The log's generation when the subscriber saw that position.
  public var generation: Int64?
  /// How much the daemon sends.
  public var detail = Detail.transitions

  /// Creates a query for the current states and all transitions of all clients.
  public init() {}

  func writeMembers(to writer: inout JSONWriter) {
    if !clients.isEmpty { writer.member("clients", clients) }
    writer.member("after", ifPresent: after)
    writer.member("generation", ifPresent: generation)
    if detail != .transitions { writer.member("detail", detail.rawValue) }
  }
}
