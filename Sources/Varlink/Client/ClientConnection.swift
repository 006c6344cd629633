import JSON

/// The client's side of a connection: a state machine that does no I/O.
///
///     let token = connection.call("org.example.Ping") { $0.member("ping", "hello") }
///     … send the output, receive bytes …
///     try connection.nextReply(using: parser) { reply in
///       var p = try reply.parameters()
///       print(try p.string("pong"))
///     }
///
/// Any number of calls may be in progress; the replies arrive in the order of the calls.
public final class ClientConnection {
  /// The default maximum length of a reply, in bytes: 16 MiB.
  public static let defaultMaximumMessageSize = 16 * 1024 * 1024

  private var input: MessageBuffer
  private var output = ByteBuffer()
  /// The calls in order. Those before `firstAwaiting` have received all their replies.
  private var awaiting: [ClientCallToken] = []
  private var firstAwaiting = 0
  private var callCount: UInt64 = 0
  /// The peer's protocol violation; the connection ignores all input after it.
  private var violation: ProtocolViolation?
  private var hasReceivedEnd = false

  /// Creates the state of a new connection.
  ///
  /// - Parameter maximumMessageSize: The maximum length of a reply, in bytes without its NUL.
  public init(maximumMessageSize: Int = ClientConnection.defaultMaximumMessageSize) {
    input = MessageBuffer(maximumMessageSize: maximumMessageSize)
  }

  // MARK: Calls

  /// Queues a call of a method.
  ///
  /// - Parameters:
  ///   - method: The full name.
  ///   - mode: The number of replies to ask for.
  ///   - members: Writes the parameters as members of an object that has already begun.
  /// - Returns: The token that the replies carry.
  @discardableResult
  public func call(
    _ method: String, _ mode: CallMode = .once, _ members: (inout JSONWriter) -> Void = { _ in }
  ) -> ClientCallToken {
    output.appendJSON { writer in
      writer.beginObject()
      writer.member("method", method)
      switch mode {
      case .once: break
      case .more: writer.member("more", true)
      case .oneway: writer.member("oneway", true)
      }
      writer.key("parameters")
      writer.beginObject()
      members(&writer)
      writer.endObject()
      writer.endObject()
    }
    output.append(0)
    let token = ClientCallToken(sequence: callCount, mode: mode)
    callCount += 1
    if mode != .oneway { awaiting.append(token) }
    return token
  }

  /// Whether any call awaits a reply.
  public var awaitsReplies: Bool { firstAwaiting < awaiting.count }

  // MARK: Output

  /// Calls `body` with the bytes to send.
  public func withUnsafeOutput<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try output.withUnsafeReadableBytes(body)
  }

  /// Marks the first `count` bytes of output as sent.
  public func consumeOutput(_ count: Int) {
    output.consume(count)
  }

  /// The number of bytes to send.
  public var outputCount: Int { output.count }

  // MARK: Replies

  /// Adds bytes that the peer sent, in pieces of any size. Don't call it from the closure that handles a reply.
  public func receive(_ bytes: UnsafeRawBufferPointer) {
    guard violation == nil, !hasReceivedEnd else { return }
    input.append(bytes)
  }

  /// Records that the peer closed its side of the connection.
  public func receiveEnd() {
    hasReceivedEnd = true
  }

  /// Passes the next complete reply to `body`, which must not use `parser`.
  ///
  /// - Returns: The result of `body`; nil when no reply is complete yet.
  /// - Throws: `ProtocolViolation`, also from each later call; or the error of `body`, after which you can continue
  ///   with the next reply.
  public func nextReply<R>(using parser: JSONParser, _ body: (Reply) throws -> R) throws -> R? {
    if let violation { throw violation }
    var result: Result<R, any Error>?
    do throws(ProtocolViolation) {
      guard let length = try input.firstMessageLength() else {
        if hasReceivedEnd && input.count > 0 { throw .messageCutOff }
        return nil
      }
      try input.withMessage(length: length) { message in
        Result { () throws(ProtocolViolation) in
          let reply = try read(message, parser)
          result = Result { try body(reply) }
        }
      }.get()
      input.consume(messageLength: length)
    } catch {
      violation = error
      input.removeAll()
      throw error
    }
    return try result?.get()
  }

  /// Why ``takeUnparsedReplies(_:)`` took no more replies.
  public enum UnparsedEnd: Sendable {
    /// The last reply to the call was taken.
    case ended
    /// The next reply has to be parsed, or is an error of the peer: ``nextReply(using:_:)`` tells.
    case other
    /// No other reply is complete yet.
    case incomplete
  }

  /// Passes replies to a call in the mode `more` to `body`, as they are, for as long as it takes them. Programs that read
  /// millions of replies do so in a fraction of the time of ``nextReply(using:_:)``.
  ///
  /// - Parameter body: Gets the JSON text of a reply. It returns whether more replies follow, as the text says; `nil` for a
  ///   reply that it doesn't take.
  /// - Throws: The error of `body`, after which you can continue with the next reply.
  public func takeUnparsedReplies(_ body: (UnsafeRawBufferPointer) throws -> Bool?) throws -> UnparsedEnd {
    guard violation == nil, awaitsReplies, awaiting[firstAwaiting].mode == .more else { return .other }
    while true {
      let found: Int?
      do throws(ProtocolViolation) { found = try input.firstMessageLength() } catch { return .other }
      guard let length = found else { return .incomplete }
      let taken = input.withMessage(length: length) { message in Result { try body(message) } }
      if case .success(nil) = taken { return .other }
      input.consume(messageLength: length)
      if try taken.get() == false {
        endFirst()
        return .ended
      }
    }
  }

  private func read(
    _ message: UnsafeRawBufferPointer, _ parser: JSONParser
  ) throws(ProtocolViolation) -> Reply {
    guard message.count > 0 else { throw .emptyMessage }
    let value: JSONValue
    do { value = try parser.value(padded: message) } catch { throw .notJSON(error) }
    let envelope = try ReplyEnvelope(value)
    guard awaitsReplies else { throw .replyNotAwaited }
    let token = awaiting[firstAwaiting]
    if envelope.continues {
      guard token.mode == .more else { throw .unexpectedContinues }
    } else {
      endFirst()
    }
    return Reply(
      token: token, continues: envelope.continues, errorName: envelope.error, parameterObject: envelope.parameters)
  }

  private func endFirst() {
    firstAwaiting += 1
    if firstAwaiting == awaiting.count || (firstAwaiting >= 64 && firstAwaiting * 2 >= awaiting.count) {
      awaiting.removeFirst(firstAwaiting)
      firstAwaiting = 0
    }
  }
}
