// The server's side of one connection: bytes in, calls out, replies in, bytes out.

import JSON

/// The server's side of one connection, as a state machine that does no I/O.
///
/// Give it what was received, take calls while there are any, send its output:
///
///     connection.receive(bytes)
///     while connection.nextCall(using: parser, handle) {}
///     let sent = connection.withUnsafeOutput { send(descriptor, $0.baseAddress, $0.count, MSG_NOSIGNAL) }
///     connection.consumeOutput(sent)
///     if connection.isFinished { close(descriptor) }
///
/// Replies go out in the order of the calls, whatever order they are given in. What a peer does against the protocol ends
/// the taking of calls: `violation` says what it was, and `isFinished` becomes true when the calls before it have been
/// answered.
public final class ServerConnection {
  /// The default limit of a message, in bytes: 16 MiB.
  public static let defaultMaximumMessageSize = 16 * 1024 * 1024

  /// How many bytes are worth receiving while a call makes those behind it wait.
  private static let waitingInputBound = 64 * 1024

  /// What the peer did against the protocol. Nothing after it is looked at.
  public private(set) var violation: ProtocolViolation?

  /// Whether the peer has ended its side. It still gets its answers.
  public private(set) var hasReceivedEnd = false

  private var input: MessageBuffer
  private var output = ByteBuffer()
  private var isAbandoned = false
  /// Where replies are written that have to wait.
  private var scratch = ByteBuffer()
  private var pending = PendingCalls()
  /// The call before whose end no other one is taken.
  private var exclusive: CallToken?
  /// The message of the call that makes those behind it wait.
  private var exclusiveMessage: [UInt8] = []
  private var answeredCalls: UInt64 = 0
  private var onewayCalls: UInt64 = 0
  /// Bytes of replies that wait for calls before theirs.
  private var heldCount = 0

  /// A connection that has just begun.
  ///
  /// - Parameter maximumMessageSize: The longest call that is accepted, in bytes without its NUL.
  public init(maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize) {
    input = MessageBuffer(maximumMessageSize: maximumMessageSize)
  }

  // MARK: Input

  /// Takes bytes that the peer sent, in pieces of any size. Not to be called by a handler.
  public func receive(_ bytes: UnsafeRawBufferPointer) {
    guard violation == nil, !hasReceivedEnd, !isAbandoned else { return }
    input.append(bytes)
  }

  /// Takes it that the peer ended its side; it may still read.
  public func receiveEnd() {
    hasReceivedEnd = true
  }

  /// Bytes that were received and not yet looked at: parts of messages, and calls that have to wait.
  public var bufferedInputCount: Int { input.count }

  /// Bytes that were received of a message that is not whole yet.
  public var unfinishedInputCount: Int { input.unfinishedCount }

  /// Whether it is of use to receive more: not at the connection's end, nor while enough calls wait for another one.
  public var wantsInput: Bool {
    violation == nil && !hasReceivedEnd && !isAbandoned && (exclusive == nil || input.count < Self.waitingInputBound)
  }

  /// Takes the next call, if there is one that may be taken now, and hands it to `handler`.
  ///
  /// The handler replies to the call's token at once or later; an error that it throws is the reply. It says whether the
  /// calls behind may be taken before this one has ended. A oneway call that doesn't make others wait has ended when the
  /// handler returns. The handler must not use `parser`, nor give this connection input.
  ///
  /// - Returns: whether a call was taken. If not, there is none until more was received, or a reply ended the call that
  ///   the others wait for; or the connection is at its end.
  public func nextCall(using parser: JSONParser, _ handler: (Call) throws(VarlinkError) -> NextCall) -> Bool {
    guard violation == nil, exclusive == nil, !isAbandoned else { return false }
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
      return false
    }
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
      // No service here takes a connection over, so an upgrade is a method that isn't there.
      if envelope.upgrade { throw .methodNotImplemented(call.method.string) }
      exclusive = token
      switch try handler(call) {
      case .mayFollow: exclusive = nil
      // A handler may have ended the call already.
      case .waits: if exclusive != nil { exclusiveMessage = Array(message) }
      }
    } catch {
      reply(token, error: error)
      exclusive = nil
    }
  }

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

  /// Replies to a call with the parameters that `members` writes, members of an object that is begun already.
  ///
  /// - Parameters:
  ///   - token: The call.
  ///   - continues: Whether more replies follow. Only for calls with `more`; others end with `ExpectedMore` then.
  ///   - members: Not called when nothing goes out.
  @discardableResult
  public func reply(
    _ token: CallToken, continues: Bool = false, _ members: (inout JSONWriter) -> Void = { _ in }
  ) -> ReplyOutcome {
    give(token, continues: continues) { buffer in
      let start = buffer.count
      buffer.append("{\"parameters\":{")
      let empty = buffer.count
      buffer.appendJSON(members)
      if buffer.count > empty {
        buffer.append(continues ? "},\"continues\":true}" : "}}")
      } else {
        // Empty parameters are left out.
        buffer.truncate(to: start)
        buffer.append(continues ? "{\"continues\":true}" : "{}")
      }
    }
  }

  /// Replies to a call with parameters that are JSON already: one object, without spaces.
  ///
  /// For replies that many calls get: they are encoded once.
  @discardableResult
  public func reply(
    _ token: CallToken, continues: Bool = false, encoded parameters: UnsafeRawBufferPointer
  ) -> ReplyOutcome {
    guard parameters.count > "{}".utf8.count else { return reply(token, continues: continues) }
    return give(token, continues: continues) { buffer in
      buffer.append("{\"parameters\":")
      buffer.append(parameters)
      buffer.append(continues ? ",\"continues\":true}" : "}")
    }
  }

  /// Replies to a call with an error, which ends it.
  @discardableResult
  public func reply(_ token: CallToken, error: VarlinkError) -> ReplyOutcome {
    give(token, continues: false) { buffer in
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

  /// Lets a reply's message be written to where it belongs, and ends the call if it was the last one.
  private func give(_ token: CallToken, continues: Bool, _ write: (inout ByteBuffer) -> Void) -> ReplyOutcome {
    if token.isOneway {
      if !continues && exclusive == token { exclusive = nil }
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
      hold(index, write)
      if !continues { pending.end(at: index) }
    }
    if !continues && exclusive == token { exclusive = nil }
    return continues ? .continues : .ended
  }

  private func hold(_ index: Int, _ write: (inout ByteBuffer) -> Void) {
    scratch.removeAll()
    write(&scratch)
    scratch.append(0)
    heldCount += scratch.count
    scratch.withUnsafeReadableBytes { pending.hold($0, at: index) }
  }

  /// Ends the first call, and lets out what the calls behind it held back.
  private func endFirst() {
    pending.removeFirst()
    while let call = pending.first {
      let held = pending.releaseFirst()
      heldCount -= held.count
      output.append(held)
      guard call.hasEnded else { return }
      pending.removeFirst()
    }
  }

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

  /// How many bytes of replies are kept, whether they can be sent or wait for calls before theirs.
  public var bufferedOutputCount: Int { output.count + heldCount }

  // MARK: Going on elsewhere

  /// The connection as it would go on elsewhere, or `nil` while calls await answers that only this one can give, or when it
  /// is at its end.
  ///
  /// - Parameter restartsCall: The call that makes those behind it wait, and of which nothing was replied, is taken anew
  ///   there. Otherwise it goes on there.
  public func suspended(restartsCall: Bool = false) -> SuspendedConnection? {
    guard violation == nil, !isAbandoned, heldCount == 0, pending.count <= 1,
      pending.first.map({ $0.token == exclusive }) ?? true
    else { return nil }
    var suspended = SuspendedConnection(
      input: input.contents, output: output.bytes, hasReceivedEnd: hasReceivedEnd)
    if let exclusive {
      if restartsCall {
        suspended.input = exclusiveMessage + [0] + suspended.input
      } else {
        // The one answer of a call that takes no more is lost with this process.
        guard exclusive.wantsMore else { return nil }
        suspended.isStreaming = true
      }
    }
    return suspended
  }

  /// Whether nothing is under way but, perhaps, a stream, so that ``suspended(restartsCall:)`` would have no bytes in it.
  public var isAtRest: Bool {
    violation == nil && !isAbandoned && !hasReceivedEnd && input.count == 0 && output.isEmpty && heldCount == 0
      && pending.count == (exclusive == nil ? 0 : 1)
  }

  /// A connection that goes on here.
  ///
  /// - Parameter maximumMessageSize: The longest call that is accepted, in bytes without its NUL.
  /// - Returns: The connection, and the token of the stream that goes on with it.
  public static func resume(
    _ suspended: SuspendedConnection, maximumMessageSize: Int
  ) -> (connection: ServerConnection, stream: CallToken?) {
    let connection = ServerConnection(maximumMessageSize: maximumMessageSize)
    suspended.input.withUnsafeBytes { connection.input.append($0) }
    connection.output.append(suspended.output)
    connection.hasReceivedEnd = suspended.hasReceivedEnd
    guard suspended.isStreaming else { return (connection, nil) }
    let token = CallToken(sequence: 0, isOneway: false, wantsMore: true)
    connection.answeredCalls = 1
    connection.pending.append(token)
    connection.exclusive = token
    return (connection, token)
  }

  // MARK: State

  /// Gives the connection up: what was received, the calls that await replies, and what is to be sent are let go of.
  /// Nothing more is taken or given, and `isFinished` is true.
  public func abandon() {
    isAbandoned = true
    input.removeAll()
    output.removeAll()
    scratch.removeAll()
    pending = PendingCalls()
    exclusive = nil
    heldCount = 0
  }

  /// Whether calls that were taken await their last reply.
  public var hasPendingCalls: Bool { !pending.isEmpty || exclusive != nil }

  /// Whether a call makes all behind it wait.
  public var isWaiting: Bool { exclusive != nil }

  /// Whether the connection has come to its end: it was given up, or the peer ended its side or broke the protocol, each
  /// call that it is owed an answer has got it, and everything was sent.
  public var isFinished: Bool {
    (hasReceivedEnd || violation != nil || isAbandoned) && input.count == 0 && !hasPendingCalls && output.isEmpty
  }
}
