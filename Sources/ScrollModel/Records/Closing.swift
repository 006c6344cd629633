/// The end of a session.
public struct Closing: Equatable, Sendable {
  /// Why a session ended. The raw value is the reason's number in the log.
  public enum Reason: UInt8, CaseIterable, Sendable {
    /// The client closed it.
    case asked = 0
    /// The client opened another session.
    case reopened = 1
    /// The session was idle for too long.
    case idle = 2
    /// The connection that opened it was closed.
    case disconnected = 3
    /// A manager had it forgotten.
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

  /// When it was closed, in microseconds since the Unix epoch, by the client's clock if the client gave a time, else by the
  /// daemon's.
  public var time: Int64
  /// Why it was closed.
  public var reason: Reason

  /// Creates a closing from its time and reason.
  public init(time: Int64, reason: Reason) {
    self.time = time
    self.reason = reason
  }
}
