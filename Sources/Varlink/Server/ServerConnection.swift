import JSON

/// The server's side of a connection: a state machine that does no I/O.
///
/// Pass it the received bytes, handle its calls, and send its output:
///
///     connection.receive(bytes)
///     while connection.nextCall(using: parser, handle) {}
///     let sent = connection.withUnsafeOutput { send(descriptor, $0.baseAddress, $0.count, MSG_NOSIGNAL) }
///     connection.consumeOutput(sent)
///     if connection.isFinished { close(descriptor) }
///
/// Replies are sent in the order of the calls, in whatever order you give them. After a protocol violation the
/// connection handles no more calls: `violation` is set, and `isFinished` becomes true once the earlier calls have been
/// answered.
///
/// A message above the size limit can get an error before the connection ends. Its peer may still be sending it, and would
/// see a broken pipe rather than the error if you closed the socket at once. So the connection discards the rest: shut down
/// only the sending side when `hasSentLastReply` is true, and close the socket when `isFinished` is.
///
/// Its properties are not checked for overlapping changes: it is used from one thread, none of its methods calls itself while
/// it changes one, and the checks would take a tenth of the time that a small call takes.
public final class ServerConnection {
  /// The default maximum length of a message, in bytes: 1 MiB.
  public static let defaultMaximumMessageSize = 1024 * 1024

  /// How much the connection discards of a message above the maximum length, in bytes: 64 MiB.
  public static let maximumDiscardedSize = 64 * 1024 * 1024

  /// The maximum number of bytes to receive while a call blocks those after it.
  private static let waitingInputBound = 64 * 1024

  /// The peer's protocol violation. The connection ignores all input after it.
  @exclusivity(unchecked) public private(set) var violation: ProtocolViolation?

  /// Whether the peer has closed its side. It still gets its replies.
  @exclusivity(unchecked) public private(set) var hasReceivedEnd = false

  @exclusivity(unchecked) private var input: MessageBuffer
  @exclusivity(unchecked) private var output = ByteBuffer()
  @exclusivity(unchecked) private var isAbandoned = false
  /// The buffer in which delayed replies are encoded.
  @exclusivity(unchecked) private var scratch = ByteBuffer()
  @exclusivity(unchecked) private var pending = PendingCalls()
  /// The call that must end before the next call is handled.
  @exclusivity(unchecked) private var blockingCall: CallToken?
  /// The message of the blocking call, without spaces between its tokens; empty once it need not be handled again.
  @exclusivity(unchecked) private var blockingMessage: [UInt8] = []
  @exclusivity(unchecked) private var answeredCalls: UInt64 = 0
  @exclusivity(unchecked) private var onewayCalls: UInt64 = 0
  /// The number of bytes of replies that wait for earlier calls.
  @exclusivity(unchecked) private var delayedOutputCount = 0
  /// The reply to a message above the size limit; nil to end the connection without one.
  private let oversizeError: VarlinkError?
  /// The number of bytes discarded of a message above the size limit; nil before such a message.
  @exclusivity(unchecked) private var discardedCount: Int?

  /// Creates the state of a new connection.
  ///
  /// - Parameters:
  ///   - maximumMessageSize: The maximum length of a call, in bytes without its NUL.
  ///   - oversizeError: The reply to a longer message, after which the connection ends; nil to end it without a reply.
  public init(
    maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize, oversizeError: VarlinkError? = nil
  ) {
    input = MessageBuffer(maximumMessageSize: maximumMessageSize)
    self.oversizeError = oversizeError
  }

  // MARK: Input

  /// Adds bytes that the peer sent, in pieces of any size. Don't call it from a handler.
  public func receive(_ bytes: UnsafeRawBufferPointer) {
    if isDiscarding { discardedCount? += bytes.count }
    guard violation == nil, !hasReceivedEnd, !isAbandoned else { return }
    input.append(bytes)
  }

  /// Whether the connection discards what its peer still sends, so that the peer reads the error before the end.
  public var isDiscarding: Bool {
    guard let discardedCount, !hasReceivedEnd, !isAbandoned else { return false }
    return discardedCount < Self.maximumDiscardedSize
  }

  /// Records that the peer closed its side. It may still read replies.
  public func receiveEnd() {
    hasReceivedEnd = true
  }

  /// The number of bytes that were received and not yet processed: incomplete messages, and calls that wait.
  public var bufferedInputCount: Int { input.count }

  /// The number of bytes that were received of an incomplete message, or discarded.
  public var unfinishedInputCount: Int { discardedCount ?? input.unfinishedCount }

  /// Whether to receive more bytes. It is false at the end of the connection, and while enough calls wait for another
  /// one.
  public var wantsInput: Bool {
    isDiscarding
      || violation == nil && !hasReceivedEnd && !isAbandoned
        && (blockingCall == nil || input.count < Self.waitingInputBound)
  }

  /// Passes the next call to `handler`, if a call is complete and not blocked by an earlier one.
  ///
  /// The handler replies to the call's token at once or later; an error that it throws is the reply. It decides whether
  /// later calls wait for this one. If they don't, a oneway call ends when the handler returns. The handler must not
  /// use `parser` or add input to this connection.
  ///
  /// - Returns: Whether a call was handled. If not, try again after you have received more bytes or ended the blocking
  ///   call, unless the connection is finished.
  public func nextCall(using parser: JSONParser, _ handler: (Call) throws(VarlinkError) -> NextCall) -> Bool {
    guard violation == nil, blockingCall == nil, !isAbandoned else { return false }
    do throws(ProtocolViolation) {
      guard let length = try input.firstMessageLength() else {
        if hasReceivedEnd && input.count > 0 { throw .messageCutOff }
        return false
      }
      try input.withMessage(length: length) { message in
        Result { () throws(ProtocolViolation) in try take(message, parser, handler) }
      }.get()
      input.consume(messageLength: length)
      return true
    } catch {
      violation = error
      input.removeAll()
      if case .messageTooLong = error, let oversizeError { refuse(oversizeError) }
      return false
    }
  }

  /// Replies to a message that was not read, after the replies to the calls before it.
  private func refuse(_ error: VarlinkError) {
    let token = CallToken(sequence: answeredCalls, isOneway: false, wantsMore: false)
    answeredCalls += 1
    pending.append(token)
    reply(token, error: error)
    discardedCount = 0
  }

  private func take(
    _ message: UnsafeRawBufferPointer, _ parser: JSONParser, _ handler: (Call) throws(VarlinkError) -> NextCall
  ) throws(ProtocolViolation) {
    guard message.count > 0 else { throw .emptyMessage }
    let value: JSONValue
    do { value = try parser.value(padded: message) } catch { throw .notJSON(error) }
    let envelope = try CallEnvelope(value)
    let token = admit(envelope)
    let call = Call(token: token, method: envelope.method, parameterObject: envelope.parameters)
    do throws(VarlinkError) {
      // Upgrades are not implemented, so the method doesn't exist with this flag.
      if envelope.upgrade { throw .methodNotImplemented(call.method.string) }
      blockingCall = token
      switch try handler(call) {
      case .mayFollow: blockingCall = nil
      // A handler may have ended the call already.
      case .waits: if blockingCall != nil { blockingMessage = Self.withoutSpaces(message) }
      }
    } catch {
      reply(token, error: error)
      blockingCall = nil
    }
  }

  /// Returns a valid JSON text without the spaces between its tokens, of which a peer may send any number.
  private static func withoutSpaces(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var isInString = false
    var isEscaped = false
    var kept: [UInt8] = []
    for byte in text {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte <= UInt8(ascii: " ") {
        continue
      }
      kept.append(byte)
    }
    return kept
  }

  /// Releases the message of the blocking call, which then can't be handled again after the connection resumes.
  public func releaseBlockingMessage() { blockingMessage = [] }

  /// The number of bytes that are kept to handle the blocking call again.
  public var blockingMessageCount: Int { blockingMessage.count }

  private func admit(_ envelope: CallEnvelope) -> CallToken {
    let sequence = envelope.oneway ? onewayCalls : answeredCalls
    let token = CallToken(sequence: sequence, isOneway: envelope.oneway, wantsMore: envelope.more)
    if envelope.oneway {
      onewayCalls += 1
    } else {
      answeredCalls += 1
      pending.append(token)
    }
    return token
  }

  // MARK: Replies

  /// Replies to a call.
  ///
  /// - Parameters:
  ///   - token: The call.
  ///   - continues: Whether more replies follow. Without `more`, such a reply ends the call with `ExpectedMore`.
  ///   - members: Writes the parameters as members of an object that has already begun. It isn't called for a reply
  ///     that is not sent.
  @discardableResult
  public func reply(
    _ token: CallToken, continues: Bool = false, _ members: (inout JSONWriter) -> Void = { _ in }
  ) -> ReplyOutcome {
    deliver(token, continues: continues) { buffer in
      let start = buffer.count
      buffer.append("{\"parameters\":{")
      let empty = buffer.count
      buffer.appendJSON(members)
      if buffer.count > empty {
        buffer.append(continues ? "},\"continues\":true}" : "}}")
      } else {
        // Empty parameters are omitted.
        buffer.truncate(to: start)
        buffer.append(continues ? "{\"continues\":true}" : "{}")
      }
    }
  }

  /// Replies to a call with parameters that are already encoded as one JSON object without spaces.
  ///
  /// Use it to encode a reply once and send it to many calls.
  @discardableResult
  public func reply(
    _ token: CallToken, continues: Bool = false, encoded parameters: UnsafeRawBufferPointer
  ) -> ReplyOutcome {
    guard parameters.count > "{}".utf8.count else { return reply(token, continues: continues) }
    return deliver(token, continues: continues) { buffer in
      buffer.append("{\"parameters\":")
      buffer.append(parameters)
      buffer.append(continues ? ",\"continues\":true}" : "}")
    }
  }

  /// Replies to a call with an error, which ends it.
  @discardableResult
  public func reply(_ token: CallToken, error: VarlinkError) -> ReplyOutcome {
    deliver(token, continues: false) { buffer in
      buffer.appendJSON { writer in
        writer.beginObject()
        writer.member("error", error.name)
        if error.parameters.count > "{}".utf8.count {
          writer.key("parameters")
          writer.raw(error.parameters)
        }
        writer.endObject()
      }
    }
  }

  /// Writes a reply to the output, or delays it until the earlier calls have ended.
  private func deliver(_ token: CallToken, continues: Bool, _ write: (inout ByteBuffer) -> Void) -> ReplyOutcome {
    if token.isOneway {
      if !continues && blockingCall == token { unblock() }
      return continues ? .continues : .ended
    }
    guard let index = pending.index(of: token) else { return .notAwaited }
    if continues && !token.wantsMore {
      reply(token, error: .expectedMore)
      return .expectedMore
    }
    if index == 0 {
      write(&output)
      output.append(0)
      if !continues { endFirst() }
    } else {
      delay(index, write)
      if !continues { pending.end(at: index) }
    }
    if !continues && blockingCall == token { unblock() }
    return continues ? .continues : .ended
  }

  private func unblock() {
    blockingCall = nil
    blockingMessage = []
  }

  private func delay(_ index: Int, _ write: (inout ByteBuffer) -> Void) {
    scratch.removeAll()
    write(&scratch)
    scratch.append(0)
    delayedOutputCount += scratch.count
    scratch.withUnsafeReadableBytes { pending.delay($0, at: index) }
  }

  /// Ends the first call, and moves the delayed replies that no longer wait for it to the output.
  private func endFirst() {
    pending.removeFirst()
    while let call = pending.first {
      let replies = pending.takeDelayedReplies()
      delayedOutputCount -= replies.count
      output.append(replies)
      guard call.hasEnded else { return }
      pending.removeFirst()
    }
  }

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

  /// The number of buffered bytes of replies, including those that wait for earlier calls.
  public var bufferedOutputCount: Int { output.count + delayedOutputCount }

  // MARK: Suspending and resuming

  /// Returns the state from which the connection can resume elsewhere.
  ///
  /// - Parameter restartsCall: Whether the blocking call is handled again from its beginning after the connection
  ///   resumes. Pass true only if the call has no reply yet. Otherwise the call resumes as a stream.
  /// - Returns: The state; `nil` while a call awaits a reply that only this process can give, after its message was released,
  ///   and at the end of the connection.
  public func suspended(restartsCall: Bool = false) -> SuspendedConnection? {
    guard violation == nil, !isAbandoned, delayedOutputCount == 0, pending.count <= 1,
      pending.first.map({ $0.token == blockingCall }) ?? true
    else { return nil }
    var suspended = SuspendedConnection(
      input: input.contents, output: output.bytes, hasReceivedEnd: hasReceivedEnd)
    if let blockingCall {
      if restartsCall {
        if blockingMessage.isEmpty { return nil }
        suspended.input = blockingMessage + [0] + suspended.input
      } else {
        // A call without `more` gets its only reply from this process.
        guard blockingCall.wantsMore else { return nil }
        suspended.isStreaming = true
      }
    }
    return suspended
  }

  /// Whether no call is in progress, apart from a stream, and ``suspended(restartsCall:)`` would contain no bytes.
  public var isIdle: Bool {
    violation == nil && !isAbandoned && !hasReceivedEnd && input.count == 0 && output.isEmpty && delayedOutputCount == 0
      && pending.count == (blockingCall == nil ? 0 : 1)
  }

  /// Resumes a suspended connection.
  ///
  /// - Parameters:
  ///   - maximumMessageSize: The maximum length of a call, in bytes without its NUL.
  ///   - oversizeError: The reply to a longer message; nil to end the connection without a reply.
  /// - Returns: The connection, and the token of its stream.
  public static func resume(
    _ suspended: SuspendedConnection, maximumMessageSize: Int, oversizeError: VarlinkError? = nil
  ) -> (connection: ServerConnection, stream: CallToken?) {
    let connection = ServerConnection(maximumMessageSize: maximumMessageSize, oversizeError: oversizeError)
    suspended.input.withUnsafeBytes { connection.input.append($0) }
    connection.output.append(suspended.output)
    connection.hasReceivedEnd = suspended.hasReceivedEnd
    guard suspended.isStreaming else { return (connection, nil) }
    let token = CallToken(sequence: 0, isOneway: false, wantsMore: true)
    connection.answeredCalls = 1
    connection.pending.append(token)
    connection.blockingCall = token
    return (connection, token)
  }

  // MARK: State

  /// Abandons the connection: discards its input, its pending calls and its output. It ignores all further input and
  /// replies, and `isFinished` is true.
  public func abandon() {
    isAbandoned = true
    input.removeAll()
    output.removeAll()
    scratch.removeAll()
    pending = PendingCalls()
    unblock()
    delayedOutputCount = 0
  }

  /// Whether any call awaits its last reply.
  public var hasPendingCalls: Bool { !pending.isEmpty || blockingCall != nil }

  /// Whether a call blocks all calls after it.
  public var isWaiting: Bool { blockingCall != nil }

  /// Whether the peer violated the protocol and every reply was sent, so that the sending side can be shut down.
  public var hasSentLastReply: Bool { violation != nil && !hasPendingCalls && output.isEmpty }

  /// Whether the connection can be closed: it was abandoned, or the peer closed its side or violated the protocol, and
  /// every reply was sent.
  public var isFinished: Bool {
    (hasReceivedEnd || violation != nil || isAbandoned) && input.count == 0 && !hasPendingCalls && output.isEmpty
      && !isDiscarding
  }
}
