import CSystemd
import Platform
import ScrollModel
import ScrollService
import Varlink

/// Runs a ``Relay`` over sockets, in an event loop of sd-event(3).
public final class RelayLoop {
  /// How long the daemon may be silent, in microseconds. It sends something every 30 s.
  private static let silence: Int64 = 90_000_000
  /// How long the database may take to connect, in microseconds.
  private static let connectLimit: Int64 = 30_000_000
  /// How many replies are taken before other events are looked for.
  private static let repliesPerTurn = 64

  private let configuration: RelayConfiguration
  private let address: DatabaseAddress
  private let daemonAddress: VarlinkAddress
  private let statements: BatchStatements
  private let journal: RelayJournal
  private let notifier = Notifier()
  private let event: OpaquePointer
  private var relay: Relay
  private var sources: [EventSource] = []
  private var timer: EventSource?
  private var database: DatabaseSide?
  private var daemon: DaemonSide?
  private var end: Int32?
  /// Whether replies were left for the next turn.
  private var hasMoreReplies = false
  private var clocks = ClockComparison()

  private struct DatabaseSide {
    let connection: AsyncDatabase
    var source: EventSource?
    var descriptor: Int32
    var isConnected = false
    /// What to tell the relay when the steps are done.
    var completion: () -> Relay.Event? = { nil }
    /// When it counts as lost unless it is connected by then.
    let deadline: Int64
    /// The name under which it has the machine's log.
    var machineName: String?
    /// What is wrong with its schema or encoding, once they were read.
    var problem: RelayProblem?
  }

  private struct DaemonSide {
    let connection: FollowConnection
    let source: EventSource
    var heard: Int64
  }

  /// Creates a loop.
  ///
  /// - Parameter socket: The daemon's socket.
  /// - Throws: `SystemError` when the system lacks a resource.
  public init(
    _ configuration: RelayConfiguration, _ machine: MachineIdentity, _ address: DatabaseAddress, socket: String,
    version: String
  ) throws {
    self.configuration = configuration
    self.address = address
    daemonAddress = VarlinkAddress(socket) ?? .path(socket)
    statements = BatchStatements(identity: machine, version: version)
    journal = RelayJournal()
    var limits = Relay.Limits()
    limits.records = configuration.batchRecords
    limits.delay = configuration.batchDelay
    relay = Relay(limits, at: Clock.monotonicMicroseconds())
    var event: OpaquePointer?
    try check(sd_event_new(&event), "make an event loop")
    guard let event else { throw SystemError("make an event loop", .outOfMemory) }
    self.event = event
  }

  /// Blocks the signals that the loop receives. Call it first, in the main thread.
  public static func blockSignals() {
    SignalSet([.terminate, .interrupt]).block()
    Signal.brokenPipe.ignore()
  }

  /// Relays until a signal comes or the relay can't go on.
  ///
  /// - Returns: The exit status.
  public func run() throws -> Int32 {
    for signal in [Signal.terminate, .interrupt] {
      sources.append(try EventSource(event, signal: signal) { [unowned self] in end = 0 })
    }
    timer = try EventSource(event, timer: {})
    notifier.ready(status: "Connecting.")
    journal.log(.information, "relaying the log of \(machine.name) (machine \(machine.id))")
    while end == nil {
      step()
      if end != nil { break }
      timer?.setTime(UInt64(nextDue))
      try check(sd_event_run(event, .max), "wait for events")
    }
    notifier.stopping(status: "Stopping.")
    disconnect()
    return end ?? 0
  }

  private var machine: MachineIdentity { statements.identity }

  private var nextDue: Int64 {
    if hasMoreReplies { return 0 }
    var due = relay.due ?? .max
    if let daemon { due = min(due, daemon.heard + Self.silence) }
    if let database, !database.isConnected { due = min(due, database.deadline) }
    return max(0, due)
  }

  /// Does what is due, and takes the replies that have been received.
  private func step() {
    let now = Clock.monotonicMicroseconds()
    // It is not read while the database is slow.
    if !relay.wantsReplies { daemon?.heard = now }
    if let daemon, daemon.heard + Self.silence <= now { handle(.daemonFailed(.daemon("it has been silent for 90 s"))) }
    if let database, !database.isConnected, database.deadline <= now {
      handle(.databaseFailed(.database("the database did not answer within 30 s")))
    }
    if let due = relay.due, due <= now { handle(.timer) }
    takeReplies()
  }

  // MARK: The relay

  private func handle(_ event: Relay.Event) {
    var events = [event]
    // An action may have a result at once.
    while !events.isEmpty {
      let actions = relay.handle(events.removeFirst(), at: Clock.monotonicMicroseconds())
      for action in actions { if let event = carryOut(action) { events.append(event) } }
    }
    notifier.status(
      relay.isCaughtUp
        ? "Up to date at position \(relay.stored.position)." : "Stored up to position \(relay.stored.position).")
  }

  private func carryOut(_ action: Relay.Action) -> Relay.Event? {
    switch action {
    case .connectDatabase: return connectDatabase()
    case .connectDaemon: return connectDaemon()
    case .follow(let cursor): return follow(cursor)
    case .write(let batch):
      let steps = statements.steps(
        for: batch, retries: relay.counters.retries,
        version: { [unowned self] version in
          database?.problem = Schema.problem(withVersion: version)
          return version == Schema.version
        }, clock: { [unowned self] in compareClocks($0) })
      return begin(steps) { .wrote }
    case .readCandidates(let after):
      var found: [FollowedSession] = []
      return begin(statements.candidates(after: after) { found = $0 }) { .candidates(found) }
    case .askForgotten(let sessions):
      do throws(RelayProblem) {
        return .forgotten(try FollowConnection.forgotten(sessions, at: daemonAddress))
      } catch {
        return .daemonFailed(error)
      }
    case .disconnect: disconnect()
    case .report(let problem): journal.log(.warning, "\(problem)", fields)
    case .recovered: journal.log(.notice, "relaying again from position \(relay.stored.position)", fields)
    case .stop(let problem):
      journal.log(.error, "\(problem)", fields)
      end = problem.status ?? 1
    }
    return nil
  }

  private var fields: [(name: String, value: String)] {
    [
      ("SCROLL_MACHINE", "\(machine.id)"), ("SCROLL_POSITION", "\(relay.stored.position)"),
      ("SCROLL_GENERATION", "\(relay.stored.generation)"),
    ]
  }

  private func compareClocks(_ server: Int64) {
    guard let report = clocks.compare(own: Clock.wallMicroseconds(), server: server) else { return }
    journal.log(report == .agrees ? .notice : .warning, "\(report)", fields)
  }

  private func disconnect() {
    // Sources go before the descriptors that they watch.
    database?.source?.cancel()
    database = nil
    daemon?.source.cancel()
    daemon = nil
  }

  // MARK: The database

  private func connectDatabase() -> Relay.Event? {
    do throws(DatabaseFailure) {
      let connection = try AsyncDatabase(address)
      database = DatabaseSide(
        connection: connection, descriptor: -1, deadline: Clock.monotonicMicroseconds() + Self.connectLimit)
    } catch {
      return .databaseFailed(error.problem)
    }
    return watchDatabase()
  }

  /// Watches the socket of the database, which may be another one than before.
  private func watchDatabase() -> Relay.Event? {
    guard let side = database else { return nil }
    let descriptor = side.connection.descriptor
    if descriptor != side.descriptor {
      side.source?.cancel()
      database?.descriptor = descriptor
      do {
        database?.source = try EventSource(event, reading: descriptor) { [unowned self] _ in advanceDatabase() }
      } catch {
        return .databaseFailed(.database("\(error)"))
      }
    }
    let interest: UInt32 =
      switch side.connection.interest {
      case .readable: EPOLLIN.rawValue
      case .writable: EPOLLOUT.rawValue
      case .either: EPOLLIN.rawValue | EPOLLOUT.rawValue
      }
    database?.source?.setInterest(interest)
    return nil
  }

  private func advanceDatabase() {
    guard let side = database else { return }
    if let outcome = side.connection.advance() {
      if let event = didFinish(outcome) { handle(event) }
    } else if !side.isConnected {
      // While it connects, libpq may have opened another socket with the same number, which epoll does not know.
      side.source?.cancel()
      database?.descriptor = -1
    }
    if let event = watchDatabase() { handle(event) }
  }

  private func begin(_ steps: [DatabaseStep], _ completion: @escaping () -> Relay.Event?) -> Relay.Event? {
    guard let connection = database?.connection else { return .databaseFailed(.database("the connection is lost")) }
    database?.completion = completion
    if let outcome = connection.begin(steps) { return didFinish(outcome) }
    return watchDatabase()
  }

  private func didFinish(_ outcome: AsyncDatabase.Outcome) -> Relay.Event? {
    switch outcome {
    case .failed(let failure): return .databaseFailed(failure.problem)
    case .refused: return database?.isConnected == true ? refusal : nil
    case .done where database?.isConnected == false: return didConnect()
    case .done: return database?.completion()
    }
  }

  /// What it means that the check of a step has refused its rows.
  private var refusal: Relay.Event {
    if let problem = database?.problem { return .databaseFailed(problem) }
    return .cursorMoved
  }

  private func didConnect() -> Relay.Event? {
    database?.isConnected = true
    var cursor: RelayCursor?
    let steps = statements.beginning(
      settings: { [unowned self] version, encoding in
        let problem = Schema.problem(withVersion: version) ?? Schema.problem(withEncoding: encoding)
        database?.problem = problem
        return problem == nil
      },
      cursor: { [unowned self] found, name in
        cursor = found
        database?.machineName = name
      })
    return begin(steps) { cursor.map { .databaseReady($0) } }
  }

  // MARK: The daemon

  private func connectDaemon() -> Relay.Event? {
    do {
      let connection = try FollowConnection(daemonAddress)
      let source = try EventSource(event, reading: connection.descriptor) { [unowned self] _ in receive() }
      daemon = DaemonSide(connection: connection, source: source, heard: Clock.monotonicMicroseconds())
      return .daemonReady
    } catch {
      return .daemonFailed((error as? RelayProblem) ?? .daemon("\(error)"))
    }
  }

  private func follow(_ cursor: RelayCursor) -> Relay.Event? {
    do throws(RelayProblem) {
      try daemon?.connection.follow(cursor, clients: configuration.clients)
      return nil
    } catch {
      return .daemonFailed(error)
    }
  }

  private func receive() {
    do throws(RelayProblem) {
      try daemon?.connection.exchange()
      daemon?.heard = Clock.monotonicMicroseconds()
    } catch {
      handle(.daemonFailed(error))
    }
  }

  private func takeReplies() {
    var count = 0
    while relay.wantsReplies, let connection = daemon?.connection {
      do throws(RelayProblem) {
        guard
          let reply = try connection.next(
            machine, StoredPlace(cursor: relay.stored, name: database?.machineName ?? machine.name))
        else { break }
        handle(.reply(reply))
      } catch {
        handle(.daemonFailed(error))
      }
      count += 1
      if count == Self.repliesPerTurn { break }
    }
    // While the database is slow, the daemon waits, and its log is the queue.
    daemon?.source.setEnabled(relay.wantsReplies)
    hasMoreReplies = count == Self.repliesPerTurn && relay.wantsReplies
  }
}
