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

  @Test func aCallWaitsForTheSealOfTheSegmentWithTheLastRecords() {
    var queue = makeQueue()
    #expect(!queue.needsRoll(at: .max))
    queue.add(scope, through: 7, for: Caller(9))
    #expect(!queue.needsRoll(at: 6), "the closing is not committed")
    #expect(queue.needsRoll(at: 7))
    queue.begin(horizon, removalError: nil)
    #expect(queue.nextJob == nil, "the horizon is at 6")
  }

  @Test func segmentsAreDoneNewestFirstAndThenTheCallIsAnswered() {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    queue.begin(horizon, removalError: nil)
    #expect(!queue.needsRoll(at: 6))
    #expect(queue.nextJob == .segment(4, scope))
    queue.didForget(.segment(4, scope), ForgottenRecords(count: 2, segmentBytes: nil), removalError: nil)
    #expect(queue.nextJob == .segment(1, scope))
    #expect(fixture.effects.isEmpty)
    let before = fixture.segments.sealedBytes
    let size = fixture.segments.files(activeBytes: 0)[0].bytes
    queue.didForget(.segment(1, scope), ForgottenRecords(count: 3, segmentBytes: size - 20), removalError: nil)
    #expect(fixture.segments.sealedBytes == before - 20)
    #expect(fixture.effects.takeTexts() == ["answer 9: forgotten(records: 5)"])
    #expect(queue.isEmpty)
    #expect(fixture.journal.entries.map(\.kind) == [.forgotten])
  }

  @Test func callsAreServedOneAfterTheOther() {
    var queue = makeQueue()
    let other = ForgetScope.session(OpenTestSession.id(2))
    queue.add(scope, through: 6, for: Caller(9))
    queue.add(other, through: 6, for: Caller(10))
    queue.begin(horizon, removalError: nil)
    queue.begin(horizon, removalError: nil)
    while case .segment(_, scope) = queue.nextJob, let job = queue.nextJob {
      queue.didForget(job, ForgottenRecords(count: 0, segmentBytes: nil), removalError: nil)
    }
    #expect(fixture.effects.takeTexts() == ["answer 9: forgotten(records: 0)"])
    #expect(queue.nextJob == nil)
    queue.begin(horizon, removalError: nil)
    #expect(queue.nextJob == .segment(4, other))
  }

  @Test func aCallWithNothingToDoIsAnsweredAtOnce() throws {
    let fixture = try LogFixture()
    var queue = ForgetQueue(fixture.segments, effects: fixture.effects, journal: fixture.journal.journal)
    queue.add(scope, through: 0, for: Caller(9))
    queue.begin(fixture.log.horizon, removalError: nil)
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
      queue.begin(horizon, removalError: nil)
      #expect(queue.nextJob == .segment(7, .client(name: "reader", user: user, except: kept)))
    }
  }

  @Test func afterAFailedWriteOlderSegmentsAreLeftAlone() {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    queue.begin(horizon, removalError: nil)
    queue.didNotForget(.segment(4, scope), fileError, removalError: nil)
    #expect(queue.nextJob == nil && queue.isEmpty)
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotForgotten"])
    #expect(fixture.journal.entries.map(\.kind) == [.forgettingFailed, .forgotten])
  }

  @Test func aDamagedSegmentDoesNotKeepOlderOnesFromBeingDone() {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    queue.begin(horizon, removalError: nil)
    let damage = ReadError.logDamaged(LogDamage(file: "/state/log/x", offset: 0, reason: "a reason"))
    queue.didNotForget(.segment(4, scope), damage, removalError: nil)
    #expect(queue.nextJob == .segment(1, scope))
    queue.didForget(.segment(1, scope), ForgottenRecords(count: 3, segmentBytes: nil), removalError: nil)
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotForgotten"])
  }

  @Test func filesThatRetentionCouldNotRemoveRefuseTheCall() {
    var queue = makeQueue()
    let error = FileError(.remove, path: "/state/log/x", code: .inputOutput)
    queue.add(scope, through: 6, for: Caller(9))
    queue.begin(horizon, removalError: error)
    while let job = queue.nextJob {
      queue.didForget(job, ForgottenRecords(count: 0, segmentBytes: nil), removalError: error)
    }
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotRemoved"])
  }

  @Test func withoutSpaceTheCallsThatHaveNotBegunAreRefused() {
    var queue = makeQueue()
    queue.add(scope, through: 6, for: Caller(9))
    queue.begin(horizon, removalError: nil)
    queue.add(scope, through: 6, for: Caller(10))
    queue.refuseWaiting()
    #expect(fixture.effects.takeTexts() == ["refuse 10: NoSpace"])
    #expect(queue.nextJob == .segment(4, scope))
  }
}
