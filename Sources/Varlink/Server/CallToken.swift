/// The identity of a call on a server connection, for replying later.
public struct CallToken: Hashable, Sendable {
  /// The number of the call on its connection, from 0. Oneway calls are counted separately.
  let sequence: UInt64
  /// Whether the call gets no reply.
  public let isOneway: Bool
  /// Whether the caller accepts more than one reply.
  public let wantsMore: Bool
}
