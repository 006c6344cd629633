import Testing

@testable import ScrollLog

/// The decision whose records leave a log that is too large, without any files.
@Suite struct FairSharePlanTests {
  private typealias Segment = FairSharePlan.Segment

  private func step(
    _ segments: [[UInt32: Int64]?], allowed: Int64 = 200, trimmed: [Set<UInt32>] = [], present: Set<UInt32> = []
  ) -> FairSharePlan.Step {
    let trimmed = trimmed + Array(repeating: [], count: segments.count - trimmed.count)
    let found = zip(segments, trimmed).map { use, trimmed in
      Segment(bytes: 100, use: use.map { SegmentUse(users: $0) }, trimmed: trimmed)
    }
    return FairSharePlan(segments: found, allowed: allowed, present: present).step
  }

  @Test func subordinateIdsCountForTheirOwner() {
    let use = SegmentUse(users: [1000: 5, 100_000: 7, 100_001: 1, 1001: 2])
    #expect(use.counted { $0 >= 100_000 ? 1000 : $0 } == SegmentUse(users: [1000: 13, 1001: 2]))
    let ids = UserIDs(owner: 1000, subordinates: [100_000...165_535])
    #expect([1000, 100_000, 165_535].allSatisfy(ids.contains))
    #expect(![999, 99_999, 165_536].contains(where: ids.contains))
  }

  @Test func aLogOfOneUserLosesItsOldestSegment() {
    #expect(step([[1: 10], [1: 10], [1: 10]]) == .removeOldest)
    #expect(step([]) == .removeOldest)
  }

  /// One user wrote for 15 seconds, and the history of everybody else was gone.
  @Test func aUserAboveTheShareLosesTheOldestRecordsBeforeAnybodyElseLosesAny() {
    #expect(step([[0: 1, 9: 99], [9: 50], [9: 50]]) == .trim(user: 9, 0))
    #expect(step([[0: 1], [9: 50], [9: 50]], trimmed: [[9]]) == .trim(user: 9, 1))
    #expect(step([[0: 1, 9: 1], [9: 50], [9: 50]], trimmed: [[9]]) == .trim(user: 9, 1), "some of it stays")
    #expect(
      step([[0: 1, 9: 1], [9: 1], [9: 50]], trimmed: [[9], [9], [9]]) == .removeOldest, "no more can be taken out")
  }

  @Test func aSegmentThatHoldsOnlyRecordsOfUsersAboveTheShareGoesAsAWhole() {
    #expect(step([[9: 99], [0: 1, 9: 50], [9: 50]]) == .removeOldest)
    #expect(step([[:], [0: 1, 9: 50], [9: 50]]) == .removeOldest, "it has no records of anybody")
  }

  @Test func theUserWithTheMostGoesFirst() {
    #expect(step([[0: 1, 8: 40, 9: 59], [8: 40, 9: 60], [8: 40, 9: 60]]) == .trim(user: 9, 0))
    #expect(step([[0: 1, 8: 60, 9: 39], [8: 60, 9: 40], [8: 60, 9: 40]]) == .trim(user: 8, 0))
    // At the same size it is the smaller id, so that the choice is the same on each run.
    #expect(step([[0: 2, 8: 49, 9: 49], [8: 50, 9: 50], [8: 50, 9: 50]]) == .trim(user: 8, 0))
  }

  @Test func usersWithOpenSessionsCountAlthoughTheirRecordsAreInTheLastSegment() {
    let segments: [[UInt32: Int64]?] = [[8: 45, 9: 55], [8: 45, 9: 55]]
    #expect(step(segments, allowed: 220) == .removeOldest, "110 each: nobody has more, and all are equal")
    #expect(step(segments, allowed: 218) == .trim(user: 9, 0), "109 each")
    #expect(step(segments, allowed: 218, present: [1, 2, 3]) == .removeOldest, "54 each: both have more")
  }

  @Test func whatIsLeftOfATrimmedFileDoesNotCountForThoseWhoHaveLittleInIt() {
    #expect(step([[0: 1], [0: 1], [9: 200]], allowed: 250) == .trim(user: 9, 2))
  }

  /// One user's open sessions were left in each file, and pushed everybody's history out.
  @Test func whatBelongsToNobodyIsNotShared() {
    let segments: [[UInt32: Int64]?] = [[0: 1], [9: 100], [9: 100]]
    #expect(step(segments, allowed: 420) == .trim(user: 9, 1), "162 each, as 96 belong to nobody")
    #expect(step(segments, allowed: 496) == .removeOldest, "200 each")
  }

  @Test func nothingIsDecidedBeforeAllSegmentsAreMeasured() {
    #expect(step([[0: 1], nil, nil]) == .measure(1))
  }
}
