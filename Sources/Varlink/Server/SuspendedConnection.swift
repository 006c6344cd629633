// What of a server connection goes on elsewhere.

/// What of a server connection goes on elsewhere, as in a new process that the socket is handed over to.
public struct SuspendedConnection: Equatable, Sendable {
  /// What was received and not looked at yet: part of a message, calls that had to wait.
  public var input: [UInt8]
  /// What is still to be sent.
  public var output: [UInt8]
  /// The peer has ended its side.
  public var hasReceivedEnd: Bool
  /// A call with `more` is under way, whose next replies come from elsewhere.
  public var isStreaming: Bool

  /// A connection of its parts.
  public init(input: [UInt8] = [], output: [UInt8] = [], hasReceivedEnd: Bool = false, isStreaming: Bool = false) {
    self.input = input
    self.output = output
    self.hasReceivedEnd = hasReceivedEnd
    self.isStreaming = isStreaming
  }
}
