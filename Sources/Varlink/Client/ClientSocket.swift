// A client connection over a Unix socket, which waits.

import Glibc
import JSON

/// A client connection over a Unix socket. Its methods wait, so it is for tools and tests, not for event loops.
///
///     let socket = try ClientSocket(VarlinkAddress("unix:/run/example/socket"))
///     let pong = try socket.call("org.example.Ping") {
///       $0.member("ping", "hello")
///     } reply: { p in
///       try p.string("pong")
///     }
public final class ClientSocket {
  /// The socket, which is closed with this object.
  public let descriptor: Int32
  /// The connection's state, for whoever wants to queue calls.
  public let connection: ClientConnection

  private let address: String
  private let parser = JSONParser()

  /// Connects to a service.
  public init(_ address: VarlinkAddress, maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize)
    throws(SocketError)
  {
    descriptor = try address.connectedSocket()
    connection = ClientConnection(maximumMessageSize: maximumMessageSize)
    self.address = address.description
  }

  /// Takes over a socket that is connected.
  public init(descriptor: Int32, maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize) {
    self.descriptor = descriptor
    connection = ClientConnection(maximumMessageSize: maximumMessageSize)
    address = "descriptor \(descriptor)"
  }

  deinit {
    close(descriptor)
  }

  // MARK: One call, one reply

  /// Calls a method and waits for its reply, when no other call awaits one.
  ///
  /// - Parameters:
  ///   - method: The whole name, interface and member.
  ///   - timeout: How long to wait; forever when nil.
  ///   - members: Writes the parameters, members of an object that is begun already.
  ///   - read: Reads the reply's parameters, which are valid until it returns.
  /// - Throws: `VarlinkError` when the reply is an error; `SocketError`, with `ETIMEDOUT` when there was no reply in
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
    guard let result else { throw SocketError.failed(doing: "waiting for", address: address, errno: ETIMEDOUT) }
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
      let ready = try wait(for: hasReceivedEnd ? POLLOUT : POLLIN | POLLOUT, deadline: nil)
      if ready & POLLIN != 0 { try receiveSome() }
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
      guard try wait(for: POLLIN, deadline: deadline) != 0 else { return nil }
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
    let ready = try wait(for: connection.outputCount > 0 ? POLLIN | POLLOUT : POLLIN, deadline: deadline)
    if ready & POLLOUT != 0, connection.outputCount > 0 { _ = try sendSome() }
    if ready & POLLIN != 0 { try receiveSome() }
  }

  /// Ends this side of the connection: the service still answers what it has got.
  public func shutdownSending() throws(SocketError) {
    try flush()
    guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw failure("ending") }
  }

  // MARK: The socket

  /// Whether the service has ended its side.
  public private(set) var hasReceivedEnd = false

  /// Sends once; false when the socket takes nothing now.
  private func sendSome() throws(SocketError) -> Bool {
    let sent = connection.withUnsafeOutput {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    if sent >= 0 {
      connection.consumeOutput(sent)
      return true
    }
    if errno == EINTR { return true }
    if errno == EAGAIN { return false }
    throw failure("sending to")
  }

  /// Receives once, without waiting.
  private func receiveSome() throws(SocketError) {
    let received = withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { room -> Int in
      let received = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
      if received > 0 { connection.receive(UnsafeRawBufferPointer(rebasing: room[..<received])) }
      return received
    }
    if received == 0 {
      hasReceivedEnd = true
      connection.receiveEnd()
    } else if received < 0 && errno != EINTR && errno != EAGAIN {
      throw failure("receiving from")
    }
  }

  /// Waits until the socket is ready for one of `events`; 0 when the deadline has passed.
  private func wait(for events: Int32, deadline: ContinuousClock.Instant?) throws(SocketError) -> Int32 {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, deadline.map(Self.milliseconds) ?? -1)
      if count > 0 {
        // Errors and hang-ups show when the socket is used.
        let ready = Int32(entry.revents)
        return ready & (POLLERR | POLLHUP) == 0 ? ready : events
      }
      if count < 0 && errno != EINTR { throw failure("waiting for") }
      if let deadline, ContinuousClock.now >= deadline { return 0 }
    }
  }

  /// How long until then, rounded up, so that it isn't polled in a circle at the end.
  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    let (seconds, attoseconds) = max(.zero, deadline - .now).components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  private func failure(_ doing: String) -> SocketError {
    .failed(doing: doing, address: address, errno: errno)
  }
}
