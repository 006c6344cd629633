import ScrollModel

/// The relay of one machine: a state machine without I/O and without a clock.
///
/// It has no state that outlives a connection. After any failure it reads the cursor from the database, and follows the log from
/// there. A batch names the cursor that it continues; the database stores it only if it has that cursor. So whatever became of a
/// commit whose answer was lost, no record is stored twice or left out.
public struct Relay {
  /// What happened.
  public enum Event: Equatable, Sendable {
    /// Time has passed.
    case timer
    /// The database is connected, has this version's schema, and has this cursor for the machine.
    case databaseReady(RelayCursor)
    /// The database is gone, or refused something.
    case databaseFailed(RelayProblem)
    /// The database has another cursor than the batch expected. Nothing was stored.
    case cursorMoved
    /// The batch is committed.
    case wrote
    /// Some of the machine's sessions that are stored, in the order of their ids; the last ones if there are fewer than asked for.
    case candidates([FollowedSession])
    /// Which of them were forgotten.
    case forgotten([SessionID])
    /// The daemon is connected.
    case daemonReady
    /// The daemon is gone, or refused something.
    case daemonFailed(RelayProblem)
    /// The daemon sent a reply.
    case reply(FollowReply)
  }

  /// What is to be done.
  public enum Action: Equatable, Sendable {
    /// Connect to the database, check its schema and read the cursor.
    case connectDatabase
    /// Connect to the daemon.
    case connectDaemon
    /// Call `Follow`.
    case follow(RelayCursor)
    /// Store a batch in one transaction.
    case write(RelayBatch)
    /// Read up to ``Relay/candidatesPerPage`` of the machine's sessions after an id.
    case readCandidates(after: SessionID?)
    /// Ask the daemon which sessions were forgotten.
    case askForgotten([FollowedSession])
    /// Close the connections.
    case disconnect
    /// Report a problem to people; the relay goes on later.
    case report(RelayProblem)
    /// Report that the relay works again after a problem.
    case recovered
    /// End the program.
    case stop(RelayProblem)
  }

  /// The limits of what is kept before it is stored.
  public struct Limits: Equatable, Sendable {
    /// How many records a batch has at most, unless a single reply has more.
    public var records = 4096
    /// How many bytes of records a batch has at most, unless a single reply has more.
    public var bytes = 4 << 20
    /// How long a record waits for others, in microseconds.
    public var delay: Int64 = 250_000

    /// Creates the standard limits.
    public init() {}
  }

  /// How many sessions are asked for at once whether they were forgotten.
  public static let candidatesPerPage = 4096
  /// The first and the longest wait after a failure, in microseconds.
  private static let waits: ClosedRange<Int64> = 250_000...30_000_000

  private enum Phase: Equatable {
    case waiting(until: Int64)
    case connectingDatabase
    case connectingDaemon
    case following
  }

  private enum Piece: Equatable {
    case batch(RelayBatch)
    /// Remove what a list has that was forgotten.
    case reconcile(String)
  }

  private enum Work: Equatable {
    case none
    case writing(RelayBatch)
    /// Reads sessions to ask about.
    case reading(list: String)
    /// Asks about sessions.
    case asking(list: String, last: SessionID?)
    /// Removes sessions; then reads those after an id, or ends.
    case removing(list: String, next: SessionID?)
  }

  /// Counters from the start of the program.
  public struct Counters: Equatable, Sendable {
    /// Records that are stored.
    public var records: Int64 = 0
    /// Transactions that were committed.
    public var batches: Int64 = 0
    /// Failures after which the relay began again.
    public var retries: Int64 = 0
    /// Sessions that were removed because they were forgotten.
    public var forgotten: Int64 = 0
    /// Positions that the log no longer had.
    public var missed: Int64 = 0
  }

  private let limits: Limits
  private let random: () -> Double
  private var phase: Phase
  private var work = Work.none
  private var queue: [Piece] = []
  /// The cursor that the database has.
  private var cursor = RelayCursor()
  /// The cursor after everything that is queued.
  private var reached = RelayCursor()
  /// The open sessions of the stream.
  private var sessions: [SessionID: FollowedSession] = [:]
  /// Since when the first record of the queue waits.
  private var waitsSince: Int64?
  private var failures = 0
  private var reported: RelayProblem?
  /// Counters from the start of the program.
  public private(set) var counters = Counters()
  /// Whether everything that was on the machine's disk is stored.
  public private(set) var isCaughtUp = false

  /// Creates a relay that is about to connect.
  ///
  /// - Parameter random: Returns a number from 0 up to 1, for the waits.
  public init(_ limits: Limits = Limits(), at now: Int64, random: @escaping () -> Double = { .random(in: 0..<1) }) {
    self.limits = limits
    self.random = random
    phase = .waiting(until: now)
  }

  /// Whether more replies may be read. Otherwise the daemon waits, and its log is the queue.
  public var wantsReplies: Bool {
    var (records, bytes) = (0, 0)
    for case .batch(let batch) in queue { (records, bytes) = (records + batch.records.count, bytes + batch.size) }
    return records < 2 * limits.records && bytes < 2 * limits.bytes
  }

  /// When ``Event/timer`` is due; `nil` when nothing waits for a time.
  public var due: Int64? {
    switch phase {
    case .waiting(let until): return until
    case .following where work == .none && !queue.isEmpty: return waitsSince.map { $0 + limits.delay }
    default: return nil
    }
  }

  /// The cursor that the database has, as far as is known.
  public var stored: RelayCursor { cursor }

  // MARK: Events

  /// Takes an event, and returns what is to be done, in order.
  public mutating func handle(_ event: Event, at now: Int64) -> [Action] {
    switch event {
    case .timer:
      if case .waiting(let until) = phase, until <= now {
        phase = .connectingDatabase
        return [.connectDatabase]
      }
      return advance(now)
    case .databaseReady(let cursor):
      guard phase == .connectingDatabase else { return [] }
      self.cursor = cursor
      reached = cursor
      phase = .connectingDaemon
      return [.connectDaemon]
    case .daemonReady:
      guard phase == .connectingDaemon else { return [] }
      phase = .following
      return [.follow(cursor)]
    case .databaseFailed(let problem), .daemonFailed(let problem):
      return fail(problem, now)
    case .cursorMoved:
      return fail(.cursorMoved, now)
    case .reply(let reply):
      guard phase == .following else { return [] }
      return take(reply, now) + advance(now)
    case .wrote:
      return didWrite() + advance(now)
    case .candidates(let found):
      return didRead(found) + advance(now)
    case .forgotten(let sessions):
      return didAsk(sessions)
    }
  }

  private mutating func fail(_ problem: RelayProblem, _ now: Int64) -> [Action] {
    if case .waiting = phase { return [] }
    var actions: [Action] = [.disconnect]
    queue = []
    work = .none
    sessions = [:]
    waitsSince = nil
    isCaughtUp = false
    if problem.endsProgram {
      phase = .waiting(until: .max)
      return actions + [.stop(problem)]
    }
    counters.retries += 1
    let wait = min(Self.waits.upperBound, Self.waits.lowerBound << min(failures, 10))
    failures += 1
    phase = .waiting(until: now + Int64(Double(wait) * (0.5 + random() / 2)))
    // The same problem is reported once. That another relay was faster is none.
    if problem != .cursorMoved, reported != problem {
      reported = problem
      actions.append(.report(problem))
    }
    return actions
  }

  // MARK: Replies

  private mutating func take(_ reply: FollowReply, _ now: Int64) -> [Action] {
    for session in reply.sessions { sessions[session.id] = session }
    let isOtherRun = reply.run != nil && reply.run != reached.run
    if isOtherRun { reached.run = reply.run }
    if let after = reply.takenBackAfter {
      var batch = RelayBatch(after: reached)
      batch.takenBackAfter = after
      append(batch, now)
    }
    if let gap = reply.gap {
      change(now) { $0.gaps.append(gap) }
      counters.missed += gap.upperBound - gap.lowerBound + 1
    }
    if !reply.sessions.isEmpty { change(now) { $0.sessions += reply.sessions } }
    for record in reply.records {
      guard let session = sessions[record.session] else {
        return fail(.daemon("it sent a record of a session that it had not described"), now)
      }
      change(now) { $0.add(record, generation: reply.generation, of: session) }
      if record.kind == "close" { sessions[record.session] = nil }
    }
    var end = RelayCursor(
      generation: reply.generation, position: reply.position, received: reply.received, run: reached.run,
      forgotten: reached.forgotten)
    if reply.isHeartbeat, queue.isEmpty, end == reached {
      // Shows that the machine is alive.
      append(RelayBatch(after: reached), now)
    } else if end != reached || isOtherRun || reply.isCaughtUp {
      change(now) { $0.end = end }
    }
    reached = end
    if let list = reply.forgotten, list != reached.forgotten {
      queue.append(.reconcile(list))
      end.forgotten = list
      reached = end
      waitsSince = waitsSince ?? now
    }
    if reply.isCaughtUp { isCaughtUp = true }
    return []
  }

  /// Changes the last batch of the queue if it has room, or else a new one.
  private mutating func change(_ now: Int64, _ body: (inout RelayBatch) -> Void) {
    waitsSince = waitsSince ?? now
    if case .batch(var batch)? = queue.last, batch.records.count < limits.records, batch.size < limits.bytes {
      // Only one reference to the records may be left, or they would be copied.
      queue.removeLast()
      body(&batch)
      queue.append(.batch(batch))
      return
    }
    var start = reached
    if case .batch(var full)? = queue.last {
      // A reply may fill more than one batch. Each ends with its last record.
      if full.end.position < (full.records.last?.record.position ?? 0), let last = full.records.last {
        full.end = RelayCursor(
          generation: last.generation, position: last.record.position, received: last.record.received,
          run: reached.run, forgotten: full.expected.forgotten)
        queue[queue.count - 1] = .batch(full)
      }
      start = full.end
    }
    var batch = RelayBatch(after: start)
    body(&batch)
    queue.append(.batch(batch))
  }

  private mutating func append(_ batch: RelayBatch, _ now: Int64) {
    waitsSince = waitsSince ?? now
    queue.append(.batch(batch))
  }

  // MARK: Storing

  private mutating func advance(_ now: Int64) -> [Action] {
    guard phase == .following, work == .none, let first = queue.first else { return [] }
    switch first {
    case .reconcile(let list):
      queue.removeFirst()
      work = .reading(list: list)
      return [.readCandidates(after: nil)]
    case .batch(let batch):
      let isFull = batch.records.count >= limits.records || batch.size >= limits.bytes || queue.count > 1
      guard isFull || batch.isEmpty || now - (waitsSince ?? now) >= limits.delay else { return [] }
      queue.removeFirst()
      waitsSince = queue.isEmpty ? nil : now
      work = .writing(batch)
      return [.write(batch)]
    }
  }

  private mutating func didWrite() -> [Action] {
    switch work {
    case .writing, .removing: break
    // The answer comes after a failure, which has dropped the work.
    case .none, .reading, .asking: return []
    }
    counters.batches += 1
    failures = 0
    var actions: [Action] = []
    if reported != nil {
      reported = nil
      actions.append(.recovered)
    }
    switch work {
    case .writing(let batch):
      counters.records += Int64(batch.records.count)
      cursor = batch.end
      work = .none
    case .removing(let list, let next?):
      work = .reading(list: list)
      actions.append(.readCandidates(after: next))
    case .removing(let list, nil):
      cursor.forgotten = list
      work = .none
    case .none, .reading, .asking: break
    }
    if queue.isEmpty { waitsSince = nil }
    return actions
  }

  // MARK: Forgetting

  private mutating func didRead(_ found: [FollowedSession]) -> [Action] {
    guard case .reading(let list) = work else { return [] }
    let next = found.count < Self.candidatesPerPage ? nil : found.last?.id
    if found.isEmpty { return remove([], list: list, next: nil) }
    work = .asking(list: list, last: next)
    return [.askForgotten(found)]
  }

  private mutating func didAsk(_ sessions: [SessionID]) -> [Action] {
    guard case .asking(let list, let next) = work else { return [] }
    counters.forgotten += Int64(sessions.count)
    return remove(sessions, list: list, next: next)
  }

  private mutating func remove(_ sessions: [SessionID], list: String, next: SessionID?) -> [Action] {
    if sessions.isEmpty, let next {
      work = .reading(list: list)
      return [.readCandidates(after: next)]
    }
    var batch = RelayBatch(after: cursor)
    batch.forgotten = sessions
    // Only once all are removed does the cursor have the list.
    if next == nil { batch.end.forgotten = list }
    work = .removing(list: list, next: next)
    return [.write(batch)]
  }
}
