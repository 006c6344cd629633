/// The state of a server connection that resumes elsewhere, such as in a new process that receives the socket.
public struct SuspendedConnection: Equatable, Sendable {
  /// The bytes that were received and not yet processed: an incomplete message, or calls that wait.
  public var input: [UInt8]
  /// The bytes to send.
  public var output: [UInt8]
  /// Whether the peer has closed its side.
  public var hasReceivedEnd: Bool
  /// Whether a call with `more` is in progress and gets its next replies after the connection resumes.
  public var isStreaming: Bool

  /// Creates a state from its parts.
  public init(input: [UInt8] = [], output: [UInt8] = [], hasReceivedEnd: Bool = false, isStreaming: Bool = false) {
    self.input = input
    self.output = output
    self.hasReceivedEnd = hasReceivedEnd
    self.isStreaming = isStreaming
  }
}
