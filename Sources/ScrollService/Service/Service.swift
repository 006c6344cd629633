// The daemon's heart: calls in, records and replies out. It does no I/O.

import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The daemon's heart: connections are fed bytes and give bytes, jobs for the commit thread come out, their results go in.
///
/// It does no I/O but reading the log, and knows no clock but the one it is given, so that tests drive it without sockets,
/// sleeping and threads. A loop around it does, in turns:
///
///     service.receive(bytes, on: id)          // or connect, receiveEnd, disconnect
///     service.complete(result)                // what the commit thread did
///     service.tick()                          // every few seconds
///     service.advanceStreams()                // while it returns true
///     if let job = service.nextJob() { … }    // to the commit thread
///     if let job = service.nextUpkeep() { … } // to the upkeep thread
///     service.takeDirty()                     // connections with output to send
///
/// What the fold and every reader see is the *horizon*: what is on disk with `Sync=commit`, else what is written. The
/// intake runs ahead of it: it gives out numbers and positions to what is accepted and not committed yet.
public final class Service {
  /// The most events that a call may append.
  static let maximumEvents = 4096
  /// How long an application's name, a title and a reason may be, in bytes of UTF-8.
  static let maximumTextLength = 4096
  /// How many requests may wait for one client's answers.
  static let maximumRequests = 1024
  /// How many answers may wait for the disk before calls have to wait.
  static let maximumAnswers = 1 << 17
  /// How many times the output's limit a block may bring to a subscriber that had room.
  static let burstFactor = 4
  /// How many streams do a piece of work in one turn.
  static let streamsPerTurn = 32
  /// How long a session that was to end with its connection goes on after a start of the daemon, in microseconds: so
  /// long its client may take to come back.
  static let graceAfterStart: Int64 = 30_000_000
  /// After how long without output a stream says that it lives, in microseconds. Readers give up after 45 s.
  static let heartbeatInterval: Int64 = 20_000_000

  // What it was given.

  /// What it was told.
  public internal(set) var configuration: Configuration
  /// Who may do what.
  var access: AccessRules
  /// Reads the configuration again.
  let readConfiguration: () throws(ConfigurationError) -> Configuration
  let journal: Journal
  let clock: ServiceClock
  let varlink: VarlinkService
  let parser = JSONParser()

  // The log.

  /// The log's segments, for reading.
  let segments: SegmentList
  /// Which history of the log this is.
  let generations: GenerationHistory
  /// The fold up to the horizon.
  let projection: Projection
  /// The fold as it stood lately.
  var recent = RecentProjections()
  /// What is accepted and not on its way to the disk yet.
  var builder: BlockBuilder
  /// How large a block may grow before calls have to wait for the commit before it, in bytes.
  var maximumBlockSize = 4 << 20
  /// The answers that wait for the block in `builder`.
  var answers: [Answer] = []
  /// The sessions with runs in the block in `builder`.
  var touched: [IntakeSession] = []
  /// What is on its way.
  var commit = CommitState.idle
  /// The answers that wait for the block that is on its way.
  var writingAnswers: [Answer] = []
  /// The sessions with runs in the block that is on its way.
  var writingTouched: [IntakeSession] = []
  /// How far the writer has come.
  var written: WriterStatus
  /// The size at which the segment is sealed and the next one begins, in bytes.
  ///
  /// What a segment begins with, the checkpoint of all open sessions, counts extra: a checkpoint that is larger than a
  /// segment should be would otherwise make every commit begin the next one.
  var rollSize: Int64 { segmentHead + max(Int64(configuration.segmentSize), segmentHead) + rollDelay }
  /// The size of the checkpoint at the segment's head, in bytes; 0 while this daemon has begun none.
  var segmentHead: Int64 = 0
  /// How much more is written before it is tried again to begin a segment, after there was no space for one, in bytes.
  var rollDelay: Int64 = 0
  /// That there is no room to begin a segment was said, and none has been begun since.
  var isRollFailureSaid = false
  /// How much of the log is written between snapshots, in bytes, at the least. So much has to be folded again by who looks into
  /// the past, which takes some ten milliseconds.
  var snapshotInterval: Int64 = 4 << 20
  /// How much more is written before a snapshot is tried again, after one could not be written, in bytes.
  var snapshotDelay: Int64 = 0
  /// The versions of the fold whose records were folded again for somebody, which was said.
  var refoldingSaid: Set<UInt32> = []
  /// That snapshots cannot be written was said.
  var isSnapshotFailureSaid = false
  /// A snapshot for the stop was tried.
  var hasTriedLastSnapshot = false
  /// The last appends were refused since the disk is full.
  var isOutOfSpace = false
  /// The last reload found a bad configuration.
  var keepsOldConfiguration = false
  /// `stop()` was called.
  var isStopping = false
  /// Answers to `Sync` that wait for the next sync.
  var syncAnswers: [Answer] = []
  /// `Rotate` was asked for.
  var wantsRoll = false
  /// Calls to `Rotate` that wait for it.
  var rollAnswers: [(connection: Connection.ID, token: CallToken)] = []

  /// What is taken out of the log, oldest first, and whose files are still to be removed.
  var trimmed: [TrimmedSegment] = []
  /// Why removing failed: it is tried again when retention is looked at next.
  var removalError: FileError?
  /// The last job was a snapshot, so that the next one isn't while there is something to write.
  var hasJustSnapshotted = false
  /// What the upkeep thread does.
  var upkeep: UpkeepJob?
  /// The segments that could not be packed, by their first positions.
  var unpackable: Set<Position> = []
  /// There was no room to pack: it is tried again when retention is looked at next.
  var isPackingPut = false
  /// That was said.
  var isShortOfRoomToPack = false
  /// Calls to `Forget`, the first one under way.
  var forgettings: [Forgetting] = []
  /// Calls to `Backup` whose files stay.
  var backups: [BackupStream] = []
  /// How many bytes the log took when the daemon started.
  var usedAtStart: Int64 = 0
  /// When retention is looked at next, by the monotonic clock.
  var retentionDue = Int64.min
  /// The free space could not be found out, and that was said.
  var isSpaceUnknown = false
  /// Calls to `Vacuum` that wait for the removal.
  var vacuumAnswers: [VacuumAnswer] = []

  // Sessions.

  var intake: [SessionID: IntakeSession] = [:]
  var intakeClients: [ClientID: IntakeSession] = [:]
  /// How many sessions of the intake each user has.
  var sessionsPerUser: [UInt32: Int] = [:]
  /// The sessions whose closing is accepted and not on disk yet.
  var ending: [SessionID: IntakeSession] = [:]
  /// Every id that a session had and that is closed.
  var closedSessions: Set<SessionID>

  // Connections.

  var connections: [Connection.ID: Connection] = [:]
  private var nextConnection: Connection.ID = 1
  /// What each user takes of the daemon; also users who have no connection any more and something to be remembered.
  var users: [UInt32: UserShare] = [:]
  /// The users whose budget of events is spent.
  var spentUsers: [UserShare] = []
  /// The users of whom more that may come to no message has to wait.
  var slowedUsers: [UserShare] = []
  /// What all connections hold, in bytes.
  var bufferedBytes = 0
  private var dirty: [Connection] = []
  /// Connections of which something changed that is handed over, though nothing is sent.
  var changedAtRest: [Connection.ID] = []
  /// Connections whose calls wait for the builder to be emptied.
  var stalled: Set<Connection.ID> = []
  /// Connections with work: a stream that goes on, or calls that may be taken.
  private var runnable: [Connection.ID] = []
  private var isRunnable: Set<Connection.ID> = []
  /// Connections whose stream waits for a commit.
  var waitingForCommit: [Connection.ID] = []

  // Subscriptions.

  /// The subscriptions that hear of what happens as it happens.
  var live: [ObjectIdentifier: Subscription] = [:]
  /// Of these, who watches which session; also entries that count no more.
  var watchers: [SessionID: [Watcher]] = [:]
  /// Whether there may be entries that count no more.
  var hasStaleWatchers = false
  /// How many subscriptions each user has, live or not.
  var subscriptionsPerUser: [UInt32: Int] = [:]
  /// Where messages are written that many subscribers get.
  var shared = ByteBuffer()

  var metrics = Metrics()
  private var toldSessions = MessageLimit()

  /// A service on a log that was opened.
  ///
  /// - Throws: when an interface's text is malformed.
  public init(
    log: OpenedLog, configuration: Configuration, access: AccessRules,
    readConfiguration: @escaping () throws(ConfigurationError) -> Configuration, journal: Journal, clock: ServiceClock
  ) throws {
    self.configuration = configuration
    self.access = access
    self.readConfiguration = readConfiguration
    self.journal = journal
    self.clock = clock
    varlink = try ServiceInterfaces.makeService()
    segments = log.segments
    generations = log.generations
    projection = log.projection
    builder = BlockBuilder(nextPosition: log.nextPosition, received: log.projection.received)
    written = log.writer.status
    metrics.start = log.report
    usedAtStart = log.segments.sealedBytes + written.reservedBytes
    closedSessions = log.closedSessions
    rebuildIntake()
    let due = clock.monotonic() + Self.graceAfterStart
    for session in projection.sessions.values where session.opening.closeOnDisconnect {
      intake[session.id]?.closeDue = due
    }
    applyRetention()
  }

  /// Takes over the open sessions of the horizon, dropping all that was accepted beyond it.
  func rebuildIntake() {
    let before = intake.merging(ending) { open, _ in open }
    intake = [:]
    intakeClients = [:]
    sessionsPerUser = [:]
    ending = [:]
    for session in projection.sessions.values {
      let entry = before[session.id] ?? IntakeSession(session)
      entry.revert(to: session)
      closedSessions.remove(session.id)
      intake[session.id] = entry
      intakeClients[session.client] = entry
      sessionsPerUser[session.client.user, default: 0] += 1
    }
    // A session whose opening was dropped never was.
    for (id, entry) in before where intake[id] == nil {
      closedSessions.remove(id)
      entry.requestStream?.refused(self)
    }
  }

  // MARK: Connections

  /// Takes a new connection.
  ///
  /// - Parameter isRoom: Whether the process has file descriptors to spare for it.
  /// - Returns: Its id; `nil` when there are too many already, in all or of this user: then it is to be shut down.
  public func connect(_ peer: Peer, isRoom: Bool = true) -> UInt64? {
    let share = share(of: peer.user)
    guard isRoom, connections.count < configuration.maximumConnections,
      peer.user == 0 || share.connections < configuration.maximumConnectionsPerUser
    else {
      metrics.connectionsRefused += 1
      logRefusal(.connection, of: share, .connectionRefused(of: peer.user))
      return nil
    }
    metrics.connectionsAccepted += 1
    return admit(peer, ServerConnection(maximumMessageSize: configuration.maximumMessageSize)).id
  }

  /// Takes a connection, whose place was seen to.
  func admit(_ peer: Peer, _ varlink: ServerConnection) -> Connection {
    let share = share(of: peer.user)
    share.connections += 1
    let connection = Connection(id: nextConnection, peer: peer, share: share, varlink, now: clock.monotonic())
    nextConnection += 1
    connections[connection.id] = connection
    return connection
  }

  /// Takes bytes that a connection's peer sent.
  public func receive(_ bytes: UnsafeRawBufferPointer, on id: UInt64) {
    guard let connection = connections[id] else { return }
    metrics.bytesReceived += Int64(bytes.count)
    let unfinished = connection.varlink.unfinishedInputCount
    connection.varlink.receive(bytes)
    process(connection)
    chargeUnfinished(connection.varlink.unfinishedInputCount - unfinished, to: connection)
    enforceBufferLimits(after: connection)
  }

  /// A connection's peer ended its side; it still gets its answers.
  public func receiveEnd(on id: UInt64) {
    guard let connection = connections[id] else { return }
    connection.varlink.receiveEnd()
    process(connection)
  }

  /// A connection is gone.
  public func disconnect(_ id: UInt64) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    connection.stream?.end(self)
    connection.stream = nil
    connection.varlink.abandon()
    countBuffered(connection)
    connection.share.connections -= 1
    for session in connection.ownedSessions {
      if let session = intake[session], session.owner == id { close(session, reason: .disconnected) }
    }
  }

  /// Whether it is of use to receive more on a connection. Where it is not, its peer has to wait.
  public func wantsInput(on id: UInt64) -> Bool {
    guard let connection = connections[id] else { return false }
    // What comes while the daemon stops is for the next one.
    return connection.varlink.wantsInput && !isFull && !isStopping && !connection.share.budget.isSpent
      && !connection.waitsForBudget && !connection.hasMoreCalls
      && connection.varlink.bufferedOutputCount <= outputLimit(of: connection)
      && !isSlowed(connection)
  }

  /// Whether so much waits for the disk that calls have to wait, too.
  private var isFull: Bool {
    builder.byteCount >= maximumBlockSize || answers.count + writingAnswers.count >= Self.maximumAnswers
  }

  /// Whether a connection's peer has ended its side, or broke the protocol: nothing more is received then.
  public func hasEnded(_ id: UInt64) -> Bool {
    guard let connection = connections[id] else { return true }
    return connection.varlink.hasReceivedEnd || connection.varlink.violation != nil
  }

  /// Whether a connection has come to its end and is to be closed.
  public func isFinished(_ id: UInt64) -> Bool {
    connections[id]?.varlink.isFinished ?? true
  }

  /// Calls `body` with what is to be sent on a connection.
  public func withOutput<Result>(of id: UInt64, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    connections[id]?.varlink.withUnsafeOutput(body)
  }

  /// Takes it that the first bytes of a connection's output were sent.
  public func consumeOutput(_ count: Int, of id: UInt64) {
    guard let connection = connections[id], count > 0 else { return }
    metrics.bytesSent += Int64(count)
    connection.varlink.consumeOutput(count)
    countBuffered(connection)
    let roomy = outputLimit(of: connection) / 2
    // Whoever waits for room gets it once the buffer is half empty, so that pieces stay large.
    guard connection.varlink.outputCount <= roomy else { return }
    if connection.stream?.wantsRoom == true || connection.isStreamHeldBack { schedule(connection) }
    if connection.isHeldBack, connection.varlink.bufferedOutputCount <= roomy { schedule(connection) }
  }

  /// The connections that have output since this was called last, or that have come to their end.
  public func takeDirty() -> [UInt64] {
    guard !dirty.isEmpty else { return [] }
    let ids = dirty.map(\.id)
    for connection in dirty { connection.isDirty = false }
    dirty.removeAll(keepingCapacity: true)
    return ids
  }

  /// Notes that a connection has output or has come to its end.
  func markDirty(_ connection: Connection) {
    connection.lastOutput = clock.monotonic()
    countBuffered(connection)
    guard !connection.isDirty else { return }
    connection.isDirty = true
    dirty.append(connection)
  }

  /// Takes the calls of a connection that may be taken now.
  ///
  /// Never called while a call is handled, since handlers rely on nothing happening between their steps and on the parser
  /// holding their call: what a handler does to other connections is seen to by `schedule`.
  func process(_ connection: Connection) {
    connection.isHeldBack = false
    connection.hasMoreCalls = false
    let hadViolation = connection.varlink.violation != nil
    var taken = 0
    while !isStopping {
      if taken == Self.callsPerTurn {
        // Behind a stream they wait for its end.
        connection.hasMoreCalls = !connection.varlink.isWaiting
        schedule(connection)
        break
      }
      if isFull {
        stalled.insert(connection.id)
        break
      }
      if connection.share.budget.isSpent {
        waitForBudget(connection)
        break
      }
      // Who doesn't read its answers gets no further ones.
      if connection.varlink.bufferedOutputCount > outputLimit(of: connection) {
        connection.isHeldBack = true
        break
      }
      guard connection.varlink.nextCall(using: parser, { call throws(VarlinkError) in try handle(call, connection) })
      else { break }
      taken += 1
    }
    if !hadViolation, let violation = connection.varlink.violation {
      metrics.protocolViolations += 1
      logRefusal(.message, of: connection.share, .protocolViolated(violation, by: connection.peer.user))
      chargeViolation(connection.share)
    }
    countBuffered(connection)
    if connection.varlink.outputCount > 0 || connection.varlink.isFinished { markDirty(connection) }
  }

  private func handle(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    metrics.calls += 1
    do throws(VarlinkError) {
      let next = try dispatch(call, connection)
      connection.hasCalled = true
      return next
    } catch {
      metrics.callsRefused += 1
      if error == .permissionDenied { metrics.permissionsDenied += 1 }
      if call.isOneway {
        metrics.onewayCallsRefused += 1
        logRefusal(
          .onewayCall, of: connection.share, .onewayRefused(call.method.string, error, of: connection.peer.user))
      } else if error == .permissionDenied {
        logRefusal(
          .permission, of: connection.share, .permissionDenied(call.method.string, to: connection.peer.user))
      }
      throw error
    }
  }

  /// Says that a session was opened or closed, unless so many were lately that it would fill the journal.
  func logSession(
    _ entry: @autoclosure () -> JournalEntry, file: StaticString = #fileID, line: Int = #line,
    function: StaticString = #function
  ) {
    if toldSessions.admits(clock.monotonic()) { journal.log(entry(), file: file, line: line, function: function) }
  }

  private func dispatch(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    let isFeeding = call.method.bytes.starts(with: "org.scrolld.Recorder.".utf8)
    if isFeeding, !access.mayFeed(connection.peer) { throw .permissionDenied }
    switch call.method {
    case "org.scrolld.Recorder.Append": return try append(call, connection)
    case "org.scrolld.Recorder.Open": return try open(call, connection)
    case "org.scrolld.Recorder.Close": return try close(call, connection)
    case "org.scrolld.Recorder.Requests": return try requests(call, connection)
    case "org.scrolld.Recorder.Respond": return try respond(call, connection)
    case "org.scrolld.Observer.List": return try list(call, connection)
    case "org.scrolld.Observer.Get": return try get(call, connection)
    case "org.scrolld.Observer.Subscribe": return try subscribe(call, connection)
    case "org.scrolld.Observer.Read": return try read(call, connection)
    case "org.scrolld.Observer.Scroll": return try scroll(call, connection)
    case "org.scrolld.Manager.Statistics": return try statistics(call, connection)
    case "org.scrolld.Manager.Sync": return try sync(call, connection)
    case "org.scrolld.Manager.Rotate": return try rotate(call, connection)
    case "org.scrolld.Manager.Vacuum": return try vacuum(call, connection)
    case "org.scrolld.Manager.Forget": return try forget(call, connection)
    case "org.scrolld.Manager.Backup": return try backup(call, connection)
    case "org.scrolld.Manager.Import": return try importSession(call, connection)
    case "org.scrolld.Manager.EndImport": return try endImport(call, connection)
    case "org.scrolld.Manager.Reload": return try reload(call, connection)
    default:
      // What is no method of ours is org.varlink.service's, or an error that says so.
      if let method = try varlink.route(call, on: connection.varlink) { throw .methodNotImplemented(method.name) }
      return .mayFollow
    }
  }

  // MARK: Standing

  /// How many subscriptions there are, live or not.
  var subscriberCount: Int { subscriptionsPerUser.values.reduce(0, +) }

  /// The last position that everybody sees.
  public var lastPosition: Position { projection.position }

  /// One line on how the daemon stands.
  public var statusLine: String {
    if isStopping { return "Syncing the log." }
    let space = isOutOfSpace ? "The disk is full, appends are refused. " : ""
    let configuration = keepsOldConfiguration ? "The configuration is bad, the old one stays. " : ""
    return space + configuration
      + "\(projection.sessions.count) sessions open, \(subscriberCount) subscribers, position \(projection.position)."
  }

  // MARK: Streams

  /// Begins a stream: no call behind it is taken before it has ended.
  func begin(_ stream: any ReplyStream, on connection: Connection) -> NextCall {
    connection.stream = stream
    // What the caller has sent before is seen by what it asks for now.
    if isCommitted(connection.lastPosition) {
      schedule(connection)
    } else {
      waitingForCommit.append(connection.id)
    }
    return .waits
  }

  func isCommitted(_ position: Position) -> Bool {
    projection.position >= position || (builder.isEmpty && commit.isIdle)
  }

  /// Sees to it that a connection's stream goes on, or that the calls that wait are taken.
  func schedule(_ connection: Connection) {
    if isRunnable.insert(connection.id).inserted { runnable.append(connection.id) }
  }

  /// Whether another turn is due at once, without waiting for something to happen.
  public var hasWork: Bool { !runnable.isEmpty || !dirty.isEmpty || hasJob || hasUpkeep || hasRenewedBudget }

  /// Lets each stream that has work do a piece of it, and takes calls that had to wait; some connections a turn.
  ///
  /// - Returns: Whether there is more to do at once.
  @discardableResult
  public func advanceStreams() -> Bool {
    advanceWaiting()
    renewSlowed()
    let turn = Array(runnable.prefix(Self.streamsPerTurn))
    runnable.removeFirst(turn.count)
    for id in turn {
      isRunnable.remove(id)
      guard let connection = connections[id] else { continue }
      guard let stream = connection.stream else {
        process(connection)
        continue
      }
      connection.isStreamHeldBack = connection.varlink.outputCount > outputLimit(of: connection)
      if connection.isStreamHeldBack { continue }
      let before = connection.varlink.outputCount
      let progress = stream.advance(self, connection)
      if connection.varlink.outputCount != before { markDirty(connection) }
      switch progress {
      case .working: schedule(connection)
      case .waiting: break
      case .ended: endStream(of: connection)
      }
    }
    return !runnable.isEmpty || hasRenewedBudget
  }

  /// Ends the stream of a connection after its last reply; the calls behind it are taken in the next turn.
  func endStream(of connection: Connection) {
    connection.stream?.end(self)
    connection.stream = nil
    markDirty(connection)
    schedule(connection)
  }

  /// Lets the streams that waited for a commit begin.
  func wakeWaiting() {
    let ids = waitingForCommit
    waitingForCommit.removeAll(keepingCapacity: true)
    for id in ids {
      guard let connection = connections[id], connection.stream != nil else { continue }
      if isCommitted(connection.lastPosition) {
        schedule(connection)
      } else {
        waitingForCommit.append(id)
      }
    }
  }

  // MARK: Time

  /// Does what is due: heartbeats, and closing sessions that were idle for too long. To be called every few seconds.
  public func tick() {
    let now = clock.monotonic()
    for connection in connections.values {
      guard let stream = connection.stream, now - connection.lastOutput >= Self.heartbeatInterval,
        connection.varlink.outputCount == 0
      else { continue }
      stream.heartbeat(self, connection)
      markDirty(connection)
    }
    tellRefusals(now)
    if let count = toldSessions.takeSuppressed(now) { journal.log(.sessionsSuppressed(count)) }
    sweepWatchers()
    if isStopping { return }
    if now >= retentionDue { applyRetention() }
    let idleSince = clock.wall().subtractingReportingOverflow(configuration.sessionIdle)
    for session in intake.values {
      if let due = session.closeDue, due <= now {
        close(session, reason: .disconnected)
      } else if !idleSince.overflow, session.lastReceived <= idleSince.partialValue {
        close(session, reason: .idle)
      }
    }
  }
}
