internal import JSON
internal import Varlink

/// The replies to a call that gets many.
///
/// A stream is a sequence that waits for each reply. A `for` loop cannot throw by itself, so that each element is a
/// `Result`: its `get()` returns the reply, or throws what ended the stream. A loop thus never takes a lost connection
/// for the end.
///
///     for reply in try daemon.subscribe(SubscriptionQuery()) {
///       print(try reply.get().position)
///     }
///
/// After an error the sequence ends. Replies can be taken once: iterators of the same stream share them. To wait for a
/// limited time, or in an event loop, use ``next(timeout:)``.
public final class ReplyStream<Reply>: Sequence {
  /// Takes a stream's replies one by one.
  public struct Iterator: IteratorProtocol {
    fileprivate let stream: ReplyStream

    /// Waits for the next reply.
    ///
    /// - Returns: The reply, or the error that ended the stream; `nil` after the end.
    public mutating func next() -> Result<Reply, ServiceError>? {
      do throws(ServiceError) {
        guard case .element(let reply) = try stream.next() else { return nil }
        return .success(reply)
      } catch {
        return .failure(error)
      }
    }
  }

  private let connection: ServiceConnection
  private let decode: (ReplyMembers) throws(ReplyMembers.Unexpected) -> Reply?
  /// A reply that arrived while the stream was being set up.
  private var early: Reply?
  private var hasEnded = false

  /// Calls a method that streams its replies.
  ///
  /// - Parameter decode: Reads a reply; `nil` for one that carries no element, such as a heartbeat.
  init(
    _ connection: ServiceConnection, _ method: String, _ members: (inout JSONWriter) -> Void,
    _ decode: @escaping (ReplyMembers) throws(ReplyMembers.Unexpected) -> Reply?
  ) throws(ServiceError) {
    self.connection = connection
    self.decode = decode
    try connection.send(method, mode: .more, members)
  }

  /// The connection's socket, to poll(2) together with others after ``next(timeout:)`` returned
  /// ``NextElement/timedOut``.
  public var descriptor: Int32 { connection.descriptor }

  /// Returns an iterator over the replies that nobody has taken yet.
  public func makeIterator() -> Iterator { Iterator(stream: self) }

  /// Waits for the next reply.
  ///
  /// - Parameter timeout: How long to wait; without a limit when `nil`.
  /// - Throws: ``ServiceError``, which ends the stream.
  public func next(timeout: Duration? = nil) throws(ServiceError) -> NextElement<Reply> {
    if let early {
      self.early = nil
      return .element(early)
    }
    let deadline = timeout.map { ContinuousClock.now + $0 }
    while !hasEnded {
      switch try receive(until: deadline) {
      case .reply(let reply?, continues: _): return .element(reply)
      case .reply(nil, continues: _): continue
      case .timedOut: return .timedOut
      }
    }
    return .ended
  }

  /// Waits until the daemon's first reply shows that it has set up the stream.
  func waitUntilEstablished() throws(ServiceError) {
    if case .reply(let reply, continues: _) = try receive(until: nil) { early = reply }
  }

  private func receive(
    until deadline: ContinuousClock.Instant?
  ) throws(ServiceError) -> ServiceConnection.Reception<Reply?> {
    do throws(ServiceError) {
      let reception = try connection.receive(timeout: deadline.map { Swift.max(.zero, $0 - .now) }, decode)
      if case .reply(_, continues: false) = reception { hasEnded = true }
      return reception
    } catch {
      hasEnded = true
      throw error
    }
  }
}
