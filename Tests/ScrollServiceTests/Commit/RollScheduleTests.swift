import Testing

@testable import ScrollService

@Suite struct RollScheduleTests {
  @Test func aSegmentIsDueAtItsSize() {
    let rolls = RollSchedule(segmentSize: 1000)
    #expect(!rolls.isDue(segmentBytes: 999))
    #expect(rolls.isDue(segmentBytes: 1000))
  }

  /// A log of large heads had taken two and a half times what it may.
  @Test func theHeadCountsAndAtLeastAsMuchFollowsIt() {
    var rolls = RollSchedule(segmentSize: 1000)
    for headSize: Int64 in [0, 100, 500] {
      _ = rolls.finish(headSize: headSize)
      #expect(!rolls.isDue(segmentBytes: 999))
      #expect(rolls.isDue(segmentBytes: 1000))
    }
    _ = rolls.finish(headSize: 5000)
    #expect(!rolls.isDue(segmentBytes: 9999))
    #expect(rolls.isDue(segmentBytes: 10_000))
  }

  @Test func aRequestedSegmentIsDueAtAnySizeUntilItIsFinished() {
    var rolls = RollSchedule(segmentSize: 1000)
    rolls.request()
    rolls.request(by: Caller(3))
    rolls.request(by: Caller(4))
    #expect(rolls.isDue(segmentBytes: 0))
    let answered = rolls.finish(headSize: nil)
    #expect(answered.map(\.connection) == [3, 4])
    #expect(!rolls.isRequested && !rolls.isDue(segmentBytes: 0))
    let later = rolls.finish(headSize: nil)
    #expect(later.isEmpty)
  }

  @Test func eachSegmentMayBeginAsManySessions() {
    var rolls = RollSchedule(segmentSize: 1000)
    for _ in 0..<2 {
      for _ in 1..<RollSchedule.maximumOpenings { rolls.countOpening() }
      #expect(!rolls.isDue(segmentBytes: 0))
      rolls.countOpening()
      #expect(rolls.isDue(segmentBytes: 0))
      _ = rolls.finish(headSize: 0)
      #expect(!rolls.isDue(segmentBytes: 0))
    }
  }

  @Test func manyOpeningsDoNotMakeTheDaemonWriteLittleButHeads() {
    var rolls = RollSchedule(segmentSize: 1_000_000)
    _ = rolls.finish(headSize: 1000)
    for _ in 0..<RollSchedule.maximumOpenings { rolls.countOpening() }
    #expect(!rolls.isDue(segmentBytes: 4999))
    #expect(rolls.isDue(segmentBytes: 5000))
    for _ in RollSchedule.maximumOpenings..<RollSchedule.absoluteMaximumOpenings - 1 { rolls.countOpening() }
    #expect(!rolls.isDue(segmentBytes: 4999))
    rolls.countOpening()
    #expect(rolls.isDue(segmentBytes: 1000), "queries read the index of a segment at once")
  }

  @Test func afterAFailureTheSegmentGrowsByAnEighthBeforeTheNextAttempt() {
    var rolls = RollSchedule(segmentSize: 1000)
    rolls.request(by: Caller(3))
    let first = rolls.fail()
    #expect(first.isFirst && first.refused.map(\.connection) == [3])
    #expect(!rolls.isDue(segmentBytes: 1124))
    #expect(rolls.isDue(segmentBytes: 1125))
    let second = rolls.fail()
    #expect(!second.isFirst)
    #expect(!rolls.isDue(segmentBytes: 1249))
    _ = rolls.finish(headSize: 0)
    #expect(rolls.isDue(segmentBytes: 1000))
    let next = rolls.fail()
    #expect(next.isFirst, "a success ends the series of failures")
  }
}
