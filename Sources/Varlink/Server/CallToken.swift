// The name under which a call that was taken is answered.

/// Names one call on one server connection, so that it can be answered later.
public struct CallToken: Hashable, Sendable {
  /// Counts the connection's calls of the same kind, answered or oneway, from 0.
  let sequence: UInt64
  /// Nothing is ever sent for this call.
  public let isOneway: Bool
  /// The caller takes more than one reply.
  public let wantsMore: Bool
}
