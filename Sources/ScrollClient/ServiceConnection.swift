// One connection to the daemon.

import JSON
import Varlink

/// One connection to the daemon. Its calls wait for their replies; a stream has the connection for itself until it ends.
///
///     let daemon = try ServiceConnection(.standard())
///     for state in try daemon.list() { print(state.client, state.toolbar) }
public final class ServiceConnection {
  /// Where it leads.
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

  /// The socket, to wait for together with others by poll(2). Bytes that were received may stand in a buffer already, so
  /// ask for replies first.
  public var descriptor: Int32 { socket.descriptor }

  // MARK: One call, one reply

  /// Calls a method and waits for its reply.
  ///
  /// - Parameters:
  ///   - method: The whole name, interface and member.
  ///   - timeout: How long to wait; forever when `nil`.
  ///   - members: Writes the parameters, members of an object that is begun already.
  ///   - read: Reads the reply's parameters, `nil` when there are none; they are valid until it returns.
  /// - Throws: ``ServiceError``.
  func call<Result>(
    _ method: String, timeout: Duration? = nil, _ members: (inout JSONWriter) -> Void = { _ in },
    _ read: (ReplyMembers) throws(ReplyMembers.Unexpected) -> Result
  ) throws(ServiceError) -> Result {
    try send(method, members)
    switch try receive(timeout: timeout, read) {
    case .reply(let result, continues: _): return result
    case .nothingYet: throw .timedOut(address)
    }
  }

  // MARK: Many calls, many replies

  /// Sends a call whose reply ``receive(timeout:_:)`` gets; replies come in the order of the calls.
  func send(
    _ method: String, mode: CallMode = .once, _ members: (inout JSONWriter) -> Void
  ) throws(ServiceError) {
    do { try socket.send(method, mode, members) } catch { throw ServiceError(error, talkingTo: address) }
  }

  /// What waiting for a reply came to.
  enum Reception<Result> {
    case reply(Result, continues: Bool)
    /// The time is up.
    case nothingYet
  }

  /// Waits for the next reply.
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
          return .failure(.unexpectedReply(address, what: "“\(error.name)” is missing or not of its type"))
        }
      }
    } catch let error as SocketError {
      throw ServiceError(error, talkingTo: address)
    } catch {
      throw .unexpectedReply(address, what: "\(error)")
    }
    return try received?.get() ?? .nothingYet
  }
}
