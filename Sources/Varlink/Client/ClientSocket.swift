import JSON
import Platform

/// A client connection over a Unix socket. Its methods wait, so it is for tools and tests, not for event loops.
///
///     let socket = try ClientSocket(VarlinkAddress("unix:/run/example/socket"))
///     let pong = try socket.call("org.example.Ping") {
///       $0.member("ping", "hello")
///     } reply: { p in
///       try p.string("pong")
///     }
public final class ClientSocket {
  /// The socket's descriptor, which is closed with this object.
  public var descriptor: Int32 { socket.rawValue }
  /// The connection's state, for whoever wants to queue calls.
  public let connection: ClientConnection

  private let socket: FileDescriptor
  private let address: String
  private let parser = JSONParser()

  /// Connects to a service.
  public init(_ address: VarlinkAddress, maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize)
    throws(SocketError)
  {
    socket = try address.connectedSocket()
    connection = ClientConnection(maximumMessageSize: maximumMessageSize)
    self.address = address.description
  }

  /// Takes over a socket that is connected.
  public init(descriptor: Int32, maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize) {
    socket = FileDescriptor(descriptor)
    connection = ClientConnection(maximumMessageSize: maximumMessageSize)
    address = "descriptor \(descriptor)"
  }

  // MARK: One call, one reply

  /// Calls a method and waits for its reply, when no other call awaits one.
  ///
  /// - Parameters:
  ///   - method: The whole name, interface and member.
  ///   - timeout: How long to wait; forever when nil.
  ///   - members: Writes the parameters, members of an object that is begun already.
  ///   - read: Reads the reply's parameters, which are valid until it returns.
  /// - Throws: `VarlinkError` when the reply is an error; `SocketError`, with ``Errno/timedOut`` when there was no reply in
  ///   time; `ProtocolViolation`; or what `read` throws.
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

  /// Calls a method and waits for its reply, whose parameters don't matter. As `call(_:timeout:_:reply:)`.
  public func call(
    _ method: String, timeout: Duration? = nil, _ members: (inout JSONWriter) -> Void = { _ in }
  ) throws {
    try call(method, timeout: timeout, members, reply: { _ in })
  }

  // MARK: Many calls, many replies

  /// Queues a call and sends what it can without waiting for replies.
  ///
  /// While the service doesn't read, replies are received, so that neither side waits for the other.
  @discardableResult
  public func send(
    _ method: String, _ mode: CallMode = .once, _ members: (inout JSONWriter) -> Void = { _ in }
  ) throws(SocketError) -> ClientCallToken {
    let token = connection.call(method, mode, members)
    try flush()
    return token
  }

  /// Sends everything that is queued.
  public func flush() throws(SocketError) {
    while connection.outputCount > 0 {
      if try sendSome() { continue }
      let ready = try wait(for: hasReceivedEnd ? .output : [.input, .output], deadline: nil)
      if ready.contains(.input) { try receiveSome() }
    }
  }

  /// Waits for the next reply and hands it to `body`.
  ///
  /// - Returns: What `body` returns; nil when `timeout` has passed without a reply.
  /// - Throws: `SocketError`, `ProtocolViolation`, or what `body` throws.
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

  /// Sends what is queued and receives what is there, once, waiting for the one or the other to be possible; replies are
  /// taken from `connection` then. For whoever drives many calls without waiting for each.
  ///
  /// - Parameter deadline: Until when to wait; without end when nil, not at all when it has passed.
  public func exchange(until deadline: ContinuousClock.Instant?) throws(SocketError) {
    while connection.outputCount > 0, try sendSome() {}
    if hasReceivedEnd { return }
    let ready = try wait(for: connection.outputCount > 0 ? [.input, .output] : .input, deadline: deadline)
    if ready.contains(.output), connection.outputCount > 0 { _ = try sendSome() }
    if ready.contains(.input) { try receiveSome() }
  }

  /// Ends this side of the connection: the service still answers what it has got.
  public func shutdownSending() throws(SocketError) {
    try flush()
    do { try socket.borrowed.shutdownSending() } catch { throw failure("ending", error) }
  }

  // MARK: The socket

  /// Whether the service has ended its side.
  public private(set) var hasReceivedEnd = false

  /// Sends once; returns false when the socket takes nothing now.
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

  /// Receives once, without waiting.
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

  /// Waits until the socket is ready for one of `events`; returns nothing when the deadline has passed.
  private func wait(
    for events: Readiness, deadline: ContinuousClock.Instant?
  ) throws(SocketError) -> Readiness {
    do { return try socket.borrowed.wait(for: events, until: deadline) } catch { throw failure("waiting for", error) }
  }

  private func failure(_ doing: String, _ error: Errno) -> SocketError {
    .failed(doing: doing, address: address, error)
  }
}
