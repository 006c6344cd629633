import ScrollLog
import ScrollModel
import Varlink

/// The open sessions, including what is not on disk yet: numbers, gaps, owners, requests and deadlines.
///
/// Calls are checked against these sessions as if all accepted records were already on disk. ``commit(through:)``
/// follows when they are; ``revert(to:)`` restores what is on disk if there is no space for them.
final class Sessions {
  /// Counters from the start of the daemon.
  struct Counters {
    var opened: Int64 = 0
    var closed: Int64 = 0
    var eventsAppended: Int64 = 0
    var eventsPassedOver: Int64 = 0
  }

  /// How long a session that closes with its connection survives a restart of the daemon, in microseconds.
  static let graceAfterStart: Int64 = 30_000_000

  private(set) var counters = Counters()
  private(set) var open: [SessionID: OpenSession] = [:]
  private var names = SessionNames()
  private var byClient: [ClientID: OpenSession] = [:]
  /// The users who have a client of a name with an open session.
  private var usersByName: [ClientName: Set<UInt32>] = [:]
  private var countByAccount: [UInt32: Int] = [:]
  /// How many unanswered requests the clients of each user have.
  private var requestCounts: [UInt32: Int] = [:]
  /// The sessions whose closing is accepted and not on disk.
  private var closing: [SessionID: OpenSession] = [:]
  private var closedSessions: ClosedSessions
  /// The sessions whose connections are gone, and that are to be closed.
  private var disconnected = DisconnectedSessions()
  /// The sessions with events that are not on disk.
  private var pending: [OpenSession] = []
  private let effects: EffectQueue
  private let clock: ServiceClock
  private let account: (UInt32) -> UInt32
  private let charge: (Int, UInt32) -> Void

  /// - Parameters:
  ///   - horizon: The sessions on disk.
  ///   - closed: The ids of closed sessions.
  ///   - account: Returns the user for whom a user's sessions count.
  ///   - charge: Adds to the memory that the sessions of a user take, in bytes.
  init(
    _ horizon: Horizon, closed: [SessionID: SessionOwner], effects: EffectQueue, clock: ServiceClock,
    account: @escaping (UInt32) -> UInt32 = { $0 }, charge: @escaping (Int, UInt32) -> Void = { _, _ in }
  ) {
    self.account = account
    self.charge = charge
    closedSessions = ClosedSessions(closed)
    self.effects = effects
    self.clock = clock
    revert(to: horizon)
    let due = clock.monotonic() + Self.graceAfterStart
    for session in horizon.sessions where session.opening.closeOnDisconnect { open[session.id]?.closeDue = due }
  }

  // MARK: Looking up

  subscript(id: SessionID) -> OpenSession? { open[id] }
  subscript(client: ClientID) -> OpenSession? { byClient[client] }
  subscript(name: SessionName) -> OpenSession? { names.own[name] }

  /// Returns a session that is open, or whose closing is not on disk yet.
  func session(onDisk id: SessionID) -> OpenSession? { open[id] ?? closing[id] }

  /// The ids of closed sessions that are remembered.
  var closed: Set<SessionID> { closedSessions.all }

  /// Returns the user for whom a user's sessions count.
  func account(of user: UInt32) -> UInt32 { account(user) }

  /// Returns how many sessions count for a user, including those of the user's subordinate ids.
  func count(of user: UInt32) -> Int { countByAccount[account(user), default: 0] }

  /// Returns the clients of a name that have an open session.
  func clients(named name: ClientName) -> [ClientID] {
    usersByName[name, default: []].map { ClientID(user: $0, name: name) }
  }

  /// Returns an open session that a feeder may use.
  ///
  /// - Parameter id: The id by which the feeder's user calls it.
  /// - Throws: `SessionClosed`, `NoSuchSession`, or `PermissionDenied` when only another user has it.
  func session(_ id: SessionID, of feeder: Feeder) throws(VarlinkError) -> OpenSession {
    let name = SessionName(user: feeder.user, id: id)
    if let session = names.session(of: name) { return session }
    if isClosed(name) { throw ServiceError.sessionClosed }
    if open[id] != nil { throw .permissionDenied }
    throw ServiceError.noSuchSession
  }

  /// Returns the open session that `Open` or `Import` resumes; `nil` when the user has not used the id.
  ///
  /// - Throws: `SessionClosed`, or `InvalidParameter` when it is another client's.
  func resumable(_ id: SessionID, for client: ClientID) throws(VarlinkError) -> OpenSession? {
    let name = SessionName(user: client.user, id: id)
    guard let session = names.own[name] else {
      if isClosed(name) { throw ServiceError.sessionClosed }
      return nil
    }
    guard session.client == client else { throw .invalidParameter("client") }
    return session
  }

  private func isClosed(_ name: SessionName) -> Bool { closedSessions.contains(name, of: account(name.user)) }

  /// Returns the id under which the log shall have a session that does not exist yet.
  ///
  /// - Parameter name: What its user calls it; `nil` if the user gave no id.
  /// - Throws: `SessionClosed` when another session of the user has the id. It takes a search to find two ids for which this
  ///   can happen.
  func newID(for name: SessionName?) throws(VarlinkError) -> SessionID {
    if let name {
      guard SessionName.isAlias(name.id) || isUsed(name.id) else { return name.id }
      guard !isUsed(name.alias) else { throw ServiceError.sessionClosed }
      return name.alias
    }
    while true {
      let id = SessionID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
      if !SessionName.isAlias(id), !isUsed(id) { return id }
    }
  }

  /// Whether the log has some user's session under an id, as far as is remembered.
  private func isUsed(_ id: SessionID) -> Bool {
    open[id] != nil || closing[id] != nil || closedSessions.contains(id)
  }

  // MARK: Opening and closing

  /// Begins a session.
  func begin(_ id: SessionID, _ opening: Opening) -> NewRecord {
    let session = OpenSession(id: id, opening, heard: clock.boot())
    insert(session)
    counters.opened += 1
    return NewRecord(session: id, record: .open(opening))
  }

  /// Resumes a session that is open.
  func resume(_ session: OpenSession) {
    setGap(of: session, false)
    session.closeDue = nil
  }

  /// Lets a user feed another user's session, to import it, and no other one of the same id.
  func beginImport(_ session: OpenSession, by importer: UInt32) {
    if importer != session.client.user { names.beginImport(session, by: importer) }
  }

  /// Makes a session close with a feeder's connection.
  func own(_ session: OpenSession, _ feeder: Feeder) {
    if let before = session.owner, before !== feeder {
      before.disown(session.id)
      effects.add(.handOverChanged(before.connection))
    }
    session.owner = feeder
    feeder.own(session.id)
  }

  /// Records that a feeder has sent events for a session.
  func didFeed(_ session: OpenSession, _ feeder: Feeder) {
    guard feeder.didFeed(session.id) else { return }
    session.add(feeder)
  }

  /// Closes a session.
  ///
  /// - Parameter time: When an imported session was closed; `nil` for now.
  func close(_ session: OpenSession, reason: Closing.Reason, time: Int64? = nil) -> NewRecord {
    open[session.id] = nil
    names.remove(session)
    byClient[session.client] = nil
    usersByName[session.client.name]?.remove(session.client.user)
    if usersByName[session.client.name]?.isEmpty == true { usersByName[session.client.name] = nil }
    let left = countByAccount[session.account, default: 1] - 1
    countByAccount[session.account] = left == 0 ? nil : left
    charge(-session.size, session.account)
    requestCounts[session.account, default: 0] -= session.requests.count
    closing[session.id] = session
    closedSessions.insert(
      ClosedSession(id: session.id, owner: .user(session.client.user)), of: session.account)
    // If there is no space for the closing, it is attempted again.
    if reason == .disconnected, time == nil { session.closeDue = clock.monotonic() }
    counters.closed += 1
    return NewRecord(session: session.id, record: .close(Closing(time: time ?? clock.wall(), reason: reason)))
  }

  /// Closes the sessions that satisfy a condition.
  func close(reason: Closing.Reason, where matches: (OpenSession) -> Bool) -> [NewRecord] {
    open.values.filter(matches).map { close($0, reason: reason) }
  }

  /// How many sessions whose connections are gone are closed before the loop looks for other events.
  static let closingsPerTurn = 32
  /// How many sessions forget a connection that is gone before the loop looks for other events.
  static let releasesPerTurn = 1024

  /// Lets the sessions that close with a connection close, some in each turn.
  func disconnect(_ feeder: Feeder) {
    let now = clock.monotonic()
    for id in feeder.ownedSessions {
      guard let session = open[id], session.owner === feeder else { continue }
      session.owner = nil
      // If the daemon stops before, or there is no space for the closing, it is attempted again.
      session.closeDue = now
      disconnected.add(session)
    }
    disconnected.add(feeder)
  }

  /// Lets a bounded number of sessions forget connections that are gone: one can have fed all sessions of its user.
  func releaseDisconnected() {
    for _ in 0..<Self.releasesPerTurn {
      guard let (feeder, id) = disconnected.popFed() else { return }
      open[id]?.remove(feeder)
    }
  }

  /// Whether sessions have to be closed or to forget feeders, because their connections are gone.
  var hasDisconnected: Bool { !disconnected.isEmpty }

  /// Removes and returns the next session that has to be closed, because its connection is gone.
  func nextDisconnected() -> OpenSession? {
    while let session = disconnected.popFirst() {
      // It may have been closed, or opened again, in the meantime.
      if open[session.id] === session, session.closeDue != nil { return session }
    }
    return nil
  }

  /// Lets a session whose connection is gone wait for the next block.
  func postponeClosing(_ session: OpenSession) { disconnected.postpone(session) }

  /// Lets the sessions that waited for the next block be closed.
  func resumeClosing() { disconnected.resume() }

  /// Closes the sessions that have been idle for too long, and those whose clients have not come back.
  ///
  /// - Parameter idleLimit: Microseconds.
  func closeDue(idleLimit: Int64) -> [NewRecord] {
    let now = clock.monotonic()
    let idleSince = clock.boot().subtractingReportingOverflow(idleLimit)
    return open.values.compactMap { session in
      if let due = session.closeDue, due <= now { return close(session, reason: .disconnected) }
      guard !idleSince.overflow, session.lastHeard <= idleSince.partialValue else { return nil }
      return close(session, reason: .idle)
    }
  }

  // MARK: Events

  /// Returns the number of events at the start of a call that are already stored.
  ///
  /// - Parameter number: The first event's number, if the call has one.
  /// - Throws: `InvalidParameter` or `NumberGap`.
  func knownCount(of count: Int, from number: Int64?, in session: OpenSession) throws(VarlinkError) -> Int {
    guard let number else {
      if session.hasGap { throw ServiceError.numberGap(expected: session.nextNumber) }
      return 0
    }
    if number < 1 { throw .invalidParameter("number") }
    if number > session.nextNumber { throw ServiceError.numberGap(expected: session.nextNumber) }
    let known = Int(min(session.nextNumber - number, Int64(count)))
    counters.eventsPassedOver += Int64(known)
    return known
  }

  /// Records that events are in the block under construction, the first one at a position.
  func accept(_ count: Int, at firstPosition: Position, in session: OpenSession, isOneway: Bool) {
    if session.accept(count, at: firstPosition, isOneway: isOneway) { pending.append(session) }
    setGap(of: session, false)
    session.lastHeard = clock.boot()
    counters.eventsAppended += Int64(count)
  }

  /// Records whether a session has a gap.
  func setGap(of session: OpenSession, _ hasGap: Bool) {
    guard session.hasGap != hasGap else { return }
    session.setGap(hasGap)
    for feeder in session.feeders { effects.add(.handOverChanged(feeder.connection)) }
  }

  // MARK: Requests

  /// How many requests to the clients of one user may wait for responses.
  static let requestsPerUser = 16 << 10

  /// Accepts a request for a session's client.
  ///
  /// - Returns: Whether the client reads its requests, and has not left too many of them unanswered.
  func acceptRequest(for session: OpenSession) -> Bool {
    guard session.requests.isAccepting, requestCounts[session.account, default: 0] < Self.requestsPerUser else {
      return false
    }
    session.requests.accept()
    requestCounts[session.account, default: 0] += 1
    return true
  }

  /// Directs the requests for a session's client to a connection's stream, and ends the stream that got them before.
  func readRequests(of session: OpenSession, on connection: ConnectionID) {
    // A client has only one stream of requests, the newest.
    if let before = session.requests.reader { effects.add(.endStream(before, ServiceError.requestsTakenOver)) }
    session.requests.reader = connection
  }

  /// Resumes a stream of requests of the previous daemon.
  ///
  /// - Returns: The stream; `nil` when its session is no longer open.
  func resumeRequests(_ state: RequestsState, of feeder: Feeder, _ channel: ReplyChannel) -> RequestStream? {
    guard let session = open[state.session], session.client.user == feeder.user, session.requests.reader == nil else {
      return nil
    }
    let before = session.requests.count
    session.requests.restore(state.unanswered)
    requestCounts[session.account, default: 0] += session.requests.count - before
    session.requests.reader = feeder.connection
    return RequestStream(session, channel, resuming: state)
  }

  /// Adds a request that is on disk.
  func add(_ request: ScrollRequest, to id: SessionID, at position: Position) {
    guard let session = session(onDisk: id) else { return }
    session.requests.add(request, at: position)
    if let reader = session.requests.reader { effects.add(.wake(reader)) }
  }

  /// Removes a request whose response is on disk.
  func removeRequest(of id: SessionID, at position: Position) {
    guard let session = session(onDisk: id) else { return }
    let before = session.requests.count
    session.requests.remove(at: position)
    if open[id] === session { requestCounts[session.account, default: 0] += session.requests.count - before }
    if let reader = session.requests.reader { effects.add(.handOverChanged(reader)) }
  }

  // MARK: The disk

  /// Whether everything that was accepted is on disk.
  var isSettled: Bool { closing.isEmpty && pending.isEmpty }

  /// Records that everything up to a position is on disk.
  func commit(through position: Position) {
    for session in pending { session.commit(through: position) }
    pending.removeAll { !$0.hasPendingRuns }
  }

  /// Records that the closing of a session is on disk.
  func didClose(_ id: SessionID) {
    guard let session = closing.removeValue(forKey: id) else { return }
    session.releaseFeeders()
    guard let reader = session.requests.reader else { return }
    effects.add(.endStream(reader, ServiceError.sessionClosed))
  }

  /// Restores the sessions to what is on disk.
  func revert(to horizon: Horizon) {
    let before = open.merging(closing) { open, _ in open }
    for session in open.values { charge(-session.size, session.account) }
    requestCounts = [:]
    open = [:]
    names = SessionNames()
    byClient = [:]
    usersByName = [:]
    countByAccount = [:]
    closing = [:]
    pending = []
    for session in horizon.sessions {
      let entry =
        before[session.id]
        ?? OpenSession(
          id: session.id, session.opening, nextNumber: session.nextNumber,
          lastHeard: clock.boot() - max(0, clock.wall() - session.lastReceived))
      entry.revert(toNextNumber: session.nextNumber)
      insert(entry)
      closedSessions.remove(session.id, of: entry.account)
    }
    // A session whose opening was dropped never existed.
    for (id, session) in before where open[id] == nil {
      closedSessions.remove(id, of: session.account)
      session.releaseFeeders()
      if let reader = session.requests.reader { effects.add(.endStream(reader, ServiceError.recorderNoSpace)) }
    }
  }

  private func insert(_ session: OpenSession) {
    open[session.id] = session
    names.add(session)
    byClient[session.client] = session
    usersByName[session.client.name, default: []].insert(session.client.user)
    session.account = account(session.client.user)
    countByAccount[session.account, default: 0] += 1
    requestCounts[session.account, default: 0] += session.requests.count
    charge(session.size, session.account)
  }

  // MARK: Hand-over

  /// Resumes the sessions that a connection of the previous daemon owned and fed.
  func resume(_ feeder: Feeder, owned: [SessionID], gapped: [SessionID]) {
    for id in owned {
      guard let session = open[id], session.client.user == feeder.user, session.owner == nil else { continue }
      session.closeDue = nil
      own(session, feeder)
    }
    for id in gapped {
      guard let session = open[id], session.client.user == feeder.user else { continue }
      session.setGap(true)
      didFeed(session, feeder)
    }
  }
}

/// The open sessions by what their users call them.
private struct SessionNames {
  private(set) var own: [SessionName: OpenSession] = [:]
  /// The sessions that users import for others.
  private(set) var imports: [SessionName: OpenSession] = [:]
  /// The session that was last looked up, as long as no name has changed since: most calls feed the same as the one before.
  private var last: (name: SessionName, session: OpenSession)?

  /// Returns the session that a user may feed by a name.
  mutating func session(of name: SessionName) -> OpenSession? {
    if let last, last.name == name { return last.session }
    guard let session = imports[name] ?? own[name] else { return nil }
    last = (name, session)
    return session
  }

  mutating func add(_ session: OpenSession) {
    last = nil
    own[session.name] = session
    if let name = session.importedName { imports[name] = session }
  }

  mutating func remove(_ session: OpenSession) {
    last = nil
    own[session.name] = nil
    endImport(session)
  }

  mutating func beginImport(_ session: OpenSession, by importer: UInt32) {
    let name = SessionName(user: importer, id: session.shownID)
    last = nil
    endImport(session)
    if let other = imports[name] { endImport(other) }
    session.importer = importer
    imports[name] = session
  }

  private mutating func endImport(_ session: OpenSession) {
    if let name = session.importedName { imports[name] = nil }
    session.importer = nil
  }
}

/// The sessions whose connections are gone, and that are to be closed. Users take turns.
private struct DisconnectedSessions {
  private var queue = FairQueue<OpenSession>()
  /// Those that wait for the next block.
  private var postponed: [OpenSession] = []
  /// The connections that are gone, with the sessions that have not forgotten them yet.
  private var leaving: [(feeder: Feeder, sessions: [SessionID])] = []

  var isEmpty: Bool { queue.isEmpty && leaving.isEmpty }

  mutating func add(_ feeder: Feeder) {
    if !feeder.fedSessions.isEmpty { leaving.append((feeder, Array(feeder.fedSessions))) }
  }

  mutating func popFed() -> (Feeder, SessionID)? {
    guard let last = leaving.indices.last else { return nil }
    let feeder = leaving[last].feeder
    guard let id = leaving[last].sessions.popLast() else { return nil }
    if leaving[last].sessions.isEmpty { leaving.removeLast() }
    return (feeder, id)
  }

  mutating func add(_ session: OpenSession) { queue.append(session, of: session.account) }

  mutating func popFirst() -> OpenSession? { queue.popFirst() }

  mutating func postpone(_ session: OpenSession) { postponed.append(session) }

  mutating func resume() {
    for session in postponed { add(session) }
    postponed = []
  }
}
