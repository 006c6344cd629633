import Testing

@testable import ScrollRelay

@Suite struct ClockComparisonTests {
  private static let second: Int64 = 1_000_000

  @Test func aDifferenceIsReportedOnceAndItsEnd() {
    var clocks = ClockComparison()
    #expect(clocks.compare(own: 1000 * Self.second, server: 1009 * Self.second) == nil)
    #expect(clocks.compare(own: 1000 * Self.second, server: 900 * Self.second) == .differs(100 * Self.second))
    #expect(clocks.compare(own: 1001 * Self.second, server: 900 * Self.second) == nil)
    #expect(clocks.compare(own: 1002 * Self.second, server: 1002 * Self.second) == .agrees)
    #expect(clocks.compare(own: 1003 * Self.second, server: 1003 * Self.second) == nil)
  }

  @Test func anotherDifferenceIsReportedAgain() {
    var clocks = ClockComparison()
    #expect(clocks.compare(own: 0, server: 60 * Self.second) == .differs(-60 * Self.second))
    #expect(clocks.compare(own: 60 * Self.second, server: 0) == .differs(60 * Self.second))
  }

  @Test func aSmallDifferenceAfterALargeOneCountsAsAgreement() {
    var clocks = ClockComparison()
    #expect(clocks.compare(own: 15 * Self.second, server: 0) == .differs(15 * Self.second))
    #expect(clocks.compare(own: 9 * Self.second, server: 0) == nil)
    #expect(clocks.compare(own: 4 * Self.second, server: 0) == .agrees)
  }

  @Test func theMessageSaysWhichClockIsAheadAndWhatToDo() {
    let ahead = "\(ClockComparison.Report.differs(3661 * Self.second))"
    #expect(ahead.contains("3661 s ahead of the database’s") && ahead.contains("timedatectl"))
    #expect("\(ClockComparison.Report.differs(-20 * Self.second))".contains("20 s behind the database’s"))
  }
}
