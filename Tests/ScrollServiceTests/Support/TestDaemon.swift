import ScrollLogTesting
import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

/// A service on a log in memory, without sockets, threads and clocks: the test decides what happens when.
///
/// `settle()` does the work of the loop until none is left. With `isHolding`, jobs of the commit thread
/// wait for `finishJob()`.
final class TestDaemon {
  static let directory = "/state"

  private(set) var fileSystem: FaultyFileSystem
  let clock: HandClock
  let journal = JournalRecorder()
  private(set) var log: OpenedLog
  private(set) var service: Service
  let checker: InterfaceChecker
  /// Whether commit jobs wait for `finishJob()`.
  var isHolding = false
  /// The commit job that waits.
  private(set) var heldJob: CommitJob?
  /// Whether upkeep jobs wait for `finishUpkeep()`.
  var isHoldingUpkeep = false
  /// The upkeep job that waits.
  var heldUpkeep: UpkeepJob? { heldUpkeeps.first }
  private var heldUpkeeps: [UpkeepJob] = []
  /// How the service ended.
  private(set) var end: ServiceEnd?
  private var clients: [UInt64: TestClient] = [:]
  private let configurations: ConfigurationBox
  private let access: AccessRules
  private let boot: UInt64
  private let checkedAtStart: Int64
  /// The states of idle connections, as the loop writes them to the hand-over table.
  private var idleStates: [UInt64: [UInt8]] = [:]

  /// A daemon on a new log or an existing one.
  init(
    _ fileSystem: FaultyFileSystem = FaultyFileSystem(), clock: HandClock = HandClock(), boot: UInt64 = 1,
    access: AccessRules = AccessRules(observersGroup: 77, managers: PeerSet(users: [900])),
    checkedAtStart: Int64 = 4 << 20, foldVersion: UInt32 = Policy.foldVersion,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    self.fileSystem = fileSystem
    self.clock = clock
    var configuration = Configuration()
    configuration.managers = access.managers.users.map { AccountName("\($0)") }
    // Tests that count files and bytes expect unpacked segments.
    configuration.compress = false
    configure(&configuration)
    configurations = ConfigurationBox(configuration)
    self.access = access
    self.boot = boot
    self.checkedAtStart = checkedAtStart
    checker = try InterfaceChecker()
    log = try EventLog.openForTests(
      fileSystem, configuration, boot: boot, checkedAtStart: checkedAtStart, foldVersion: foldVersion)
    service = try Service(
      log: log, configuration: configuration, access: access,
      readConfiguration: { [configurations] () throws(ConfigurationError) in try configurations.result.get() },
      journal: journal.journal, clock: clock.service)
  }

  /// The configuration that the next reload reads.
  var nextConfiguration: Result<Configuration, ConfigurationError> {
    get { configurations.result }
    set { configurations.result = newValue }
  }

  /// The next daemon on the log's files, after this one was killed.
  func restarted(boot: UInt64 = 1, _ configure: (inout Configuration) -> Void = { _ in }) throws -> TestDaemon {
    try TestDaemon(fileSystem.afterKill(), clock: clock, boot: boot, configure)
  }

  // MARK: The next daemon

  /// Stops cleanly, and continues as the next daemon with the connections that this one leaves.
  func restart() throws {
    service.stop()
    release()
    #expect(end == .stopped)
    var left: [UInt64: [UInt8]] = [:]
    for id in clients.keys { left[id] = service.finalState(of: id).map(Self.bytes) }
    try continueAsNextDaemon(with: left)
  }

  /// Is killed, and continues as the next daemon with the connections that were idle.
  func kill() throws {
    heldJob = nil
    try continueAsNextDaemon(with: idleStates)
  }

  private func continueAsNextDaemon(with left: [UInt64: [UInt8]]) throws {
    let configuration = service.settings.configuration
    let recentInterval = service.log.recent.interval
    fileSystem = fileSystem.afterKill()
    log = try EventLog.openForTests(fileSystem, configuration, boot: boot, checkedAtStart: checkedAtStart)
    service = try Service(
      log: log, configuration: configuration, access: access,
      readConfiguration: { [configurations] () throws(ConfigurationError) in try configurations.result.get() },
      journal: journal.journal, clock: clock.service)
    service.log.recent.interval = recentInterval
    end = nil
    heldJob = nil
    idleStates = [:]
    let before = clients
    clients = [:]
    for (id, client) in before.sorted(by: { $0.key < $1.key }) {
      let state = try left[id].map { try $0.withUnsafeBytes { try ConnectionState($0) } }
      if let next = state.flatMap({ service.resume($0, client.peer) }) {
        client.id = next
        clients[next] = client
      } else {
        client.closed()
      }
    }
    markIdle()
  }

  /// Marks a connection busy: it is about to be used.
  func markBusy(_ id: UInt64) { idleStates[id] = nil }

  /// Records the states of connections that have become idle.
  func markIdle() {
    for id in service.takeHandOverChanges() { idleStates[id] = nil }
    for id in clients.keys where idleStates[id] == nil && service.isWorthKeeping(id) {
      idleStates[id] = service.idleState(of: id).map(Self.bytes)
    }
  }

  private static func bytes(of state: ConnectionState) -> [UInt8] {
    var writer = StateWriter()
    state.write(to: &writer)
    return writer.bytes
  }

  // MARK: Clients

  /// A new connection; `nil` when it is refused.
  func tryConnect(user: UInt32 = 1000, groups: [UInt32] = []) -> TestClient? {
    let peer = Peer(user: user, groups: groups)
    guard let id = service.connect(peer) else { return nil }
    let client = TestClient(self, id: id, peer: peer)
    clients[id] = client
    return client
  }

  /// A new connection.
  func connect(user: UInt32 = 1000, groups: [UInt32] = []) throws -> TestClient {
    try #require(tryConnect(user: user, groups: groups))
  }

  func disconnect(_ id: UInt64) {
    clients[id] = nil
    service.disconnect(id)
    settle()
  }

  // MARK: Turns

  /// Takes turns until no work is left.
  func settle() {
    repeat { turn() } while service.hasWork || sendable.contains { _ in true }
  }

  private var sendable: [TestClient] {
    clients.values.filter { $0.hasOutput && service.wantsInput(on: $0.id) }.sorted { $0.id < $1.id }
  }

  /// One turn of the loop.
  func turn() {
    for client in sendable { client.deliver() }
    service.advance()
    takeJob()
    takeUpkeep()
    drain()
    markIdle()
  }

  /// Takes the next commit job, and carries it out unless jobs are held.
  func takeJob() {
    guard let job = service.nextJob() else { return }
    heldJob = job
    if !isHolding { finishJob() }
  }

  /// Takes the next upkeep job, and carries it out unless jobs are held.
  func takeUpkeep() {
    guard let job = service.nextUpkeep() else { return }
    heldUpkeeps.append(job)
    if !isHoldingUpkeep { finishUpkeep() }
  }

  /// Carries out the held upkeep job, the oldest of two, as an upkeep thread would.
  func finishUpkeep() {
    if heldUpkeeps.isEmpty { return }
    let job = heldUpkeeps.removeFirst()
    service.complete(log.upkeep.perform(job))
  }

  /// Lets the clients read their output, and closes finished connections.
  func drain() {
    for id in service.takeOutputs() {
      clients[id]?.drain()
      if service.isFinished(id) {
        clients.removeValue(forKey: id)?.closed()
        service.disconnect(id)
      }
    }
  }

  /// Carries out the held commit job, as the commit thread would.
  func finishJob() {
    guard let job = heldJob else { return }
    heldJob = nil
    if let end = service.complete(log.writer.perform(job)) { self.end = end }
    markIdle()
  }

  /// Carries out the held jobs, and holds none from now on.
  func release() {
    isHolding = false
    isHoldingUpkeep = false
    finishJob()
    while heldUpkeep != nil { finishUpkeep() }
    settle()
  }

  /// Lets time pass, with its ticks.
  func wait(seconds: Int64) {
    for _ in 0..<(seconds / 5) {
      clock.advance(seconds: 5)
      service.tick()
      settle()
    }
  }
}

/// What a reload reads.
private final class ConfigurationBox {
  var result: Result<Configuration, ConfigurationError>

  init(_ configuration: Configuration) { result = .success(configuration) }
}
