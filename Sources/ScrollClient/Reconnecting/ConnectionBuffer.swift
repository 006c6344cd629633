internal import Varlink

/// The bytes of a connection to the daemon, for programs that do their own I/O.
///
/// Give a new buffer to ``Feed`` or ``Watch`` for each connection, send its output, and pass it what the socket receives.
public final class ConnectionBuffer {
  let connection = ClientConnection()

  /// Creates the buffer of a new connection.
  public init() {}

  /// The number of bytes to send.
  public var outputCount: Int { connection.outputCount }

  /// Calls `body` with the bytes to send.
  public func withUnsafeOutput<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try connection.withUnsafeOutput(body)
  }

  /// Marks the first `count` bytes of the output as sent.
  public func consumeOutput(_ count: Int) { connection.consumeOutput(count) }

  /// Appends bytes that the socket received.
  public func receive(_ bytes: UnsafeRawBufferPointer) { connection.receive(bytes) }
}
