import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

@Suite struct UpkeepScheduleTests {
  private let fixture: LogFixture
  private let upkeep: UpkeepSchedule

  /// A log with two sealed segments, which begin at 1 and 4.
  init() throws {
    fixture = try LogFixture()
    for _ in 0..<2 { try fixture.sealSegment(events: 100) }
    upkeep = UpkeepSchedule(
      Configuration(), fixture.log, activeBytes: 0, effects: fixture.effects, clock: fixture.clock.service,
      journal: fixture.journal.journal)
  }

  private let scope = ForgetScope.session(OpenTestSession.id(1))

  private var noUse: RetentionLimits {
    var limits = RetentionLimits.none
    limits.maximumUse = 0
    return limits
  }

  private func nextJob(isStopping: Bool = false) -> UpkeepJob? { upkeep.nextJob(isStopping: isStopping) }

  /// Begins to forget a session, which the active segment does not have.
  private func forget() {
    upkeep.forget(scope, through: fixture.log.horizon.position, for: Caller(9))
  }

  // MARK: Jobs

  @Test func oneSegmentIsPackedAtATime() throws {
    #expect(upkeep.hasJob(isStopping: false) && upkeep.isDone)
    let job = try #require(nextJob())
    #expect(job == .pack(103))
    #expect(nextJob() == nil)
    #expect(!upkeep.hasJob(isStopping: false) && !upkeep.isDone)
    upkeep.complete(fixture.opened.upkeep.perform(job))
    #expect(upkeep.isDone)
    #expect(upkeep.counters.segmentsPacked == 1)
    #expect(nextJob()?.isPacking == true)
  }

  @Test func removingComesBeforeForgettingAndForgettingBeforePacking() throws {
    forget()
    upkeep.vacuum(to: noUse, activeBytes: 0, for: Caller(8))
    var jobs: [String] = []
    while let job = nextJob() {
      jobs.append(job.name)
      upkeep.complete(fixture.opened.upkeep.perform(job))
    }
    #expect(jobs.prefix(2) == ["remove", "remove"])
    #expect(jobs.dropFirst(2).allSatisfy { $0 == "forget" })
    #expect(upkeep.counters.segmentsRemoved == 2)
    #expect(upkeep.counters.bytesRemoved > 0)
  }

  @Test func whileTheDaemonStopsFilesAreOnlyRemoved() throws {
    forget()
    #expect(nextJob(isStopping: true) == nil)
    #expect(!upkeep.hasJob(isStopping: true))
    upkeep.vacuum(to: noUse, activeBytes: 0, for: Caller(8))
    #expect(!upkeep.isDone)
    while let job = nextJob(isStopping: true) {
      #expect(job.name == "remove")
      upkeep.complete(fixture.opened.upkeep.perform(job))
    }
    #expect(upkeep.isDone)
  }

  /// Packing takes long on a busy machine, and the log grew beyond its limits while it went on.
  @Test func theLogKeepsToItsLimitsWhileASegmentIsPacked() throws {
    #expect(nextJob() == .pack(103))
    #expect(!upkeep.isPackingInTheWay(isStopping: false))
    var configuration = Configuration()
    configuration.maximumUse = .bytes(1)
    upkeep.apply(configuration)
    for first in [1, 103] as [Position] {
      _ = upkeep.applyRetention(activeBytes: 0)
      #expect(nextJob() == .measure(first))
      upkeep.complete(fixture.opened.upkeep.perform(.measure(first)))
    }
    _ = upkeep.applyRetention(activeBytes: 0)
    let removal = try #require(nextJob())
    #expect(removal.name == "remove" && !upkeep.isPackingInTheWay(isStopping: false))
    upkeep.complete(fixture.opened.upkeep.perform(removal))
    #expect(upkeep.counters.segmentsRemoved == 1)
    #expect(!upkeep.isDone)
    upkeep.complete(fixture.opened.upkeep.perform(.pack(103)))
    #expect(upkeep.isDone && upkeep.counters.segmentsPacked == 1)
  }

  @Test func aPackingIsInTheWayOfTheRemovalOfItsSegment() throws {
    #expect(nextJob() == .pack(103))
    upkeep.vacuum(to: noUse, activeBytes: 0, for: Caller(8))
    let removal = try #require(nextJob())
    #expect(removal.name == "remove" && !upkeep.isPackingInTheWay(isStopping: false))
    upkeep.complete(fixture.opened.upkeep.perform(removal))
    #expect(nextJob() == nil)
    #expect(upkeep.isPackingInTheWay(isStopping: false) && upkeep.isPackingInTheWay(isStopping: true))
    upkeep.complete(.notPacked(103, .cancelled))
    #expect(nextJob()?.name == "remove")
  }

  @Test func aPackingIsInTheWayOfForgettingUnlessTheDaemonStops() {
    #expect(nextJob()?.isPacking == true)
    forget()
    #expect(upkeep.isPackingInTheWay(isStopping: false))
    #expect(!upkeep.isPackingInTheWay(isStopping: true))
  }

  @Test func postponedPackingResumesWithTheRetention() throws {
    let job = try #require(nextJob())
    let error = FileError(.write, path: "/state/log/x", code: .noSpace)
    upkeep.complete(.notPacked(103, .failed(.file(error))))
    #expect(job == .pack(103) && nextJob() == nil)
    _ = upkeep.applyRetention(activeBytes: 0)
    #expect(nextJob() == .pack(103))
  }

  @Test func aNewConfigurationDecidesWhatIsPackedAndKept() {
    var configuration = Configuration()
    configuration.compress = false
    upkeep.apply(configuration)
    #expect(nextJob() == nil)
    #expect(upkeep.isRetentionDue)
    _ = upkeep.applyRetention(activeBytes: 0)
    #expect(!upkeep.isRetentionDue)
    #expect(fixture.segments.firstPositions.count == 3)
    configuration.maximumUse = .bytes(1)
    upkeep.apply(configuration)
    _ = upkeep.applyRetention(activeBytes: 0)
    #expect(fixture.segments.firstPositions.count == 3, "it is unknown whose records they are")
    for first in [1, 103] as [Position] {
      #expect(nextJob() == .measure(first))
      upkeep.complete(fixture.opened.upkeep.perform(.measure(first)))
      #expect(upkeep.isRetentionDue)
      _ = upkeep.applyRetention(activeBytes: 0)
    }
    #expect(fixture.segments.firstPositions.count == 2)
  }

  // MARK: Backups

  @Test func aBackupNamesTheFilesAndKeepsThem() throws {
    let written = fixture.commit.written
    let backup = try #require(upkeep.beginBackup(on: 5, written))
    #expect(backup.directory == TestDaemon.directory)
    #expect(backup.files.map(\.firstPosition) == fixture.segments.firstPositions)
    #expect(backup.files.last?.bytes == written.segmentBytes)
    #expect(backup.firstPosition == 1 && backup.lastPosition == written.synced)
    #expect(backup.generation == fixture.history.generation)
    #expect(upkeep.backupCount == 1)
    upkeep.vacuum(to: noUse, activeBytes: 0, for: Caller(8))
    #expect(fixture.segments.firstPositions.count == 3)
    upkeep.endBackup(on: 5)
    #expect(upkeep.backupCount == 0)
    #expect(upkeep.isRetentionDue, "what was kept can go now")
    upkeep.vacuum(to: noUse, activeBytes: 0, for: Caller(8))
    #expect(fixture.segments.firstPositions.count == 1)
  }

  @Test func forgettingDisturbsBackupsAndKeepsNewOnesFromBeginning() {
    #expect(upkeep.beginBackup(on: 5, fixture.commit.written) != nil)
    #expect(upkeep.beginBackup(on: 6, fixture.commit.written) != nil)
    upkeep.endBackup(on: 6)
    upkeep.forget(scope, through: .max, for: Caller(9))
    #expect(fixture.effects.takeTexts() == ["end the stream of 5: BackupDisturbed"])
    #expect(upkeep.beginBackup(on: 7, fixture.commit.written) == nil)
    upkeep.refuseForgetting()
    #expect(upkeep.beginBackup(on: 7, fixture.commit.written) != nil)
  }

  @Test func aBackupLastsFromItsReplyToItsEnd() throws {
    let peers = ConnectionsFixture()
    var stream: BackupStream?
    peers.handler.onCall = { [upkeep, commit = fixture.commit] call, connection in
      let next = BackupStream(upkeep, ReplyChannel(connection, call.token)) { commit.written }
      stream = next
      peers.connections.begin(next, on: connection, isCommitted: true)
      return .waits
    }
    let connection = try #require(peers.connect())
    peers.call(mode: .more, on: connection)
    #expect(stream?.handOver() == .restarts)
    peers.settle()
    #expect(peers.read(connection).count == 1)
    #expect(upkeep.backupCount == 1)
    #expect(stream?.handOver() == .impossible)
    peers.settle()
    #expect(peers.read(connection) == [])
    _ = peers.connections.disconnect(connection.id)
    stream?.end()
    #expect(upkeep.backupCount == 0)

    forget()
    let late = try #require(peers.connect())
    peers.call(mode: .more, on: late)
    peers.settle()
    #expect(peers.read(late) == ["BackupDisturbed"])
  }
}

extension UpkeepJob {
  fileprivate var isPacking: Bool { name == "pack" }

  fileprivate var name: String {
    switch self {
    case .remove: "remove"
    case .forget: "forget"
    case .measure: "measure"
    case .pack: "pack"
    }
  }
}
