import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

@Suite struct CommitTests {
  private let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private var commit: Commit { fixture.commit }
  private let diskIsFull = FileError(.write, path: "/state/log/x", code: .noSpace)
  private let diskIsBroken = FileError(.write, path: "/state/log/x", code: .inputOutput)

  private func nextJob(_ demands: Commit.Demands = LogFixture.noDemands) -> CommitJob? { commit.nextJob(demands) }

  /// Adds the opening of a session, and an answer that waits for it.
  private func open(for connection: ConnectionID) {
    fixture.open("client/\(connection)")
    commit.answer(Caller(connection), .done)
  }

  /// Takes the next job, and its failure instead of carrying it out.
  private func failNextJob(
    with error: WriteError, _ demands: Commit.Demands = LogFixture.noDemands
  ) throws -> Commit.Outcome {
    commit.complete(CommitResult(job: try #require(nextJob(demands)), outcome: .failure(error)))
  }

  // MARK: Group commit

  @Test func callsDuringAJobShareTheNextBlock() throws {
    open(for: 1)
    let first = try #require(nextJob())
    open(for: 2)
    open(for: 3)
    #expect(nextJob() == nil, "a job is under way")
    guard case .wrote(let block, let answers) = try fixture.finish(first) else {
      Issue.record("nothing was written")
      return
    }
    #expect(block.recordCount == 1)
    #expect(answers.map(\.text) == ["1: done"])
    guard case .write(let next) = nextJob() else {
      Issue.record("nothing is to be written")
      return
    }
    #expect(next.firstPosition == 2 && next.recordCount == 2)
    #expect(try fixture.finish(.write(next)).dueAnswers == ["2: done", "3: done"])
    #expect(nextJob() == nil)
    #expect(commit.counters.blocksWritten == 2)
    #expect(fixture.effects.isEmpty, "answers to records come with their block alone")
  }

  @Test func aSegmentIsSealedOnceItBeginsManySessions() throws {
    for index in 0..<RollSchedule.maximumOpenings - 1 { fixture.open("client/\(index)") }
    _ = try fixture.finish(try #require(nextJob()))
    #expect(nextJob() == nil)
    fixture.open("last")
    guard case .roll = nextJob() else {
      Issue.record("the segment is not sealed")
      return
    }
  }

  /// Writes a block with an answer for each of some connections.
  private func write(for connections: ConnectionID...) throws {
    for connection in connections {
      fixture.open("client/\(commit.lastAccepted)")
      commit.answer(Caller(connection), .done)
    }
    try fixture.write()
  }

  @Test func aFeederCountsAsAloneAfterSomeBlocksWithOneAnswerEach() throws {
    for _ in 0..<4 {
      #expect(!commit.hasSingleCaller)
      try write(for: 1)
    }
    #expect(commit.hasSingleCaller)
    try write(for: 1, 2)
    #expect(!commit.hasSingleCaller, "two calls shared a block")
  }

  @Test func feedersThatTakeTurnsAreNotAlone() throws {
    for _ in 0..<8 {
      try write(for: 1)
      try write(for: 2)
      #expect(!commit.hasSingleCaller)
    }
  }

  @Test func aFeederThatWaitsForNoAnswerIsNotAlone() throws {
    for _ in 0..<8 {
      fixture.open("client/\(commit.lastAccepted)")
      commit.answer(Caller(1, isOneway: true), .done)
      #expect(try fixture.write().isEmpty, "a oneway call gets no answer")
      #expect(!commit.hasSingleCaller)
    }
  }

  @Test func aBlockThatFillsTheSegmentIsFollowedByItsSealingWithoutAnotherEvent() throws {
    commit.rolls.segmentSize = 1
    open(for: 1)
    #expect(commit.hasJob(LogFixture.noDemands))
    try fixture.write()
    #expect(commit.hasJob(LogFixture.noDemands), "the loop would wait for an event before it seals the segment")
    #expect(nextJob()?.name == "roll")
  }

  @Test func aRecordIsCommittedWhenItsBlockIsFolded() throws {
    open(for: 1)
    #expect(commit.lastAccepted == 1)
    #expect(!commit.isCommitted(1) && !commit.isSettled)
    let job = try #require(nextJob())
    #expect(!commit.isCommitted(1) && !commit.isSettled)
    #expect(commit.isCommitted(0))
    try fixture.finish(job)
    #expect(commit.isCommitted(1) && commit.isSettled)
  }

  @Test func aPositionThatWasRefusedCountsAsCommitted() throws {
    #expect(commit.isCommitted(100), "nothing is under way that it could wait for")
    commit.sync(for: Caller(1))
    _ = try #require(nextJob())
    #expect(!commit.isCommitted(100))
  }

  @Test func anInvalidEventAddsNothing() throws {
    let session = fixture.open("reader")
    let bytes = commit.pendingBytes
    let bad: JSONTree = ["kind": "scroll", "time": 1, "x": 0]
    do {
      try fixture.append([Gestures.layout, Gestures.scroll(1), bad], skipping: 1, to: session)
      Issue.record("the event was accepted")
    } catch let error as VarlinkError {
      #expect(error.name == "org.scrolld.Recorder.InvalidEvent")
      #expect(error.description.contains(#""index":2"#), "skipped events count")
    }
    #expect(commit.lastAccepted == 1)
    #expect(commit.pendingBytes == bytes)
    #expect(try fixture.append(to: session) == 2)
  }

  // MARK: Room

  @Test func aLargeBlockLetsCallsWait() throws {
    open(for: 1)
    commit.maximumBlockSize = commit.pendingBytes + 1
    #expect(!commit.isFull)
    commit.maximumBlockSize -= 1
    #expect(commit.isFull)
    _ = try #require(nextJob())
    #expect(!commit.isFull)
  }

  /// Everybody's answers waited until a block of 4 MiB from one user was folded.
  @Test func aUserWithALargePartOfABlockWaitsForTheNextOne() throws {
    let limits = ConnectionLimits(Configuration())
    let share = UserShare(user: 1000, limits: limits, now: 0)
    let other = UserShare(user: 1001, limits: limits, now: 0)
    let root = UserShare(user: 0, limits: limits, now: 0)
    open(for: 1)
    for share in [share, root] { commit.count(commit.maximumShareSize - 251, records: 1, of: share) }
    #expect(!commit.isFull(for: share))
    for share in [share, root] { commit.count(1, records: 0, of: share) }
    #expect(commit.isFull(for: share) && !commit.isFull(for: other) && !commit.isFull(for: root))
    _ = try #require(nextJob())
    #expect(!commit.isFull(for: share))
    commit.count(1, records: 0, of: share)
    #expect(share.pendingBytes == 1)
  }

  @Test func manyWaitingAnswersLetCallsWaitEvenBehindABlockUnderWay() throws {
    open(for: 1)
    for _ in 1..<(1 << 16) { commit.answer(Caller(1), .done) }
    let job = try #require(nextJob())
    open(for: 2)
    for _ in 1..<(1 << 16) - 1 { commit.answer(Caller(2), .done) }
    #expect(!commit.isFull)
    commit.answer(Caller(2), .done)
    #expect(commit.isFull)
    try fixture.finish(job)
    #expect(!commit.isFull)
  }

  // MARK: Answers after the last commit

  @Test func withNothingUnderWayAnAnswerAfterTheLastCommitIsDueAtOnce() {
    commit.answerAfterLastCommit(Caller(1), .done)
    #expect(fixture.effects.takeTexts() == ["answer 1: done"])
    #expect(commit.isSettled)
  }

  @Test func anAnswerAfterTheLastCommitWaitsForTheBlockThatIsBuilt() throws {
    open(for: 1)
    commit.answerAfterLastCommit(Caller(2), .done)
    #expect(fixture.effects.isEmpty)
    #expect(try fixture.write().map(\.text) == ["1: done", "2: done"])
  }

  @Test func anAnswerAfterTheLastCommitWaitsForTheBlockUnderWay() throws {
    open(for: 1)
    let job = try #require(nextJob())
    commit.answerAfterLastCommit(Caller(2), .done)
    #expect(fixture.effects.isEmpty)
    #expect(try fixture.finish(job).dueAnswers == ["1: done", "2: done"])
  }

  @Test func anAnswerAfterTheLastCommitWaitsForTheBlockBehindTheOneUnderWay() throws {
    open(for: 1)
    let job = try #require(nextJob())
    open(for: 2)
    commit.answerAfterLastCommit(Caller(3), .done)
    #expect(try fixture.finish(job).dueAnswers == ["1: done"])
    #expect(try fixture.write().map(\.text) == ["2: done", "3: done"])
  }

  @Test func aJobWithoutRecordsKeepsNoAnswerWaiting() throws {
    try fixture.sealSegment()
    commit.sync(for: Caller(9))
    let job = try #require(nextJob())
    commit.answerAfterLastCommit(Caller(1), .done)
    #expect(fixture.effects.takeTexts() == ["answer 1: done"])
    try fixture.finish(job)
  }

  // MARK: No space

  @Test func withoutSpaceTheBlockUnderWayAndTheOneBehindItAreRefused() throws {
    open(for: 1)
    try fixture.write()
    open(for: 2)
    let job = try #require(nextJob())
    open(for: 3)
    commit.answerAfterLastCommit(Caller(4), .done)
    commit.answer(Caller(5, isOneway: true), .done)
    let outcome = commit.complete(CommitResult(job: job, outcome: .failure(.noSpace(diskIsFull))))
    guard case .noSpace(let answers, let onewayCalls) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(answers.map(\.text) == ["2: done", "3: done", "4: done"])
    #expect(onewayCalls == 1)
    #expect(commit.isOutOfSpace && commit.isSettled)
    #expect(commit.counters.appendsWithoutSpace == 4)
    #expect(commit.lastAccepted == 1, "positions continue where the log ends")
    open(for: 5)
    #expect(commit.lastAccepted == 2)
    #expect(try fixture.write().map(\.text) == ["5: done"])
    #expect(!commit.isOutOfSpace)
  }

  @Test func aOnewayResendOfEventsUnderWayCountsAsRefusedWithThem() throws {
    open(for: 1)
    let job = try #require(nextJob())
    commit.answerAfterLastCommit(Caller(1, isOneway: true), .done)
    guard
      case .noSpace(let answers, let onewayCalls) = commit.complete(
        CommitResult(job: job, outcome: .failure(.noSpace(diskIsFull))))
    else {
      Issue.record("the block was not refused")
      return
    }
    #expect(answers.map(\.text) == ["1: done"])
    #expect(onewayCalls == 1)
  }

  @Test func aFullDiskIsLoggedOnceAndSoIsItsEnd() throws {
    for _ in 0..<3 {
      open(for: 1)
      _ = try failNextJob(with: .noSpace(diskIsFull))
    }
    for connection in 1...2 as ClosedRange<ConnectionID> {
      open(for: connection)
      try fixture.write()
    }
    #expect(fixture.journal.entries.map(\.kind) == [.diskFull, .spaceAvailable])
  }

  // MARK: Failures

  @Test func afterAFailedWriteNothingIsWrittenOrAnswered() throws {
    open(for: 1)
    let job = try #require(nextJob())
    open(for: 2)
    let outcome = commit.complete(CommitResult(job: job, outcome: .failure(.failed(diskIsBroken))))
    guard case .end(.failed(let reason)) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reason == "\(WriteError.failed(diskIsBroken))")
    #expect(commit.hasFailed)
    #expect(nextJob() == nil && nextJob(LogFixture.stop) == nil)
    #expect(!commit.hasJob(LogFixture.stop))
    #expect(fixture.effects.isEmpty)
  }

  @Test func damageInAPartThatTheStartDidNotReadEndsTheService() throws {
    var status = fixture.opened.writer.status
    status.isUnchecked = true
    let commit = Commit(
      fixture.log, status, segmentSize: 1 << 20, effects: fixture.effects, clock: fixture.clock.service,
      journal: fixture.journal.journal)
    let job = try #require(commit.nextJob(LogFixture.noDemands))
    #expect(job.name == "check")
    let damage = LogDamage(file: "/state/log/x", offset: 7, reason: "a reason")
    let outcome = commit.complete(CommitResult(job: job, outcome: .failure(.badSegment(.logDamaged(damage)))))
    guard case .end(.damaged(damage)) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func recordsComeBeforeTheCheckOfAPartThatTheStartDidNotRead() throws {
    var status = fixture.opened.writer.status
    status.isUnchecked = true
    let commit = Commit(
      fixture.log, status, segmentSize: 1 << 20, effects: fixture.effects, clock: fixture.clock.service,
      journal: fixture.journal.journal)
    commit.add(NewRecord(session: OpenTestSession.id(1), record: .open(OpenTestSession.opening("reader"))))
    commit.sync(for: Caller(1))
    var names: [String] = []
    while let job = commit.nextJob(LogFixture.noDemands), names.count < 9 {
      names.append(job.name)
      _ = commit.complete(fixture.opened.writer.perform(job))
    }
    #expect(names == ["write", "sync"], "the writer of a new segment has nothing left to check")
  }

  // MARK: Syncs

  @Test func callersOfSyncShareOneAndLaterOnesGetTheNext() throws {
    open(for: 1)
    try fixture.write()
    commit.sync(for: Caller(1))
    commit.sync(for: Caller(2))
    let job = try #require(nextJob())
    #expect(job.name == "sync")
    commit.sync(for: Caller(3))
    try fixture.finish(job)
    #expect(fixture.effects.takeTexts() == ["answer 1: synced(1)", "answer 2: synced(1)"])
    try fixture.finish(try #require(nextJob()))
    #expect(fixture.effects.takeTexts() == ["answer 3: synced(1)"])
    #expect(nextJob() == nil)
  }

  @Test func aSyncByTheClockDisturbsNoJobUnderWay() throws {
    open(for: 1)
    let job = try #require(nextJob())
    let outcome = commit.complete(CommitResult(job: .sync, outcome: .success(fixture.opened.writer.status)))
    guard case .nothing = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(nextJob() == nil)
    #expect(try fixture.finish(job).dueAnswers == ["1: done"])
  }

  // MARK: Segments

  @Test func aRequestedSegmentIsBegunAndItsCallersAreAnswered() throws {
    open(for: 1)
    try fixture.write()
    commit.rolls.request(by: Caller(2))
    let job = try #require(nextJob())
    #expect(job.name == "roll")
    guard case .beganSegment = try fixture.finish(job) else {
      Issue.record("no segment was begun")
      return
    }
    #expect(fixture.effects.takeTexts() == ["answer 2: done"])
    #expect(fixture.segments.firstPositions == [1, 2])
    #expect(commit.written.segment == 2 && !commit.hasRecords)
    #expect(commit.counters.segmentsBegun == 1)
  }

  @Test func aSegmentWithoutRecordsIsAsGoodAsANewOne() {
    commit.rolls.request(by: Caller(1))
    #expect(commit.hasJob(LogFixture.noDemands))
    #expect(nextJob() == nil)
    #expect(fixture.effects.takeTexts() == ["answer 1: done"])
    #expect(fixture.segments.firstPositions == [1])
  }

  @Test func withoutSpaceForASegmentItsCallersAreRefusedAndTheOldOneGrows() throws {
    open(for: 1)
    try fixture.write()
    for caller in 2...3 as ClosedRange<ConnectionID> {
      commit.rolls.request(by: Caller(caller))
      guard case .noSpaceForSegment = try failNextJob(with: .noSpace(diskIsFull)) else {
        Issue.record("a segment was begun")
        return
      }
    }
    #expect(fixture.effects.takeTexts() == ["refuse 2: NoSpace", "refuse 3: NoSpace"])
    #expect(fixture.journal.entries.map(\.kind) == [.noSpaceForSegment])
    #expect(nextJob() == nil)
    #expect(!commit.isOutOfSpace)
  }

  @Test func aSegmentIsSealedSoThatItsRecordsCanBeForgotten() throws {
    open(for: 1)
    try fixture.write()
    open(for: 2)
    let demands = Commit.Demands(rollsToForget: true, isStopping: false, mayStop: false)
    #expect(commit.hasJob(demands))
    let job = try #require(nextJob(demands))
    #expect(job.name == "roll", "sealing comes before the records that wait")
    try fixture.finish(job)
    #expect(nextJob(LogFixture.noDemands)?.name == "write")
  }

  // MARK: Snapshots

  /// Writes an opening and a closing, so that no open session makes snapshots rarer.
  private func writeSession(_ name: String) throws {
    fixture.close(fixture.open(name))
    try fixture.write()
  }

  @Test func aSnapshotIsWrittenWhenTheLogHasGrownEnough() throws {
    try writeSession("a")
    #expect(nextJob() == nil)
    commit.snapshots.interval = 1
    let job = try #require(nextJob())
    #expect(job.name == "snapshot")
    try fixture.finish(job)
    #expect(commit.snapshots.written == 1)
    #expect(commit.snapshots.bytesWritten == commit.written.snapshotBytes)
    #expect(fixture.segments.lastSnapshot?.position == 2)
    #expect(nextJob() == nil)
  }

  @Test func recordsThatWaitComeBeforeASecondSnapshot() throws {
    try writeSession("a")
    commit.snapshots.interval = 1
    let first = try #require(nextJob())
    #expect(first.name == "snapshot")
    fixture.open("b")
    try fixture.finish(first)
    commit.snapshots.interval = 0
    let second = try #require(nextJob())
    #expect(second.name == "write")
    try fixture.finish(second)
  }

  @Test func failedSnapshotsAreLoggedOnceAndLeaveTheLogAlone() throws {
    try writeSession("a")
    for failure in 1...2 as ClosedRange<Int64> {
      commit.snapshots.interval = 1
      let job = try #require(nextJob())
      #expect(job.name == "snapshot")
      _ = commit.complete(CommitResult(job: job, outcome: .failure(.noSnapshot(diskIsFull))))
      #expect(commit.snapshots.failed == failure)
      commit.snapshots.interval = 1 << 20
      #expect(nextJob() == nil)
      try writeSession("b\(failure)")
    }
    #expect(fixture.journal.entries.map(\.kind) == [.snapshotFailed])
  }

  @Test func noSnapshotIsWrittenWhileTheDiskIsFull() throws {
    try writeSession("a")
    open(for: 1)
    _ = try failNextJob(with: .noSpace(diskIsFull))
    commit.snapshots.interval = 1
    #expect(!commit.hasJob(LogFixture.noDemands))
    #expect(nextJob() == nil)
  }

  // MARK: The stop

  @Test func theStopComesAfterRecordsSyncsAndTheLastSnapshot() throws {
    open(for: 1)
    commit.sync(for: Caller(2))
    var names: [String] = []
    while let job = nextJob(LogFixture.stop) {
      names.append(job.name)
      let outcome = try fixture.finish(job)
      if case .end(let end) = outcome { #expect(end == .stopped) }
    }
    #expect(names == ["write", "sync", "snapshot", "stop"])
    #expect(!commit.hasFailed)
    #expect(fixture.effects.takeTexts() == ["answer 2: synced(1)"])
  }

  @Test func whileSomethingElseKeepsTheDaemonTheLogIsNotStopped() throws {
    try writeSession("a")
    let demands = Commit.Demands(rollsToForget: false, isStopping: true, mayStop: false)
    #expect(!commit.hasJob(demands))
    #expect(nextJob(demands) == nil)
  }

  @Test func theLastSnapshotIsTriedOnce() throws {
    try writeSession("a")
    #expect(nextJob(LogFixture.stop)?.name == "snapshot")
    let failed = CommitResult(
      job: .snapshot(try #require(fixture.segments.snapshot(of: fixture.log.horizon.checkpoint()))),
      outcome: .failure(.noSnapshot(diskIsFull)))
    _ = commit.complete(failed)
    #expect(nextJob(LogFixture.stop)?.name == "stop")
  }

  @Test func aLogWithoutRecordsStopsWithoutASnapshot() {
    #expect(nextJob(LogFixture.stop)?.name == "stop")
  }
}

extension Commit.Outcome {
  /// The answers that are due with a block, as texts.
  fileprivate var dueAnswers: [String] {
    if case .wrote(_, let answers) = self { answers.map(\.text) } else { [] }
  }
}
