import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

@Suite struct ForgetQueueTests {
  private let fixture: LogFixture
  private let scope = ForgetScope.session(OpenTestSession.id(1))

  /// A log with two sealed segments, which begin at 1 and 4.
  init() throws {
    fixture = try LogFixture()
    for _ in 0..<2 { try fixture.sealSegment() }
  }

  private func makeQueue() -> ForgetQueue {
    ForgetQueue(fixture.segments, effects: fixture.effects, journal: fixture.journal.journal)
  }

  private var horizon: Horizon { fixture.log.horizon }
  private let fileError = ReadError.file(FileError(.write, path: "/state/log/x", code: .inputOutput))

  /// Begins the first call after a search that has found nothing in the active segment.
  private func begin(_ queue: inout ForgetQueue) throws {
    let search = try #require(queue.nextJob(at: horizon.position))
    #expect(search.isSearch)
    queue.didSearch(search, isFound: false)
    queue.begin(horizon, now: 50)
  }

  /// Begins the first call, and takes its first job, which adds to the list of what was forgotten.
  private func beginAndRecord(_ queue: inout ForgetQueue, _ scope: ForgetScope) throws {
    try begin(&queue)
    let job = try #require(queue.nextJob(at: horizon.position))
    #expect(job == .record(scope, received: 50))
    queue.didForget(job, none, removalError: nil)
  }

  private func nextJob(_ queue: ForgetQueue) -> ForgetJob? { queue.nextJob(at: horizon.position) }

  private let none = ForgottenRecords(count: 0, segmentBytes: nil)

  @Test func aCallWaitsForTheSealOfTheSegmentWithTheLastRecords() throws {
    var queue = makeQueue()
    #expect(!queue.needsRoll && queue.nextJob(at: .max) == nil)
    queue.add(scope, through: 7, for: Caller(9))
    #expect(queue.nextJob(at: 6) == nil, "the closing is not committed")
    let search = try #require(queue.nextJob(at: 7))
    #expect(search == .search(7, scope, through: 7))
    #expect(!queue.needsRoll)
    queue.didSearch(search, isFound: true)
    #expect(queue.needsRoll)
    #expect(queue.nextJob(at: 7) == nil)
    queue.begin(horizon, now: 50)
    #expect(queue.nextJob(at: 7) == nil, "the horizon is at 6")
  }

  /// Once, forgetting a client that the log doesn't have began a new segment each time.
  @Test func aSegmentWithoutRecordsOfTheSessionsNeedNotBeSealed() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    try beginAndRecord(&queue, scope)
    #expect(!queue.needsRoll)
    #expect(nextJob(queue) == .segment(4, scope))
  }

  @Test func aSegmentThatCannotBeSearchedIsSealed() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    queue.didNotForget(try #require(nextJob(queue)), fileError, removalError: nil)
    #expect(queue.needsRoll)
    #expect(fixture.effects.isEmpty)
  }

  @Test func aSegmentThatWasSealedDuringTheSearchNeedNotBeSealedAgain() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    let search = try #require(nextJob(queue))
    fixture.open("another", user: 5)
    try fixture.write()
    try fixture.roll()
    queue.didSearch(search, isFound: true)
    #expect(!queue.needsRoll)
    queue.begin(horizon, now: 50)
    #expect(nextJob(queue) == .record(scope, received: 50))
  }

  @Test func aSearchForACallThatWasRefusedMeanwhileChangesNothing() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    let search = try #require(nextJob(queue))
    let isAnyRefused = queue.refuseWaiting()
    #expect(isAnyRefused)
    queue.didSearch(search, isFound: true)
    #expect(!queue.needsRoll && queue.isEmpty)
    queue.add(.session(OpenTestSession.id(2)), through: 6, for: Caller(10))
    queue.didSearch(search, isFound: true)
    #expect(!queue.needsRoll)
    #expect(fixture.effects.takeTexts() == ["refuse 9: NoSpace"])
  }

  @Test func aListThatCannotBeWrittenRefusesTheCallButTheLogIsRewritten() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    try begin(&queue)
    queue.didNotForget(try #require(nextJob(queue)), fileError, removalError: nil)
    var jobs = 0
    while let job = nextJob(queue) {
      queue.didForget(job, ForgottenRecords(count: 1, segmentBytes: nil), removalError: nil)
      jobs += 1
    }
    #expect(jobs == 2)
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotForgotten"])
  }

  @Test func segmentsAreDoneNewestFirstAndThenTheCallIsAnswered() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    try beginAndRecord(&queue, scope)
    #expect(!queue.needsRoll)
    #expect(nextJob(queue) == .segment(4, scope))
    queue.didForget(.segment(4, scope), ForgottenRecords(count: 2, segmentBytes: nil), removalError: nil)
    #expect(nextJob(queue) == .segment(1, scope))
    #expect(fixture.effects.isEmpty)
    let before = fixture.segments.sealedBytes
    let size = fixture.segments.files(activeBytes: 0)[0].bytes
    queue.didForget(.segment(1, scope), ForgottenRecords(count: 3, segmentBytes: size - 20), removalError: nil)
    #expect(fixture.segments.sealedBytes == before - 20)
    #expect(fixture.effects.takeTexts() == ["answer 9: forgotten(records: 5)"])
    #expect(queue.isEmpty)
    #expect(fixture.journal.entries.map(\.kind) == [.forgotten])
  }

  @Test func callsAreServedOneAfterTheOther() throws {
    var queue = makeQueue()
    let other = ForgetScope.session(OpenTestSession.id(2))
    queue.add(scope, through: 6, for: Caller(9))
    queue.add(other, through: 6, for: Caller(10))
    try beginAndRecord(&queue, scope)
    queue.begin(horizon, now: 51)
    while case .segment(_, scope) = nextJob(queue), let job = nextJob(queue) {
      queue.didForget(job, none, removalError: nil)
    }
    #expect(fixture.effects.takeTexts() == ["answer 9: forgotten(records: 0)"])
    queue.begin(horizon, now: 51)
    #expect(nextJob(queue) == .search(7, other, through: 6), "it is not known whether the active segment has records")
    try beginAndRecord(&queue, other)
    #expect(nextJob(queue) == .segment(4, other))
  }

  @Test func aCallWithNothingToRemoveIsAnsweredWhenItIsInTheList() throws {
    let fixture = try LogFixture()
    var queue = ForgetQueue(fixture.segments, effects: fixture.effects, journal: fixture.journal.journal)
    queue.add(scope, through: 0, for: Caller(9))
    let search = try #require(queue.nextJob(at: 0))
    queue.didSearch(search, isFound: false)
    queue.begin(fixture.log.horizon, now: 50)
    #expect(fixture.effects.isEmpty)
    let job = try #require(queue.nextJob(at: 0))
    #expect(job == .record(scope, received: 50))
    queue.didForget(job, none, removalError: nil)
    #expect(fixture.effects.takeTexts() == ["answer 9: forgotten(records: 0)"])
    #expect(queue.isEmpty)
  }

  @Test func clientsThatHaveComeBackAreNotForgotten() throws {
    let back = fixture.open("reader", user: 1000)
    fixture.open("other", user: 1000)
    let elsewhere = fixture.open("reader", user: 1001)
    try fixture.write()
    try fixture.roll()
    for (user, kept) in [(UInt32?.none, Set([back, elsewhere])), (1000, [back])] {
      var queue = makeQueue()
      queue.add(.client(name: "reader", user: user, except: []), through: 6, for: Caller(9))
      try beginAndRecord(&queue, .client(name: "reader", user: user, except: kept))
      #expect(nextJob(queue) == .segment(7, .client(name: "reader", user: user, except: kept)))
    }
  }

  @Test func afterAFailedWriteOlderSegmentsAreLeftAlone() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    try beginAndRecord(&queue, scope)
    queue.didNotForget(.segment(4, scope), fileError, removalError: nil)
    #expect(nextJob(queue) == nil && queue.isEmpty)
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotForgotten"])
    #expect(fixture.journal.entries.map(\.kind) == [.forgettingFailed, .forgotten])
  }

  @Test func aDamagedSegmentDoesNotKeepOlderOnesFromBeingDone() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    try beginAndRecord(&queue, scope)
    let damage = ReadError.logDamaged(LogDamage(file: "/state/log/x", offset: 0, reason: "a reason"))
    queue.didNotForget(.segment(4, scope), damage, removalError: nil)
    #expect(nextJob(queue) == .segment(1, scope))
    queue.didForget(.segment(1, scope), ForgottenRecords(count: 3, segmentBytes: nil), removalError: nil)
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotForgotten"])
  }

  @Test func filesThatRetentionCouldNotRemoveRefuseTheCall() throws {
    var queue = makeQueue()
    let error = FileError(.remove, path: "/state/log/x", code: .inputOutput)
    queue.add(scope, through: 6, for: Caller(9))
    try beginAndRecord(&queue, scope)
    while let job = nextJob(queue) {
      queue.didForget(job, ForgottenRecords(count: 0, segmentBytes: nil), removalError: error)
    }
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotRemoved"])
  }

  @Test func withoutSpaceTheCallsThatHaveNotBegunAreRefused() throws {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    try beginAndRecord(&queue, scope)
    queue.add(scope, through: 6, for: Caller(10))
    let isAnyRefused = queue.refuseWaiting()
    #expect(isAnyRefused)
    #expect(fixture.effects.takeTexts() == ["refuse 10: NoSpace"])
    #expect(nextJob(queue) == .segment(4, scope))
  }
}
