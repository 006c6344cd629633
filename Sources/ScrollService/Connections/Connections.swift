import JSON
import ScrollModel
import Varlink

/// What connections need from the service: a handler of their calls.
protocol CallHandler: AnyObject {
  /// Whether calls are handled; `false` while the daemon stops.
  var takesCalls: Bool { get }
  /// Returns whether a user's calls have to wait, because too much already waits for the disk.
  func isFull(for share: UserShare) -> Bool
  /// Handles a call.
  func handle(_ call: Call, on connection: Connection) throws(VarlinkError) -> NextCall
}

/// The connections, whose turn it is, and why the others wait.
final class Connections {
  /// Counters from the start of the daemon.
  struct Counters {
    var accepted: Int64 = 0
    var refused: Int64 = 0
    var dropped: Int64 = 0
    var resumed: Int64 = 0
    var lost: Int64 = 0
    var violations: Int64 = 0
    var bytesReceived: Int64 = 0
    var bytesSent: Int64 = 0
    var calls: Int64 = 0
    var callsRefused: Int64 = 0
    var onewayCallsRefused: Int64 = 0
    var permissionsDenied: Int64 = 0
    /// How many times a user was throttled.
    var throttles: Int64 = 0
  }

  /// How many calls of one connection are handled in its turn.
  static let callsPerTurn = 64
  /// How long a connection's turn lasts, in microseconds; a call that has begun is completed.
  private static let turnDuration: Int64 = 300
  /// How many connections get a turn before the loop looks for other events.
  private static let connectionsPerAdvance = 32
  /// How long connections get turns before the loop looks for other events, in microseconds.
  private static let advanceDuration: Int64 = 600
  /// For how many bytes of a message a user is charged as for an event: that of a large event.
  private static let bytesPerEvent = 256
  /// Up to how many connections of a user are received from as soon as they can be.
  static let uncrowdedCount = 16
  /// How long a stream is silent before it sends a heartbeat, in microseconds. Readers give up after 45 s.
  private static let heartbeatInterval: Int64 = 20_000_000

  /// How long the peer of a connection that has ended may take to read the last reply, in microseconds.
  private static let lingerLimit: Int64 = 10_000_000

  let users: UserLimits
  private var counted = Counters()
  private var table = ConnectionTable<Connection>()
  private var nextID: ConnectionID = 1
  /// The connections that wait for their turn. Users take turns, however many connections they have.
  private var ready = FairQueue<ConnectionID>()
  /// The connections that had a turn since the loop last asked.
  private var served: [ConnectionID] = []
  private var waitingForDisk: [ConnectionID] = []
  private var waitingForCommit: [ConnectionID] = []
  private var handOverChanges: Set<ConnectionID> = []
  private let memory: BufferMemory
  private let outputs = OutputQueue()
  private let parser = JSONParser()
  private let clock: ServiceClock

  private let access: () -> AccessRules

  init(
    _ limits: ConnectionLimits, clock: ServiceClock, journal: Journal,
    access: @escaping () -> AccessRules = { AccessRules() }
  ) {
    memory = BufferMemory(limits)
    users = UserLimits(limits, clock: clock, journal: journal)
    self.clock = clock
    self.access = access
  }

  var limits: ConnectionLimits {
    get { memory.limits }
    set {
      memory.limits = newValue
      users.limits = newValue
    }
  }

  var count: Int { table.count }

  var counters: Counters {
    var counters = counted
    counters.throttles = users.throttleCount
    return counters
  }

  /// How much all connections buffer, in bytes.
  var bufferedBytes: Int { memory.bufferedBytes }

  subscript(id: ConnectionID) -> Connection? { table[id] }

  // MARK: Beginning and end

  /// Accepts a connection.
  ///
  /// - Parameter descriptors: How many connections the process has file descriptors for.
  /// - Returns: The connection; `nil` when there are too many, in total or of this user.
  func connect(_ peer: Peer, descriptors: Int) -> Connection? {
    let share = share(of: peer)
    guard hasRoom(for: peer, share, most: min(limits.connections, descriptors)) else {
      counted.refused += 1
      users.logRefusal(.connection, of: share, .connectionRefused(of: peer.user))
      return nil
    }
    counted.accepted += 1
    let varlink = ServerConnection(
      maximumMessageSize: limits.messageSize, oversizeError: ServiceError.messageTooLarge(limit: limits.messageSize))
    return add(peer, varlink, hasCalled: false)
  }

  /// Whether a peer may have another connection. The last ones are reserved: first for users who have none, and finally
  /// for root and managers, so that an administrator can always see what happens.
  private func hasRoom(for peer: Peer, _ share: UserShare, most: Int) -> Bool {
    let free = most - table.count
    if peer.user == 0 { return free > 0 }
    guard share.connections < limits.connectionsPerUser else { return false }
    if access().mayManage(peer) { return free > 0 }
    let reserve = ConnectionLimits.reserve(of: most)
    return free > (share.connections == 0 ? reserve : 2 * reserve)
  }

  /// The resources of the user to whom a peer counts.
  private func share(of peer: Peer) -> UserShare { users.share(of: access().account(of: peer.user)) }

  /// Resumes a connection of the previous daemon.
  ///
  /// - Returns: The connection, and the token of the call that its stream answers.
  func resume(_ wire: SuspendedConnection, _ peer: Peer) -> (connection: Connection, stream: CallToken?) {
    counted.resumed += 1
    let (varlink, token) = ServerConnection.resume(
      wire, maximumMessageSize: limits.messageSize,
      oversizeError: ServiceError.messageTooLarge(limit: limits.messageSize))
    return (add(peer, varlink, hasCalled: true), token)
  }

  /// Gives a connection of the previous daemon its first turn.
  func resume(_ connection: Connection) {
    connection.countBuffers()
    enqueue(connection)
    if connection.outputCount > 0 || connection.isFinished { connection.announce() }
  }

  /// Counts connections of the previous daemon that could not be resumed.
  func countLost(_ count: Int) { counted.lost += Int64(count) }

  private func add(_ peer: Peer, _ varlink: ServerConnection, hasCalled: Bool) -> Connection {
    let share = share(of: peer)
    share.connections += 1
    memory.connectionCount += 1
    let connection = Connection(
      id: nextID, peer: peer, share: share, varlink, memory: memory, outputs: outputs, now: clock.monotonic(),
      hasCalled: hasCalled)
    nextID += 1
    table.insert(connection, for: connection.id)
    return connection
  }

  /// Removes a connection that is gone.
  func disconnect(_ id: ConnectionID) -> Connection? {
    guard let connection = table.remove(id) else { return nil }
    handOverChanges.remove(id)
    connection.stream?.end()
    connection.stream = nil
    connection.abandon()
    connection.share.connections -= 1
    memory.connectionCount -= 1
    return connection
  }

  // MARK: Input

  /// Takes bytes of a connection. Its calls are handled in its turn.
  func receive(_ bytes: UnsafeRawBufferPointer, on id: ConnectionID) {
    guard let connection = table[id] else { return }
    counted.bytesReceived += Int64(bytes.count)
    connection.receive(bytes)
    awaitTurn(connection)
    enforceBufferLimits(on: connection.share)
  }

  func receiveEnd(on id: ConnectionID) {
    guard let connection = table[id] else { return }
    connection.receiveEnd()
    awaitTurn(connection)
  }

  private func awaitTurn(_ connection: Connection) {
    if connection.wait == .input { enqueue(connection) }
    account(for: connection)
  }

  /// Whether more may be received on a connection. Otherwise it is paused.
  func wantsInput(on id: ConnectionID) -> Bool {
    guard let connection = table[id] else { return false }
    return wantsInput(on: connection)
  }

  /// Whether more may be received on a connection.
  func wantsInput(on connection: Connection) -> Bool {
    connection.wantsInput && !connection.share.isSpent && !users.isSlowed(connection)
  }

  /// Handles the calls of a connection that waits for input, as many as its turn allows.
  ///
  /// This is never called from a handler: handlers rely on nothing happening between their steps, and on the parser
  /// holding their call.
  private func process(_ connection: Connection, _ handler: some CallHandler) {
    let hadViolation = connection.violation != nil
    let size = connection.bufferedInputCount
    if connection.wait == .input {
      handleCalls(connection, handler)
      if !hadViolation, let violation = connection.violation {
        counted.violations += 1
        users.logRefusal(.message, of: connection.share, .protocolViolated(violation, by: connection.peer.user))
        users.chargeViolation(to: connection.share, size: size)
      }
    }
    account(for: connection)
  }

  /// Charges a connection's user for what it holds, and announces what it has for the loop.
  private func account(for connection: Connection) {
    users.chargeUnfinished(connection.takeUnfinishedGrowth(), to: connection.share)
    connection.countBuffers()
    if connection.outputCount > 0 || connection.isFinished { connection.announce() }
  }

  private func handleCalls(_ connection: Connection, _ handler: some CallHandler) {
    var handled = 0
    let end = clock.monotonic() + Self.turnDuration
    while handler.takesCalls, connection.wait == .input {
      if handled == Self.callsPerTurn || handled > 0 && clock.monotonic() >= end { return enqueue(connection) }
      if handler.isFull(for: connection.share) {
        connection.wait = .disk
        waitingForDisk.append(connection.id)
      } else if connection.share.isSpent {
        connection.wait = .budget
        connection.share.waiting.append(connection.id)
      } else if connection.bufferedOutputCount > connection.outputLimit {
        connection.wait = .reader
      } else {
        let (size, charged) = (connection.bufferedInputCount, connection.share.chargedEvents)
        let hasHandled = connection.nextCall(using: parser) { call throws(VarlinkError) in
          try handle(call, connection, handler)
        }
        // To parse a message takes time, whatever it asks for.
        let least = (size - connection.bufferedInputCount) / Self.bytesPerEvent
        let missing = least - Int(connection.share.chargedEvents - charged)
        if missing > 0 { users.charge(missing, to: connection.share) }
        if !hasHandled { return }
        handled += 1
      }
    }
  }

  private func handle(
    _ call: Call, _ connection: Connection, _ handler: some CallHandler
  ) throws(VarlinkError) -> NextCall {
    counted.calls += 1
    let charged = connection.share.chargedEvents
    do throws(VarlinkError) {
      return try handler.handle(call, on: connection)
    } catch {
      counted.callsRefused += 1
      // A refusal is as much work as a call that appends an event.
      if connection.share.chargedEvents == charged { users.charge(1, to: connection.share) }
      if error == .permissionDenied { counted.permissionsDenied += 1 }
      let user = connection.peer.user
      if call.isOneway {
        countRefusedOnewayCall()
        users.logRefusal(.onewayCall, of: connection.share, .onewayRefused(call.method.string, error, of: user))
      } else if error == .permissionDenied {
        users.logRefusal(.permission, of: connection.share, .permissionDenied(call.method.string, to: user))
      }
      throw error
    }
  }

  /// Counts a refused oneway call, of which its caller gets no notice.
  func countRefusedOnewayCall() { counted.onewayCallsRefused += 1 }

  // MARK: Turns

  /// Whether a connection has work to do now.
  var hasWork: Bool { !ready.isEmpty || !outputs.isEmpty || users.hasRenewedBudget }

  /// Gives a turn to some of the connections that have work. Between two turns of one user, each other user has one.
  ///
  /// - Returns: Whether there is more to do at once.
  func advance(_ handler: some CallHandler) -> Bool {
    users.resumeThrottled { id in
      guard let connection = table[id], connection.wait == .budget else { return }
      connection.wait = .input
      enqueue(connection)
    }
    users.renewSlowed()
    let end = clock.monotonic() + Self.advanceDuration
    // What gets ready in these turns waits for the next ones.
    for turn in 0..<min(ready.count, Self.connectionsPerAdvance) {
      if turn > 0, clock.monotonic() >= end { break }
      guard let id = ready.popFirst() else { break }
      guard let connection = table[id], connection.wait == .turn else { continue }
      served.append(id)
      if let stream = connection.stream {
        advance(stream, of: connection)
      } else {
        connection.wait = .input
        process(connection, handler)
      }
    }
    return !ready.isEmpty || users.hasRenewedBudget
  }

  private func advance(_ stream: any ReplyStream, of connection: Connection) {
    if connection.outputCount > connection.outputLimit {
      connection.wait = .reader
      return
    }
    connection.wait = .news
    switch stream.advance() {
    case .working: enqueue(connection)
    case .waiting: break
    case .ended: endStream(of: connection)
    }
    connection.countBuffers()
    enforceBufferLimits(on: connection.share)
  }

  /// Queues a connection for a turn if it has work, whatever it waited for.
  private func enqueue(_ connection: Connection) {
    guard connection.stream != nil || connection.bufferedInputCount > 0 else {
      connection.wait = .input
      return
    }
    guard connection.wait != .turn else { return }
    connection.wait = .turn
    ready.append(connection.id, of: connection.share.user)
  }

  /// Removes and passes the connections that had a turn since the last call, so that they may be read again.
  func takeServed(_ body: (ConnectionID) -> Void) {
    for id in served { body(id) }
    served.removeAll(keepingCapacity: true)
  }

  /// Resumes the connections that waited for room in the block.
  func resumeWaitingForDisk() {
    for id in waitingForDisk {
      if let connection = table[id], connection.wait == .disk { enqueue(connection) }
    }
    waitingForDisk.removeAll(keepingCapacity: true)
  }

  /// Begins the streams that waited for a commit.
  ///
  /// - Parameter isCommitted: Whether the record at a position is committed.
  func resumeWaitingForCommit(_ isCommitted: (Position) -> Bool) {
    let ids = waitingForCommit
    waitingForCommit.removeAll(keepingCapacity: true)
    for id in ids {
      guard let connection = table[id], connection.wait == .commit else { continue }
      if isCommitted(connection.feeder.lastPosition) { enqueue(connection) } else { waitingForCommit.append(id) }
    }
  }

  /// Whether no connection waits for the disk.
  var isSettled: Bool { waitingForDisk.isEmpty && waitingForCommit.isEmpty }

  // MARK: Streams

  /// Begins a stream. Later calls wait for its end.
  ///
  /// - Parameter isCommitted: Whether everything that came over the connection is committed. If not, the stream waits
  ///   for it.
  func begin(_ stream: any ReplyStream, on connection: Connection, isCommitted: Bool) {
    connection.stream = stream
    if isCommitted { return enqueue(connection) }
    connection.wait = .commit
    waitingForCommit.append(connection.id)
  }

  /// Queues a connection for a turn if its stream waits for news.
  func wake(_ id: ConnectionID) {
    guard let connection = table[id], connection.wait == .news else { return }
    enqueue(connection)
  }

  /// Ends a stream with an error.
  func endStream(of id: ConnectionID, with error: VarlinkError) {
    guard let connection = table[id], let stream = connection.stream else { return }
    stream.fail(error)
    endStream(of: connection)
  }

  private func endStream(of connection: Connection) {
    connection.stream?.end()
    connection.stream = nil
    connection.announce()
    enqueue(connection)
  }

  /// Sends heartbeats on streams that have been silent for a while.
  func sendHeartbeats(_ now: Int64) {
    for connection in table.values {
      guard let stream = connection.stream, connection.outputCount == 0,
        now - connection.lastOutput >= Self.heartbeatInterval
      else { continue }
      stream.sendHeartbeat()
      connection.announce()
    }
  }

  /// Ends connections that have got the error for a message above the size limit, and whose peers keep them open.
  func endLingering(_ now: Int64) {
    for connection in table.values where connection.isDiscarding && now - connection.lastOutput >= Self.lingerLimit {
      connection.abandon()
      connection.announce()
    }
  }

  // MARK: Hand-over

  /// Marks a connection whose state for the next daemon has changed.
  func markHandOverChanged(_ id: ConnectionID) {
    if table[id] != nil { handOverChanges.insert(id) }
  }

  /// Removes and returns the connections that were marked since the last call.
  func takeHandOverChanges() -> Set<ConnectionID> {
    defer { handOverChanges.removeAll(keepingCapacity: true) }
    return handOverChanges
  }

  // MARK: Output

  /// Removes and returns connections that have got output, or have ended. Users take turns.
  func takeOutputs(atMost count: Int = .max) -> [ConnectionID] { outputs.take(count, at: clock.monotonic()) }

  /// Removes and returns a connection that has got output, or has ended. Users take turns.
  func takeOutput() -> ConnectionID? { outputs.take(at: clock.monotonic()) }

  /// Marks the first `count` bytes of a connection's output as sent.
  func consumeOutput(_ count: Int, of id: ConnectionID) {
    guard let connection = table[id], count > 0 else { return }
    counted.bytesSent += Int64(count)
    connection.consumeOutput(count)
    let isStream = connection.stream != nil
    // The stream resumes when half of the buffer is empty, so that it sends in large pieces.
    let waiting = isStream ? connection.outputCount : connection.bufferedOutputCount
    guard waiting <= connection.outputLimit / 2 else { return }
    switch connection.wait {
    case .reader: enqueue(connection)
    case .news where connection.stream?.wantsRoom == true: enqueue(connection)
    default: break
    }
  }

  // MARK: Memory

  /// Adds to the memory that the pushes to a user's subscriptions take, in bytes.
  func charge(pushes bytes: Int, to user: UInt32) { memory.add(bytes, to: users.share(of: user)) }

  /// Closes connections while the limits are exceeded, those that buffer the most first.
  private func enforceBufferLimits(on share: UserShare) {
    while let limit = memory.exceededLimit(of: share), let heaviest = heaviest(of: share) { drop(heaviest, limit) }
    // The user whose connections buffer the most loses one, not the user who exceeded the limit; root only if nobody else
    // buffers anything.
    while let limit = memory.exceededLimit, let share = heaviestUser, let heaviest = heaviest(of: share) {
      drop(heaviest, limit)
    }
  }

  private var heaviestUser: UserShare? {
    let others = users.users.lazy.filter { $0.user != 0 && $0.bufferedBytes > 0 }
    return others.max { $0.bufferedBytes < $1.bufferedBytes } ?? users[0]
  }

  private func heaviest(of share: UserShare) -> Connection? {
    let candidates = table.values.lazy.filter { $0.share === share && $0.bufferedBytes > 0 }
    return candidates.max { $0.bufferedBytes < $1.bufferedBytes }
  }

  private func drop(_ connection: Connection, _ limit: (bytes: Int, key: String)) {
    counted.dropped += 1
    let entry = JournalEntry.connectionDropped(
      of: connection.peer.user, held: connection.bufferedBytes, key: limit.key, limit: limit.bytes)
    users.logRefusal(.buffer, of: connection.share, entry)
    connection.stream?.end()
    connection.stream = nil
    connection.abandon()
    connection.announce()
  }
}
