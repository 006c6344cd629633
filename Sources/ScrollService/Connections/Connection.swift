import JSON
import Varlink

/// A connection: its peer, its protocol state, what it waits for, and the stream that answers its current call.
///
/// A connection that gets something to send announces itself to the loop.
final class Connection {
  /// What a connection waits for.
  ///
  /// It waits for one thing at a time. While a stream answers a call, later calls wait for the stream to end.
  enum Wait {
    /// The peer's next call.
    case input
    /// Its turn: it has calls to process, or its stream has work to do.
    case turn
    /// The peer, which has to read more of the output.
    case reader
    /// The renewal of its user's budget.
    case budget
    /// Room in the block under construction.
    case disk
    /// The commit of the records that came over it, which its stream has to see.
    case commit
    /// Something for its stream to report.
    case news
  }

  let id: ConnectionID
  let peer: Peer
  /// The resources that its user takes.
  let share: UserShare
  /// The sessions that it feeds.
  let feeder: Feeder
  var wait = Wait.input
  /// The stream that answers its current call.
  var stream: (any ReplyStream)?
  /// Whether it has made a call that was accepted.
  private(set) var hasCalled = false
  /// When the loop last fetched output, by the monotonic clock in microseconds.
  private(set) var lastOutput: Int64

  private let varlink: ServerConnection
  private let memory: BufferMemory
  private let outputs: OutputQueue
  private var countedBytes = 0
  private var isAbandoned = false
  /// The length of the incomplete message for which its user was charged, in bytes.
  private var chargedUnfinished = 0
  private var isAnnounced = false

  /// - Parameter hasCalled: Whether the previous daemon has accepted a call on it.
  init(
    id: ConnectionID, peer: Peer, share: UserShare, _ varlink: ServerConnection, memory: BufferMemory,
    outputs: OutputQueue, now: Int64, hasCalled: Bool = false
  ) {
    self.id = id
    self.peer = peer
    self.share = share
    self.varlink = varlink
    self.memory = memory
    self.outputs = outputs
    self.hasCalled = hasCalled
    feeder = Feeder(connection: id, user: peer.user)
    lastOutput = now
  }

  // MARK: Input

  func receive(_ bytes: UnsafeRawBufferPointer) { varlink.receive(bytes) }

  /// Records that the peer ended its side; it still gets its answers.
  func receiveEnd() { varlink.receiveEnd() }

  /// Handles the next complete call.
  ///
  /// - Returns: Whether one was there.
  func nextCall(using parser: JSONParser, _ handler: (Call) throws(VarlinkError) -> NextCall) -> Bool {
    varlink.nextCall(using: parser) { call throws(VarlinkError) in
      let next = try handler(call)
      hasCalled = true
      return next
    }
  }

  /// Answers a call of `org.varlink.service`.
  ///
  /// - Returns: The method, if it belongs to another interface; the call is then still to be answered.
  func route(_ call: Call, with service: VarlinkService) throws(VarlinkError) -> ServiceMethod? {
    defer { announce() }
    return try service.route(call, on: varlink)
  }

  var violation: ProtocolViolation? { varlink.violation }
  var hasReceivedEnd: Bool { varlink.hasReceivedEnd }
  /// The size of a received, incomplete message, in bytes.
  var unfinishedInputCount: Int { varlink.unfinishedInputCount }
  var bufferedInputCount: Int { varlink.bufferedInputCount }

  /// Returns how much longer its incomplete message has become since the last call, in bytes.
  func takeUnfinishedGrowth() -> Int {
    // Bytes that were not searched for the end of a message yet count later.
    if wait == .turn { return 0 }
    defer { chargedUnfinished = unfinishedInputCount }
    return max(0, unfinishedInputCount - chargedUnfinished)
  }

  /// Whether more may be received.
  var wantsInput: Bool {
    varlink.wantsInput && (stream != nil || wait == .input) && bufferedOutputCount <= outputLimit
  }

  // MARK: Output

  /// Replies to a call. The closure writes the members of the parameters.
  func reply(_ token: CallToken, continues: Bool = false, _ members: (inout JSONWriter) -> Void = { _ in }) {
    varlink.reply(token, continues: continues, members)
    announce()
  }

  /// Replies to a call with parameters that are already encoded.
  func reply(_ token: CallToken, continues: Bool, encoded parameters: UnsafeRawBufferPointer) {
    varlink.reply(token, continues: continues, encoded: parameters)
    announce()
  }

  /// Replies to a call with an error, which ends it.
  func reply(_ token: CallToken, error: VarlinkError) {
    varlink.reply(token, error: error)
    announce()
  }

  /// How many bytes can be sent now.
  var outputCount: Int { varlink.outputCount }
  /// The size of all replies, including those that wait for the replies to earlier calls, in bytes.
  var bufferedOutputCount: Int { varlink.bufferedOutputCount }
  /// How many bytes of output may wait before no more is produced.
  var outputLimit: Int { memory.outputLimit(of: share) }
  /// How many bytes may be received at once.
  var receiptLimit: Int { memory.receiptLimit(of: share) }

  func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { varlink.withUnsafeOutput(body) }

  /// Marks the first `count` bytes of output as sent.
  func consumeOutput(_ count: Int) {
    varlink.consumeOutput(count)
    countBuffers()
  }

  /// Announces to the loop that the connection has output or has ended.
  func announce() {
    if isAnnounced { return }
    isAnnounced = true
    outputs.add(self)
  }

  /// Records that the loop fetches the output.
  func fetchOutput(at now: Int64) {
    isAnnounced = false
    lastOutput = now
    countBuffers()
  }

  // MARK: Memory

  /// What it held when that was last counted, in bytes.
  var bufferedBytes: Int { countedBytes }

  /// Updates the account of everything that it holds: its buffers, the text of its call, its stream, and what it feeds.
  func countBuffers() {
    if isAbandoned { return }
    if let stream, !stream.mayRestart, varlink.blockingMessageCount > 0 { varlink.releaseBlockingMessage() }
    let count =
      varlink.bufferedInputCount + varlink.bufferedOutputCount + varlink.blockingMessageCount + (stream?.heldBytes ?? 0)
      + feeder.heldBytes
    memory.add(count - countedBytes, to: share)
    countedBytes = count
  }

  // MARK: End

  var isFinished: Bool { varlink.isFinished }

  /// Whether it has ended, apart from the input that is discarded until its peer has read the last reply.
  var isDiscarding: Bool { varlink.isDiscarding }

  /// Whether nothing more is sent, since the peer violated the protocol and has its replies.
  var hasSentLastReply: Bool { varlink.hasSentLastReply }

  /// Drops all input and output; the connection is finished, and no longer counts.
  func abandon() {
    varlink.abandon()
    memory.add(-countedBytes, to: share)
    countedBytes = 0
    isAbandoned = true
  }

  // MARK: Hand-over

  /// Whether no call is in progress, apart from a stream.
  var isIdle: Bool { varlink.isIdle }

  /// Returns what the next daemon needs to resume the protocol; `nil` when it can't be resumed.
  ///
  /// - Parameter restartsCall: Whether the next daemon handles the current call again, from the start.
  func suspended(restartsCall: Bool = false) -> SuspendedConnection? {
    varlink.suspended(restartsCall: restartsCall)
  }
}

/// The connections that have announced output, or their end, to the loop.
final class OutputQueue {
  private var connections = FairQueue<Connection>()

  var isEmpty: Bool { connections.isEmpty }

  func add(_ connection: Connection) { connections.append(connection, of: connection.share.user) }

  /// Removes and returns up to `count` connections, each user's in the order in which they announced themselves.
  func take(_ count: Int, at now: @autoclosure () -> Int64) -> [ConnectionID] {
    if connections.isEmpty { return [] }
    let now = now()
    var ids: [ConnectionID] = []
    while ids.count < count, let id = take(at: now) { ids.append(id) }
    return ids
  }

  /// Removes and returns the first connection of the user whose turn it is.
  func take(at now: @autoclosure () -> Int64) -> ConnectionID? {
    guard let connection = connections.popFirst() else { return nil }
    connection.fetchOutput(at: now())
    return connection.id
  }
}
