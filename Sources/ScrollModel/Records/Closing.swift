// How a session ended.

/// How a session ended.
public struct Closing: Equatable, Sendable {
  /// Why a session ended. The raw value is the reason's number in the log.
  public enum Reason: UInt8, CaseIterable, Sendable {
    /// The client asked for it.
    case asked = 0
    /// The client was opened anew.
    case reopened = 1
    /// Nothing came for too long.
    case idle = 2
    /// The connection that opened it is gone.
    case disconnected = 3
    /// It was forgotten.
    case forgotten = 4

    /// The reason's name on the wire.
    public var name: StaticString {
      switch self {
      case .asked: "asked"
      case .reopened: "reopened"
      case .idle: "idle"
      case .disconnected: "disconnected"
      case .forgotten: "forgotten"
      }
    }
  }

  /// When it was closed, microseconds since the Unix epoch by the daemon's clock.
  public var time: Int64
  /// Why.
  public var reason: Reason

  /// A closing of its time and reason.
  public init(time: Int64, reason: Reason) {
    self.time = time
    self.reason = reason
  }
}
