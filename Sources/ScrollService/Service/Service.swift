import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The daemon without its I/O: it receives bytes and produces bytes to send, and produces jobs and receives their
/// results.
///
/// The service reads the log and uses only the clock that it is given, so tests drive it without sockets, threads and
/// sleeping. A loop around it calls, in turns:
///
///     service.receive(bytes, on: id)          // or connect, receiveEnd, disconnect
///     service.complete(result)                // of a thread's job
///     service.tick()                          // every few seconds
///     service.advance()                       // while it returns true
///     if let job = service.nextJob() { … }    // to the commit thread
///     if let job = service.nextUpkeep() { … } // to an upkeep thread
///     service.takeOutputs()                   // connections with output to send
///
/// It composes the parts that do the work, routes each call to its method, and carries out what the parts decide.
public final class Service: CallHandler {
  let settings: Settings
  let connections: Connections
  let sessions: Sessions
  let subscriptions: Subscriptions
  let followers: Followers
  let commit: Commit
  let upkeep: UpkeepSchedule
  let log: FoldedLog
  let history: History
  private(set) var isStopping = false
  private let methods: MethodTable
  private let sessionJournal: SessionJournal
  private let effects = EffectQueue()
  private let clock: ServiceClock
  private let journal: Journal

  /// Creates a service on an open log.
  ///
  /// - Throws: `InterfaceSyntaxError` when an interface description is malformed.
  public init(
    log opened: OpenedLog, configuration: Configuration, access: AccessRules,
    readConfiguration: @escaping () throws(ConfigurationError) -> Configuration, journal: Journal, clock: ServiceClock,
    logClock: LogClock? = nil
  ) throws {
    let logClock =
      logClock ?? LogClock(clock, after: opened.projection.received, memory: nil, journal: journal, save: { _ in })
    // No part sees the system's wall clock, which may jump.
    var clock = clock
    clock.wall = logClock.now
    clock.ago = logClock.time(ago:)
    self.clock = clock
    self.journal = journal
    methods = MethodTable(try ServiceInterfaces.makeService())
    let settings = Settings(configuration, access, journal: journal, read: readConfiguration)
    self.settings = settings
    log = FoldedLog(opened, at: clock.wall())
    let limits = ConnectionLimits(configuration)
    history = History(
      log, readings: LogReadings(limits, effects: effects), clock: clock, journal: journal)
    let status = opened.writer.status
    connections = Connections(
      limits, clock: clock, journal: journal, access: { settings.access })
    sessions = Sessions(
      log.horizon, closed: opened.closedSessions, effects: effects, clock: clock,
      account: { settings.access.account(of: $0) },
      charge: { [users = connections.users] bytes, user in users.charge(sessions: bytes, to: user) })
    sessionJournal = SessionJournal(journal, clock)
    subscriptions = Subscriptions(
      history, limitPerUser: configuration.maximumSubscriptionsPerUser, pushMemory: limits.pushMemory, clock: clock,
      charge: { [connections] bytes, user in connections.charge(pushes: bytes, to: user) })
    commit = Commit(
      log, status, segmentSize: configuration.segmentSize, effects: effects, clock: clock, journal: journal)
    upkeep = UpkeepSchedule(
      configuration, log, activeBytes: status.reservedBytes, effects: effects, clock: clock, journal: journal)
    let forgottenKeys = Self.forgottenKeys(opened, journal)
    followers = Followers(
      history, limitPerUser: configuration.maximumSubscriptionsPerUser, keys: forgottenKeys,
      run: RunRegister(opened.runs, after: opened.projection.position, at: clock.wall()),
      readList: { () throws(ReadError) in try opened.forgotten.list() }, synced: { [commit] in commit.written.synced })
    methods.add(makeMethods(logClock, forgottenKeys))
    applyRetention()
  }

  /// Returns the keys of the list of what was forgotten, and makes the first one if needed: a backup can only be restored
  /// without what is forgotten later if it has them.
  private static func forgottenKeys(_ opened: OpenedLog, _ journal: Journal) -> ForgottenKeys? {
    do throws(ReadError) {
      return try opened.forgotten.makeKeys()
    } catch {
      journal.log(.forgottenKeyMissing(error))
      return nil
    }
  }

  private func makeMethods(_ logClock: LogClock, _ forgottenKeys: ForgottenKeys?) -> [Method] {
    let recorder = RecorderMethods(
      sessions: sessions, commit: commit, history: history, users: connections.users, settings: settings, clock: clock,
      terms: terms)
    let observer = ObserverMethods(
      sessions: sessions, subscriptions: subscriptions, commit: commit, history: history, users: connections.users,
      settings: settings, clock: clock, receivedTime: logClock.time(ofWall:))
    let manager = ManagerMethods(
      sessions: sessions, commit: commit, upkeep: upkeep, history: history, forgottenKeys: forgottenKeys,
      statistics: { [unowned self] in statistics },
      reload: { [unowned self] () throws(ConfigurationError) in try reload() })
    let imports = ImportMethods(sessions: sessions, commit: commit, recorder: recorder, settings: settings)
    let relay = RelayMethods(followers: followers, history: history)
    return recorder.table + observer.table + manager.table + imports.table + relay.table
  }

  /// What answers promise. `Sync=` does not change while the daemon runs.
  private var terms: AnswerTerms {
    AnswerTerms(generation: history.generation, isDurable: settings.configuration.sync == .commit)
  }

  // MARK: Calls

  var takesCalls: Bool { !isStopping }

  func isFull(for share: UserShare) -> Bool { commit.isFull || commit.isFull(for: share) }

  func handle(_ call: Call, on connection: Connection) throws(VarlinkError) -> NextCall {
    let before = Written(commit, sessions, connection.share)
    defer {
      charge(connection.share, since: before)
      carryOutEffects()
    }
    switch try methods.handle(call, connection, settings) {
    case .answered: return .mayFollow
    case .stream(let stream):
      // A query sees what its caller has sent before.
      let isCommitted = commit.isCommitted(connection.feeder.lastPosition)
      connections.begin(stream, on: connection, isCommitted: isCommitted)
      return .waits
    }
  }

  /// What had been accepted and charged before a call.
  struct Written {
    let position: Position
    let bytes: Int
    let events: Int64
    let chargedEvents: Int64
    let openings: Int64

    init(_ commit: Commit, _ sessions: Sessions, _ share: UserShare) {
      position = commit.lastAccepted
      bytes = commit.pendingBytes
      events = sessions.counters.eventsAppended
      chargedEvents = share.chargedEvents
      openings = sessions.counters.opened
    }
  }

  /// How many events the opening of a session counts for. The log keeps it in indexes, by its id and in the heads of segments,
  /// and begins a segment after so many.
  private static let eventsPerOpening = 16

  /// Charges a user for every record that was added since, unless the method has charged for it, and for all bytes.
  func charge(_ share: UserShare, since before: Written) {
    // Root has no limits.
    if share.user == 0 { return }
    let records = commit.lastAccepted - before.position
    let charged = share.chargedEvents - before.chargedEvents
    if records > charged { connections.users.charge(Int(records - charged), to: share) }
    let openings = Int(sessions.counters.opened - before.openings)
    if openings > 0 { connections.users.charge(openings * (Self.eventsPerOpening - 1), to: share) }
    connections.users.charge(bytes: commit.pendingBytes - before.bytes, to: share)
    let events = sessions.counters.eventsAppended - before.events
    commit.count(commit.pendingBytes - before.bytes, records: Int(records - events), of: share)
  }

  // MARK: Effects

  /// Carries out what the parts have decided since the last call.
  func carryOutEffects() {
    while !effects.isEmpty {
      for effect in effects.take() { carryOut(effect) }
    }
  }

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .answer(let answer): send(answer)
    case .refuse(let caller, let error): connections[caller.connection]?.reply(caller.token, error: error)
    case .wake(let id): connections.wake(id)
    case .endStream(let id, let error): connections.endStream(of: id, with: error)
    case .handOverChanged(let id): connections.markHandOverChanged(id)
    }
  }

  private func send(_ answer: Answer) { connections[answer.caller.connection]?.send(answer, terms) }

  // MARK: Time and configuration

  /// Does what is due: heartbeats, retention, and closing sessions. The loop calls it every few seconds.
  public func tick() {
    defer { carryOutEffects() }
    let now = clock.monotonic()
    // It has to notice when the system's clock jumps.
    _ = clock.wall()
    connections.sendHeartbeats(now)
    connections.endLingering(now)
    connections.users.tick(now)
    sessionJournal.tick(now)
    history.tick(now)
    subscriptions.sweep()
    if isStopping { return }
    if upkeep.isRetentionDue { applyRetention() }
    for record in sessions.closeDue(idleLimit: settings.configuration.sessionIdle) { commit.add(record) }
  }

  /// Reads the configuration again. Open sessions keep the policy that they were opened with.
  ///
  /// - Returns: Warnings about the new configuration, which the journal has, too.
  /// - Throws: ``ConfigurationError`` when it is invalid; then the old one stays in force.
  @discardableResult
  public func reload() throws(ConfigurationError) -> [String] {
    let warnings = try settings.reload()
    let configuration = settings.configuration
    connections.limits = ConnectionLimits(configuration)
    history.readings.apply(connections.limits)
    subscriptions.limitPerUser = configuration.maximumSubscriptionsPerUser
    followers.limitPerUser = configuration.maximumSubscriptionsPerUser
    subscriptions.pushMemory = connections.limits.pushMemory
    upkeep.apply(configuration)
    applyRetention()
    carryOutEffects()
    journal.log(.configurationReloaded)
    return warnings
  }

  private func applyRetention() {
    let subordinates = settings.access.subordinates
    let isTooOld = upkeep.applyRetention(
      activeBytes: commit.written.reservedBytes, headBytes: commit.rolls.headSize, subordinates: subordinates)
    if isTooOld { commit.rolls.request() }
    commit.rolls.segmentSize = upkeep.segmentSize
  }

  /// Stops handling calls. Everything that was accepted is committed and answered, and then the log is closed.
  public func stop() { isStopping = true }

  // MARK: Jobs

  /// Returns the next job for the commit thread; `nil` while one is in progress, or when nothing is due.
  public func nextJob() -> CommitJob? {
    defer { carryOutEffects() }
    // A segment without records is as good as a new one.
    if demands.rollsToForget, !commit.hasRecords { upkeep.beginForgetting() }
    let job = commit.nextJob(demands)
    // The next block has room for everybody.
    if case .write = job {
      connections.resumeWaitingForDisk()
      sessions.resumeClosing()
    }
    return job
  }

  /// Whether the block in ``nextJob()`` answers one call, as the blocks before it did, and nobody else has work, so that
  /// nobody else would wait if the loop waited for the disk.
  public var hasSingleWaitingCall: Bool {
    commit.hasSingleCaller && !connections.hasWork && !subscriptions.hasPushes
  }

  private var demands: Commit.Demands {
    Commit.Demands(
      rollsToForget: upkeep.needsRollToForget, isStopping: isStopping, mayStop: isStopping && upkeep.isDone)
  }

  /// Processes the result of the commit thread's job.
  ///
  /// - Returns: The reason why the service has ended, if it has.
  public func complete(_ result: CommitResult) -> ServiceEnd? {
    defer { carryOutEffects() }
    let wasOutOfSpace = commit.isOutOfSpace
    defer { if commit.isOutOfSpace, !wasOutOfSpace { upkeep.applyRetentionSoon() } }
    switch commit.complete(result) {
    case .nothing: break
    case .wrote(let block, let answers):
      if case .end(let end) = fold(block) { return end }
      for answer in answers { send(answer) }
    case .beganSegment:
      upkeep.beginForgetting()
      applyRetention()
    case .noSpaceForSegment:
      upkeep.refuseForgetting()
    case .noSpace(let answers, let onewayCalls):
      for _ in 0..<onewayCalls { connections.countRefusedOnewayCall() }
      refuse(answers)
    case .end(let end):
      return end
    }
    connections.resumeWaitingForDisk()
    sessions.resumeClosing()
    connections.resumeWaitingForCommit(commit.isCommitted)
    wakeFollowers()
    return nil
  }

  /// Folds a block that was written, and pushes the changes to subscribers.
  private func fold(_ block: Block) -> Commit.Outcome {
    var observer = LiveObserver(subscriptions, sessions, sessionJournal)
    do throws(ContentError) {
      try log.fold(block, &observer)
    } catch {
      return commit.fail(.failed("a block that was just written does not fold: \(error)"))
    }
    log.didFold(block, commit.written, closed: observer.closedSessions)
    sessions.commit(through: block.lastPosition)
    push()
    return .nothing
  }

  /// Pushes changes to subscribers, as many as fit into a turn.
  func push() {
    subscriptions.advance()
    for id in subscriptions.takeWoken() { connections.wake(id) }
  }

  /// Gives the relays that have sent everything another turn.
  private func wakeFollowers() {
    for id in followers.takeWaiting() { connections.wake(id) }
  }

  private func refuse(_ answers: [Answer]) {
    sessions.revert(to: log.horizon)
    upkeep.refuseForgetting()
    for answer in answers {
      connections[answer.caller.connection]?.reply(answer.caller.token, error: answer.noSpace)
    }
  }

  /// Whether ``nextUpkeep()`` may have a job. The loop asks after each event, for less than it takes to look for one.
  var mayHaveUpkeep: Bool { upkeep.mayHaveJob }

  /// Returns the next job for the upkeep threads; `nil` while it would be in the way of one in progress, or when nothing is
  /// due.
  public func nextUpkeep() -> UpkeepJob? { commit.hasFailed ? nil : upkeep.nextJob(isStopping: isStopping) }

  /// Processes the result of an upkeep thread's job.
  public func complete(_ result: UpkeepResult) {
    upkeep.complete(result)
    history.dropRecentCheckpoint()
    if case .forgotten(_, let found) = result, let list = found.list {
      followers.didForget(list)
      wakeFollowers()
    }
    if !isStopping, upkeep.isRetentionDue { applyRetention() }
    carryOutEffects()
  }

  /// Whether a segment is being packed while a caller waits for another job.
  public var isPackingInTheWay: Bool { upkeep.isPackingInTheWay(isStopping: isStopping) }

  /// Whether another turn is due at once, without waiting for an event.
  public var hasWork: Bool {
    connections.hasWork || subscriptions.hasPushes || commit.hasJob(demands)
      || sessions.hasDisconnected && !isStopping
      || !commit.hasFailed && upkeep.hasJob(isStopping: isStopping)
  }

  // MARK: State

  /// The problems that persist until someone fixes them.
  struct Troubles: OptionSet {
    let rawValue: UInt8

    /// Appends are refused.
    static let diskFull = Troubles(rawValue: 1)
    /// The configuration files are invalid, and an older configuration is in force.
    static let configurationInvalid = Troubles(rawValue: 2)
  }

  var troubles: Troubles {
    var troubles: Troubles = []
    if commit.isOutOfSpace { troubles.insert(.diskFull) }
    if settings.isOutdated { troubles.insert(.configurationInvalid) }
    return troubles
  }

  /// The last position that readers see.
  public var lastPosition: Position { log.horizon.position }

  /// The state of the daemon in one line.
  public var statusLine: String {
    if isStopping { return "Syncing the log." }
    let troubles = troubles
    let space = troubles.contains(.diskFull) ? "The disk is full, appends are refused. " : ""
    let configuration = troubles.contains(.configurationInvalid) ? "Invalid configuration, keeping the old one. " : ""
    return space + configuration
      + "\(log.horizon.sessions.count) sessions open, \(subscriptions.count) subscribers, position \(lastPosition)."
  }

  var statistics: Statistics {
    Statistics(
      generation: history.generation, firstPosition: history.firstPosition, lastPosition: lastPosition,
      syncedPosition: commit.written.synced, sessionCount: log.horizon.sessions.count,
      connectionCount: connections.count, subscriberCount: subscriptions.count, connections: connections.counters,
      sessions: sessions.counters, subscriptions: subscriptions.counters, commit: commit.counters,
      snapshots: commit.snapshots,
      upkeep: upkeep.counters,
      log: LogGauges(
        segments: log.segments, activeBytes: commit.written.reservedBytes, backupsRunning: upkeep.backupCount),
      start: log.start)
  }
}
