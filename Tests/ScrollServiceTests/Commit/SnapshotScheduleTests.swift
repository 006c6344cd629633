import Testing

@testable import ScrollService

@Suite struct SnapshotScheduleTests {
  private func makeSchedule() -> SnapshotSchedule {
    var schedule = SnapshotSchedule()
    schedule.interval = 1000
    return schedule
  }

  @Test func aSnapshotIsDueWhenTheSegmentHasGrownByTheInterval() {
    let schedule = makeSchedule()
    #expect(!schedule.isDue(sessions: 0, segmentBytes: 5999, last: 5000))
    #expect(schedule.isDue(sessions: 0, segmentBytes: 6000, last: 5000))
  }

  @Test func withManySessionsSnapshotsAreRarer() {
    let schedule = makeSchedule()
    #expect(!schedule.isDue(sessions: 3, segmentBytes: (96 << 10) - 1, last: 0))
    #expect(schedule.isDue(sessions: 3, segmentBytes: 96 << 10, last: 0))
  }

  @Test func eachFailureDelaysTheNextAttemptUntilASnapshotOrASegment() {
    var schedule = makeSchedule()
    let isFirst = schedule.didFail()
    let isSecondFirst = schedule.didFail()
    #expect(isFirst && !isSecondFirst, "a series of failures is logged once")
    #expect(schedule.failed == 2)
    #expect(!schedule.isDue(sessions: 0, segmentBytes: 2999, last: 0))
    #expect(schedule.isDue(sessions: 0, segmentBytes: 3000, last: 0))
    var rolled = schedule
    rolled.didRoll()
    #expect(rolled.isDue(sessions: 0, segmentBytes: 1000, last: 0))
    let isFirstAfterRoll = rolled.didFail()
    #expect(!isFirstAfterRoll)
    schedule.didWrite(70)
    #expect(schedule.written == 1 && schedule.bytesWritten == 70)
    #expect(schedule.isDue(sessions: 0, segmentBytes: 1000, last: 0))
    let isFirstAfterSuccess = schedule.didFail()
    #expect(isFirstAfterSuccess)
  }
}
