/// The identity of a call on a client connection, which each reply to the call carries.
public struct ClientCallToken: Hashable, Sendable {
  /// The number of the call on its connection, from 0.
  let sequence: UInt64
  let mode: CallMode
}
