import JSON
import Varlink

/// A connection: its peer, its protocol state, what it waits for, and the stream that answers its current call.
///
/// Whatever a connection is given to send, it announces itself to the loop.
final class Connection {
  /// What a connection waits for.
  ///
  /// There is one reason at a time. While a stream answers a call, the calls behind it wait for the stream to end.
  enum Wait {
    /// The peer's next call.
    case input
    /// Its turn: it has calls to take, or its stream has work to do.
    case turn
    /// The peer, which has to read what was sent.
    case reader
    /// The budget of its user.
    case budget
    /// Room in the block that is being built.
    case disk
    /// The commit of what came over it, which its stream shall see.
    case commit
    /// Something for its stream to report.
    case news
  }

  let id: ConnectionID
  let peer: Peer
  /// What its user takes of the daemon.
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
  private var isAnnounced = false

  /// - Parameter hasCalled: Whether an earlier daemon has accepted a call on it.
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

  /// Takes the next call.
  ///
  /// - Returns: Whether there was one.
  func nextCall(using parser: JSONParser, _ handler: (Call) throws(VarlinkError) -> NextCall) -> Bool {
    varlink.nextCall(using: parser) { call throws(VarlinkError) in
      let next = try handler(call)
      hasCalled = true
      return next
    }
  }

  /// Answers a call of `org.varlink.service`.
  ///
  /// - Returns: The method, when it is another interface's.
  func route(_ call: Call, with service: VarlinkService) throws(VarlinkError) -> ServiceMethod? {
    defer { announce() }
    return try service.route(call, on: varlink)
  }

  var violation: ProtocolViolation? { varlink.violation }
  var hasReceivedEnd: Bool { varlink.hasReceivedEnd }
  /// Received bytes of a message whose end has not arrived.
  var unfinishedInputCount: Int { varlink.unfinishedInputCount }
  var bufferedInputCount: Int { varlink.bufferedInputCount }

  /// Whether more may be received.
  var wantsInput: Bool {
    varlink.wantsInput && (stream != nil || wait == .input) && bufferedOutputCount <= outputLimit
  }

  // MARK: Output

  /// Replies to a call with members of an object that is begun already.
  func reply(_ token: CallToken, continues: Bool = false, _ members: (inout JSONWriter) -> Void = { _ in }) {
    varlink.reply(token, continues: continues, members)
    announce()
  }

  /// Replies to a call with an object that is encoded already.
  func reply(_ token: CallToken, continues: Bool, encoded parameters: UnsafeRawBufferPointer) {
    varlink.reply(token, continues: continues, encoded: parameters)
    announce()
  }

  /// Replies to a call with an error, which ends it.
  func reply(_ token: CallToken, error: VarlinkError) {
    varlink.reply(token, error: error)
    announce()
  }

  /// Bytes that can be sent now.
  var outputCount: Int { varlink.outputCount }
  /// Bytes of replies, including those that wait for the replies to earlier calls.
  var bufferedOutputCount: Int { varlink.bufferedOutputCount }
  /// How many bytes of output may wait before the connection gets no more.
  var outputLimit: Int { memory.outputLimit(of: share) }
  /// How many bytes may be received at once.
  var receiptLimit: Int { memory.receiptLimit(of: share) }

  func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { varlink.withUnsafeOutput(body) }

  /// Removes the first `count` bytes of output, which were sent.
  func consumeOutput(_ count: Int) {
    varlink.consumeOutput(count)
    countBuffers()
  }

  /// Tells the loop that there is output, or that the connection has ended.
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

  /// What its buffers held when they were last counted, in bytes.
  var bufferedBytes: Int { countedBytes }

  /// Accounts for what its buffers hold.
  func countBuffers() {
    let count = varlink.bufferedInputCount + varlink.bufferedOutputCount
    memory.add(count - countedBytes, to: share)
    countedBytes = count
  }

  // MARK: End

  var isFinished: Bool { varlink.isFinished }

  /// Drops all input and output; the connection is finished.
  func abandon() {
    varlink.abandon()
    countBuffers()
  }

  // MARK: Hand-over

  /// Whether nothing is under way but, perhaps, a stream.
  var isIdle: Bool { varlink.isAtRest }

  /// What the next daemon needs to resume the protocol; `nil` when it can't.
  ///
  /// - Parameter restartsCall: Whether the next daemon takes the current call again.
  func suspended(restartsCall: Bool = false) -> SuspendedConnection? {
    varlink.suspended(restartsCall: restartsCall)
  }
}

/// The connections that have announced output, or their end, to the loop.
final class OutputQueue {
  private var connections: [Connection] = []

  var isEmpty: Bool { connections.isEmpty }

  func add(_ connection: Connection) { connections.append(connection) }

  /// Removes and returns the connections, in the order in which they announced themselves.
  func take(at now: @autoclosure () -> Int64) -> [ConnectionID] {
    if connections.isEmpty { return [] }
    let now = now()
    let ids = connections.map(\.id)
    for connection in connections { connection.fetchOutput(at: now) }
    connections.removeAll(keepingCapacity: true)
    return ids
  }
}
