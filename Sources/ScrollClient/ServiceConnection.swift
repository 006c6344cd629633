internal import JSON
internal import Varlink

/// A connection to the daemon. Calls wait for their replies. A stream has the connection to itself until it ends.
///
///     let daemon = try ServiceConnection(.standard())
///     for state in try daemon.list() { print(state.client, state.toolbar) }
public final class ServiceConnection {
  /// The daemon's address.
  public let address: ServiceAddress

  private let socket: ClientSocket

  /// Connects to a daemon.
  ///
  /// - Throws: ``ServiceError/cannotConnect(_:code:)`` or ``ServiceError/addressTooLong(_:)``.
  public init(_ address: ServiceAddress) throws(ServiceError) {
    self.address = address
    do {
      socket = try ClientSocket(address.varlinkAddress)
    } catch {
      throw ServiceError(error, connectingTo: address)
    }
  }

  /// The socket, to poll(2) together with others. Received bytes may already be in a buffer, so ask for replies first.
  public var descriptor: Int32 { socket.descriptor }

  // MARK: One call, one reply

  /// Calls a method and waits for its reply.
  ///
  /// - Parameters:
  ///   - method: The full name, with the interface.
  ///   - members: Writes the parameters as members of an object.
  ///   - read: Reads the reply's parameters, which are valid until it returns.
  /// - Throws: ``ServiceError``.
  func call<Result>(
    _ method: String, _ members: (inout JSONWriter) -> Void = { _ in },
    _ read: (ReplyMembers) throws(ReplyMembers.Unexpected) -> Result
  ) throws(ServiceError) -> Result {
    try send(method, members)
    return try receiveOne(read)
  }

  // MARK: Many calls, many replies

  /// Sends a call, whose reply ``receive(timeout:_:)`` returns. Replies arrive in the order of the calls.
  func send(
    _ method: String, mode: CallMode = .once, _ members: (inout JSONWriter) -> Void
  ) throws(ServiceError) {
    do { try socket.send(method, mode, members) } catch { throw ServiceError(error, talkingTo: address) }
  }

  /// The outcome of waiting for a reply.
  enum Reception<Result> {
    case reply(Result, continues: Bool)
    case timedOut
  }

  /// Waits for the next reply without a limit.
  func receiveOne<Result>(
    _ read: (ReplyMembers) throws(ReplyMembers.Unexpected) -> Result
  ) throws(ServiceError) -> Result {
    switch try receive(read) {
    case .reply(let result, continues: _): return result
    case .timedOut: throw .timedOut(address)
    }
  }

  /// Waits for the next reply.
  ///
  /// - Parameter timeout: How long to wait; without a limit when `nil`.
  func receive<Result>(
    timeout: Duration? = nil, _ read: (ReplyMembers) throws(ReplyMembers.Unexpected) -> Result
  ) throws(ServiceError) -> Reception<Result> {
    let received: Swift.Result<Reception<Result>, ServiceError>?
    do {
      received = try socket.nextReply(timeout: timeout) { reply in
        if let error = reply.error { return .failure(.refused(ServiceRefusal(error))) }
        do throws(ReplyMembers.Unexpected) {
          return .success(.reply(try read(ReplyMembers(reply.parameterObject)), continues: reply.continues))
        } catch {
          return .failure(.unexpectedReply(address, what: MalformedReport.text(about: error.name)))
        }
      }
    } catch let error as SocketError {
      throw ServiceError(error, talkingTo: address)
    } catch {
      throw .unexpectedReply(address, what: "\(error)")
    }
    return try received?.get() ?? .timedOut
  }

  /// Passes the replies to a call that gets many to `body`, in the daemon's own bytes, for as long as it takes them.
  ///
  /// - Parameter body: Returns whether more replies follow; `nil` for one that ``receive(timeout:_:)`` has to take.
  /// - Returns: Whether there is such a reply.
  /// - Throws: ``ServiceError``, or the error of `body`.
  func receiveUnparsed(_ body: (UnsafeRawBufferPointer) throws -> Bool?) throws -> Bool {
    do {
      return try socket.takeUnparsedReplies(body)
    } catch let error as SocketError {
      throw ServiceError(error, talkingTo: address)
    }
  }
}
