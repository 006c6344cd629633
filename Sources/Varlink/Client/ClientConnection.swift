// The client's side of one connection: calls in, bytes out, bytes in, replies out.

import JSON

/// The client's side of one connection, as a state machine that does no I/O.
///
///     let token = connection.call("org.example.Ping") { $0.member("ping", "hello") }
///     … send the output, receive bytes …
///     try connection.nextReply(using: parser) { reply in
///       var p = try reply.parameters()
///       print(try p.string("pong"))
///     }
///
/// Any number of calls may be under way; replies come in the order of the calls.
public final class ClientConnection {
  private var input: MessageBuffer
  private var output = ByteBuffer()
  /// Calls that await replies, in their order; those before `gone` have got them all.
  private var awaiting: [ClientCallToken] = []
  private var gone = 0
  private var calls: UInt64 = 0
  /// What the peer did against the protocol; nothing after it is looked at.
  private var violation: ProtocolViolation?
  private var hasReceivedEnd = false

  /// A connection that has just begun.
  ///
  /// - Parameter maximumMessageSize: The longest reply that is accepted, in bytes without its NUL.
  public init(maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize) {
    input = MessageBuffer(maximumMessageSize: maximumMessageSize)
  }

  // MARK: Calls

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - method: The whole name, interface and member.
  ///   - mode: How many replies are wanted.
  ///   - members: Writes the parameters, members of an object that is begun already.
  /// - Returns: What the replies carry.
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
    let token = ClientCallToken(sequence: calls, mode: mode)
    calls += 1
    if mode != .oneway { awaiting.append(token) }
    return token
  }

  /// Whether calls await replies.
  public var awaitsReplies: Bool { gone < awaiting.count }

  // MARK: Output

  /// Calls `body` with the bytes that are to be sent.
  public func withUnsafeOutput<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try output.withUnsafeReadableBytes(body)
  }

  /// Takes the first `count` bytes away, which were sent.
  public func consumeOutput(_ count: Int) {
    output.consume(count)
  }

  /// How many bytes are to be sent.
  public var outputCount: Int { output.count }

  // MARK: Replies

  /// Takes bytes that the peer sent, in pieces of any size. Not to be called by the closure that handles a reply.
  public func receive(_ bytes: UnsafeRawBufferPointer) {
    guard violation == nil, !hasReceivedEnd else { return }
    input.append(bytes)
  }

  /// Takes it that the peer ended its side.
  public func receiveEnd() {
    hasReceivedEnd = true
  }

  /// Takes the next reply, if one has been received whole, and hands it to `body`, which must not use `parser`.
  ///
  /// - Returns: What `body` returns; nil when there is no reply yet.
  /// - Throws: `ProtocolViolation`, again whenever it is called after it, or what `body` throws, after which it goes on
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

  private func read(
    _ message: UnsafeRawBufferPointer, _ parser: JSONParser
  ) throws(ProtocolViolation) -> Reply {
    guard message.count > 0 else { throw .emptyMessage }
    let value: JSONValue
    do { value = try parser.value(padded: message) } catch { throw .notJSON(error) }
    let envelope = try ReplyEnvelope(value)
    guard awaitsReplies else { throw .replyNotAwaited }
    let token = awaiting[gone]
    if envelope.continues {
      guard token.mode == .more else { throw .unexpectedContinues }
    } else {
      endFirst()
    }
    return Reply(
      token: token, continues: envelope.continues, errorName: envelope.error, parameterObject: envelope.parameters)
  }

  private func endFirst() {
    gone += 1
    if gone == awaiting.count || (gone >= 64 && gone * 2 >= awaiting.count) {
      awaiting.removeFirst(gone)
      gone = 0
    }
  }
}
