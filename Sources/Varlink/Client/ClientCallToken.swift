// The name of a call that a client made.

/// Names one call on one client connection; its replies carry it.
public struct ClientCallToken: Hashable, Sendable {
  /// Counts the connection's calls from 0.
  let sequence: UInt64
  let mode: CallMode
}
