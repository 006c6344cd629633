import ScrollLog
import ScrollModel
import Testing
import Varlink

@testable import ScrollService

/// The table of all methods over parts of their own, and a handler that only looks calls up in it.
final class MethodsFixture: CallHandler {
  let log: LogFixture
  let peers = ConnectionsFixture()
  let sessions: Sessions
  private let settings: Settings
  private let table: MethodTable

  init(access: AccessRules = AccessRules()) throws {
    let log = try LogFixture()
    let (clock, journal, commit) = (log.clock.service, log.journal.journal, log.commit)
    self.log = log
    let configuration = Configuration()
    let connections = peers.connections
    let sessions = Sessions(log.log.horizon, closed: [:], effects: log.effects, clock: clock)
    let settings = Settings(
      configuration, access, journal: journal, read: { () throws(ConfigurationError) in configuration })
    let subscriptions = Subscriptions(
      log.history, limitPerUser: configuration.maximumSubscriptionsPerUser, clock: clock)
    let upkeep = UpkeepSchedule(
      configuration, log.log, activeBytes: 0, effects: log.effects, clock: clock, journal: journal)
    let recorder = RecorderMethods(
      sessions: sessions, commit: commit, history: log.history, users: connections.users, settings: settings,
      clock: clock, terms: AnswerTerms(generation: log.history.generation, isDurable: true))
    let observer = ObserverMethods(
      sessions: sessions, subscriptions: subscriptions, commit: commit, history: log.history,
      users: connections.users, settings: settings, clock: clock,
      receivedTime: { $0 })
    let statistics = {
      Statistics(
        generation: log.history.generation, firstPosition: log.history.firstPosition,
        lastPosition: log.log.horizon.position, syncedPosition: commit.written.synced,
        sessionCount: log.log.horizon.sessions.count, connectionCount: connections.count,
        subscriberCount: subscriptions.count, connections: connections.counters, sessions: sessions.counters,
        subscriptions: subscriptions.counters, commit: commit.counters, snapshots: commit.snapshots,
        upkeep: upkeep.counters, log: LogGauges(segments: log.segments, activeBytes: 0, backupsRunning: 0),
        start: log.log.start)
    }
    let manager = ManagerMethods(
      sessions: sessions, commit: commit, upkeep: upkeep, history: log.history, forgottenKeys: nil,
      statistics: statistics,
      reload: { () throws(ConfigurationError) in try settings.reload() })
    let imports = ImportMethods(sessions: sessions, commit: commit, recorder: recorder, settings: settings)
    let followers = Followers(
      log.history, limitPerUser: configuration.maximumSubscriptionsPerUser, keys: nil,
      readList: { () throws(ReadError) in ForgottenList() }, synced: { commit.written.synced })
    let relay = RelayMethods(followers: followers, history: log.history)
    self.sessions = sessions
    self.settings = settings
    table = MethodTable(try ServiceInterfaces.makeService())
    for methods in [recorder.table, observer.table, manager.table, imports.table, relay.table] { table.add(methods) }
  }

  var names: [String] { table.names }

  // MARK: Handling calls

  let takesCalls = true
  func isFull(for share: UserShare) -> Bool { log.commit.isFull || log.commit.isFull(for: share) }

  func handle(_ call: Call, on connection: Connection) throws(VarlinkError) -> NextCall {
    switch try table.handle(call, connection, settings) {
    case .answered: return .mayFollow
    case .stream(let stream):
      peers.connections.begin(stream, on: connection, isCommitted: true)
      return .waits
    }
  }

  /// Calls a method and gives turns until there is no work.
  ///
  /// - Returns: The replies that came: the error's own name or, of others, the parameters.
  func call(
    _ method: String, _ parameters: JSONTree = [:], mode: CallMode = .once, on connection: Connection
  ) -> [String] {
    peers.call(method, mode: mode, on: connection, self) { writer in
      for (name, value) in parameters.members {
        writer.key(string: name)
        value.write(to: &writer)
      }
    }
    while peers.connections.advance(self) {}
    return peers.read(connection)
  }
}
