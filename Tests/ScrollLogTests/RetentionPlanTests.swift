import Testing

@testable import ScrollLog

/// The decision which segments have to go, without any files.
@Suite struct RetentionPlanTests {
  private typealias Segment = RetentionPlan.Segment

  /// Three segments of 100 bytes whose last records were received at 10, 20 and 30.
  private static let segments = [10, 20, 30].map { Segment(bytes: 100, lastReceived: $0) }

  private static func reasons(
    _ segments: [Segment] = segments, use: Int64 = 350, unpacked: Int64 = 0, growth: Int64 = 0, available: Int64? = nil,
    now: Int64 = 100, _ change: (inout RetentionLimits) -> Void
  ) -> [RetentionLimits.Reason] {
    var limits = RetentionLimits.none
    change(&limits)
    let plan = RetentionPlan(limits, use: use, unpacked: unpacked, growth: growth, available: available, now: now)
    return plan.reasons(for: segments)
  }

  @Test func withoutLimitsEverythingStays() {
    #expect(Self.reasons { _ in }.isEmpty)
    #expect(Self.reasons(now: .min) { _ in }.isEmpty)
  }

  @Test func theOldestSegmentsGoUntilTheRestFits() {
    #expect(Self.reasons { $0.maximumUse = 350 } == [])
    #expect(Self.reasons { $0.maximumUse = 349 } == [.use])
    #expect(Self.reasons { $0.maximumUse = 250 } == [.use])
    #expect(Self.reasons { $0.maximumUse = 249 } == [.use, .use])
    #expect(Self.reasons { $0.maximumUse = 0 } == [.use, .use, .use])
  }

  @Test func theNewestSealedSegmentStaysForTheMaximumSizeAloneIfItIsToStay() {
    func reasons(_ change: (inout RetentionLimits) -> Void) -> [RetentionLimits.Reason] {
      Self.reasons(available: 0) {
        $0.keepsNewest = true
        change(&$0)
      }
    }
    #expect(reasons { $0.maximumUse = 0 } == [.use, .use])
    #expect(reasons { $0.maximumAge = 0 } == [.age, .age, .age])
    // It does not stay when the disk is full.
    #expect(reasons { $0.keepFree = 1000 } == [.free, .free, .free])
    #expect(
      reasons {
        $0.maximumUse = 0
        $0.keepFree = 1000
      } == [.use, .use, .free])
  }

  /// Segments that wait to be packed once pushed out everything that was packed.
  @Test func segmentsThatAreAboutToBePackedPushNothingOutUntilTheLogTakesTwiceItsMaximum() {
    #expect(Self.reasons(use: 1600, unpacked: 900) { $0.maximumUse = 800 } == [])
    #expect(Self.reasons(use: 1601, unpacked: 900) { $0.maximumUse = 800 } == [.use])
    #expect(Self.reasons(use: 850, unpacked: 50) { $0.maximumUse = 800 } == [])
    #expect(Self.reasons(use: 851, unpacked: 50) { $0.maximumUse = 800 } == [.use])
    #expect(Self.reasons(use: 1000, unpacked: 500, available: 0) { $0.keepFree = 200 } == [])
    #expect(Self.reasons(use: 1000, unpacked: 500, available: 0) { $0.keepFree = 201 } == [.free])
  }

  /// A log had taken two and a half times its maximum.
  @Test func whatIsAddedUntilTheNextPlanCountsForTwiceTheMaximum() {
    #expect(Self.reasons(use: 1500, unpacked: 900, growth: 100) { $0.maximumUse = 800 } == [])
    #expect(Self.reasons(use: 1501, unpacked: 900, growth: 100) { $0.maximumUse = 800 } == [.use])
    #expect(Self.reasons(use: 801, unpacked: 900, growth: 1000) { $0.maximumUse = 800 } == [.use])
    #expect(Self.reasons(use: 800, unpacked: 900, growth: 1000) { $0.maximumUse = 800 } == [])
  }

  @Test func segmentsGoUntilEnoughIsFreeButNotBelowTheFloor() {
    #expect(Self.reasons(available: 50) { $0.keepFree = 50 } == [])
    #expect(Self.reasons(available: 50) { $0.keepFree = 51 } == [.free])
    #expect(Self.reasons(available: 0) { $0.keepFree = 1000 } == [.free, .free, .free])
    #expect(
      Self.reasons(available: 0) {
        $0.keepFree = 1000
        $0.floor = 200
      } == [.free, .free])
    #expect(Self.reasons(available: nil) { $0.keepFree = 1000 } == [])
  }

  @Test func segmentsGoOnceTheirLastRecordIsTooOld() {
    #expect(Self.reasons { $0.maximumAge = 90 } == [])
    #expect(Self.reasons { $0.maximumAge = 89 } == [.age])
    #expect(Self.reasons { $0.maximumAge = 0 } == [.age, .age, .age])
  }

  @Test func aSegmentWhoseTimeDamageHidesGoesWithTheNextOne() {
    let segments = [Segment(bytes: 100, lastReceived: nil), Segment(bytes: 100, lastReceived: 20)]
    #expect(Self.reasons(segments) { $0.maximumAge = 80 } == [])
    #expect(Self.reasons(segments) { $0.maximumAge = 79 } == [.age, .age])
    #expect(Self.reasons([Segment(bytes: 100, lastReceived: nil)]) { $0.maximumAge = 0 } == [])
  }

  @Test func whatIsTooMuchGoesBeforeWhatIsTooOld() {
    let reasons = Self.reasons {
      $0.maximumUse = 300
      $0.maximumAge = 75
    }
    #expect(reasons == [.use, .age])
  }
}
