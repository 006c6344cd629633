// A service on a log in memory, with everything around it driven by hand.

import ScrollLogTesting
import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

/// A service on a log in memory. There are no sockets, threads and clocks: a test says what happens when.
///
/// `settle()` does what the loop would do until there is nothing left to do. With `isHolding` the jobs of the commit thread
/// are kept back until `finishJob()`.
final class TestDaemon {
  static let directory = "/state"

  private(set) var fileSystem: FaultyFileSystem
  let clock: HandClock
  let journal = JournalRecorder()
  private(set) var log: OpenedLog
  private(set) var service: Service
  let checker: InterfaceChecker
  /// Jobs are kept until a test lets them be done.
  var isHolding = false
  /// The job that is kept.
  private(set) var heldJob: CommitJob?
  /// Work on sealed segments is kept until a test lets it be done.
  var isHoldingUpkeep = false
  /// The work that is kept.
  private(set) var heldUpkeep: UpkeepJob?
  /// How the service ended.
  private(set) var end: ServiceEnd?
  private var clients: [UInt64: TestClient] = [:]
  private let configurations: ConfigurationBox
  private let access: AccessRules
  private let boot: UInt64
  private let checkedAtStart: Int64
  /// What stands in the table of states, as the loop writes it: of the connections that are at rest.
  private var atRest: [UInt64: [UInt8]] = [:]

  /// A daemon that begins a log, or goes on with one.
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
    // Tests that count files and bytes know them as they are written.
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

  /// What the next reload reads.
  var nextConfiguration: Result<Configuration, ConfigurationError> {
    get { configurations.result }
    set { configurations.result = newValue }
  }

  /// The log's files as the next daemon finds them, this one having been killed.
  func restarted(boot: UInt64 = 1, _ configure: (inout Configuration) -> Void = { _ in }) throws -> TestDaemon {
    try TestDaemon(fileSystem.afterKill(), clock: clock, boot: boot, configure)
  }

  // MARK: The next daemon

  /// Stops in order, and goes on as the next daemon with the connections that this one leaves.
  func restart() throws {
    service.stop()
    release()
    #expect(end == .stopped)
    var left: [UInt64: [UInt8]] = [:]
    for id in clients.keys { left[id] = service.finalState(of: id).map(Self.bytes) }
    try goOn(with: left)
  }

  /// Is killed, and goes on as the next daemon with the connections that were at rest.
  func kill() throws {
    heldJob = nil
    try goOn(with: atRest)
  }

  private func goOn(with left: [UInt64: [UInt8]]) throws {
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
    atRest = [:]
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
    noteRest()
  }

  /// A connection is about to be touched.
  func noteBusy(_ id: UInt64) { atRest[id] = nil }

  /// Writes down what connections are at that have come to rest.
  func noteRest() {
    for id in service.takeHandOverChanges() { atRest[id] = nil }
    for id in clients.keys where atRest[id] == nil && service.isWorthKeeping(id) {
      atRest[id] = service.idleState(of: id).map(Self.bytes)
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

  /// Does what the loop does until there is nothing left to do.
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
    noteRest()
  }

  /// Takes the next job, and does it unless jobs are held.
  func takeJob() {
    guard let job = service.nextJob() else { return }
    heldJob = job
    if !isHolding { finishJob() }
  }

  /// Takes the next work on sealed segments, and does it unless it is held.
  func takeUpkeep() {
    guard let job = service.nextUpkeep() else { return }
    heldUpkeep = job
    if !isHoldingUpkeep { finishUpkeep() }
  }

  /// Does the work that is held, as the upkeep thread would.
  func finishUpkeep() {
    guard let job = heldUpkeep else { return }
    heldUpkeep = nil
    service.complete(log.upkeep.perform(job))
  }

  /// Lets the clients take what is there for them, and ends connections that have come to their end.
  func drain() {
    for id in service.takeOutputs() {
      clients[id]?.drain()
      if service.isFinished(id) {
        clients.removeValue(forKey: id)?.closed()
        service.disconnect(id)
      }
    }
  }

  /// Does the job that is held, as the commit thread would.
  func finishJob() {
    guard let job = heldJob else { return }
    heldJob = nil
    if let end = service.complete(log.writer.perform(job)) { self.end = end }
    noteRest()
  }

  /// Lets held jobs be done from now on.
  func release() {
    isHolding = false
    isHoldingUpkeep = false
    finishJob()
    finishUpkeep()
    settle()
  }

  /// Lets time pass, with the ticks that come in it.
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
