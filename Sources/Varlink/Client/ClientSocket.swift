import JSON
import Platform

/// A client connection over a Unix socket. Its methods block, so use it in tools and tests, not in event loops.
///
///     let socket = try ClientSocket(VarlinkAddress("unix:/run/example/socket"))
///     let pong = try socket.call("org.example.Ping") {
///       $0.member("ping", "hello")
///     } reply: { p in
///       try p.string("pong")
///     }
public final class ClientSocket {
  /// The descriptor of the socket. Releasing this object closes it.
  public var descriptor: Int32 { socket.rawValue }
  /// The state of the connection. Use it to queue calls without sending them.
  public let connection: ClientConnection

  private let socket: FileDescriptor
  private let address: String
  private let parser = JSONParser()

  /// Connects to the service at an address.
  public init(_ address: VarlinkAddress, maximumMessageSize: Int = ClientConnection.defaultMaximumMessageSize)
    throws(SocketError)
  {
    socket = try address.connectedSocket()
    connection = ClientConnection(maximumMessageSize: maximumMessageSize)
    self.address = address.description
  }

  /// Takes ownership of a connected socket.
  public init(descriptor: Int32, maximumMessageSize: Int = ClientConnection.defaultMaximumMessageSize) {
    socket = FileDescriptor(descriptor)
    connection = ClientConnection(maximumMessageSize: maximumMessageSize)
    address = "descriptor \(descriptor)"
  }

  // MARK: One call, one reply

  /// Calls a method and waits for its reply. No other call may be awaiting one.
  ///
  /// - Parameters:
  ///   - method: The full name.
  ///   - timeout: How long to wait; nil means forever.
  ///   - members: Writes the parameters as members of an object that has already begun.
  ///   - read: Reads the reply's parameters, which are valid until it returns.
  /// - Throws: `VarlinkError` when the reply is an error; `SocketError`, with ``Errno/timedOut`` after the timeout;
  ///   `ProtocolViolation`; or the error of `read`.
  @discardableResult
  public func call<R>(
    _ method: String, timeout: Duration? = nil, _ members: (inout JSONWriter) -> Void = { _ in },
    reply read: (inout ParameterReader) throws -> R
  ) throws -> R {
    precondition(!connection.awaitsReplies, "another call awaits a reply")
    connection.call(method, .once, members)
    let result = try nextReply(timeout: timeout) { reply in
      var parameters = try reply.parameters()
      return try read(&parameters)
    }
    guard let result else { throw SocketError.failed(doing: "waiting for", address: address, .timedOut) }
    return result
  }

  /// Calls a method like `call(_:timeout:_:reply:)`, and ignores the parameters of the reply.
  public func call(
    _ method: String, timeout: Duration? = nil, _ members: (inout JSONWriter) -> Void = { _ in }
  ) throws {
    try call(method, timeout: timeout, members, reply: { _ in })
  }

  // MARK: Many calls, many replies

  /// Queues a call and sends all queued bytes without waiting for replies.
  ///
  /// While the service doesn't read, it receives replies, so that the two sides never wait for each other.
  @discardableResult
  public func send(
    _ method: String, _ mode: CallMode = .once, _ members: (inout JSONWriter) -> Void = { _ in }
  ) throws(SocketError) -> ClientCallToken {
    let token = connection.call(method, mode, members)
    try flush()
    return token
  }

  /// Sends all queued bytes.
  public func flush() throws(SocketError) {
    while connection.outputCount > 0 {
      if try sendSome() { continue }
      let ready = try wait(for: hasReceivedEnd ? .output : [.input, .output], deadline: nil)
      if ready.contains(.input) { try receiveSome() }
    }
  }

  /// Waits for the next reply and passes it to `body`.
  ///
  /// - Returns: The result of `body`; nil when no reply arrives before the timeout.
  /// - Throws: `SocketError`, `ProtocolViolation`, or the error of `body`.
  public func nextReply<R>(timeout: Duration? = nil, _ body: (Reply) throws -> R) throws -> R? {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    try flush()
    while true {
      if let result = try connection.nextReply(using: parser, body) { return result }
      if hasReceivedEnd { throw SocketError.closedByPeer(address: address) }
      guard try !wait(for: .input, deadline: deadline).isEmpty else { return nil }
      try receiveSome()
    }
  }

  /// Passes replies to `body` as they arrive, like ``ClientConnection/takeUnparsedReplies(_:)``, and waits for more.
  ///
  /// - Returns: Whether there is a reply that `body` didn't take, or an error, for ``nextReply(timeout:_:)``; `false` after the
  ///   last reply to the call.
  /// - Throws: `SocketError`, or the error of `body`.
  public func takeUnparsedReplies(_ body: (UnsafeRawBufferPointer) throws -> Bool?) throws -> Bool {
    try flush()
    while true {
      switch try connection.takeUnparsedReplies(body) {
      case .ended: return false
      case .other: return true
      case .incomplete where hasReceivedEnd: return true
      case .incomplete:
        _ = try wait(for: .input, deadline: nil)
        try receiveSome()
      }
    }
  }

  /// Waits until the socket can send or receive, then does so once.
  ///
  /// Use it to make many calls without waiting for each: queue them on `connection`, and take the replies from it.
  ///
  /// - Parameter deadline: When to stop waiting; nil means never, and a time in the past means not to wait.
  public func exchange(until deadline: ContinuousClock.Instant?) throws(SocketError) {
    while connection.outputCount > 0, try sendSome() {}
    if hasReceivedEnd { return }
    let ready = try wait(for: connection.outputCount > 0 ? [.input, .output] : .input, deadline: deadline)
    if ready.contains(.output), connection.outputCount > 0 { _ = try sendSome() }
    if ready.contains(.input) { try receiveSome() }
  }

  /// Closes this side of the connection. The service still replies to the calls that it has received.
  public func shutdownSending() throws(SocketError) {
    try flush()
    do { try socket.borrowed.shutdownSending() } catch { throw failure("ending", error) }
  }

  // MARK: The socket

  /// Whether the service has closed its side of the connection.
  public private(set) var hasReceivedEnd = false

  /// Sends once, without blocking; returns false when the socket accepts no bytes.
  private func sendSome() throws(SocketError) -> Bool {
    do throws(Errno) {
      let sent = try connection.withUnsafeOutput { (bytes) throws(Errno) in
        try socket.borrowed.send(bytes, waits: false)
      }
      connection.consumeOutput(sent)
      return true
    } catch {
      if error == .wouldBlock { return false }
      throw failure("sending to", error)
    }
  }

  /// Receives once, without blocking.
  private func receiveSome() throws(SocketError) {
    let received = withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { room in
      Result { () throws(Errno) in
        let count = try socket.borrowed.receive(into: room, waits: false)
        connection.receive(UnsafeRawBufferPointer(rebasing: room[..<count]))
        return count
      }
    }
    do throws(Errno) {
      guard try received.get() == 0 else { return }
      hasReceivedEnd = true
      connection.receiveEnd()
    } catch {
      if error != .wouldBlock { throw failure("receiving from", error) }
    }
  }

  /// Waits until the socket is ready for one of `events`; returns the empty set after the deadline.
  private func wait(
    for events: Readiness, deadline: ContinuousClock.Instant?
  ) throws(SocketError) -> Readiness {
    do { return try socket.borrowed.wait(for: events, until: deadline) } catch { throw failure("waiting for", error) }
  }

  private func failure(_ doing: String, _ error: Errno) -> SocketError {
    .failed(doing: doing, address: address, error)
  }
}
