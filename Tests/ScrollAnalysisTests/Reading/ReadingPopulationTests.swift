import ScrollAnalysis
import Testing

@Suite("Populations of readings")
struct ReadingPopulationTests {
  private static func reading(reach: Double?, activeTime: Int64 = 20_000_000, bands: [Int64]? = nil) -> Reading {
    var reading = Reading()
    (reading.reach, reading.activeTime, reading.bands) = (reach, activeTime, bands)
    return reading
  }

  @Test("Quartiles are interpolated, as R and pandas do by default")
  func quartiles() throws {
    let distribution = try #require(Distribution([4, 1, 3, 2]))
    #expect(distribution.count == 4)
    #expect([distribution.minimum, distribution.maximum, distribution.mean] == [1, 4, 2.5])
    #expect([distribution.lowerQuartile, distribution.median, distribution.upperQuartile] == [1.75, 2.5, 3.25])
    #expect(Distribution([7])?.upperQuartile == 7)
    #expect(Distribution([]) == nil)
  }

  @Test("The reach curve counts, for each band, the sessions whose reach covers it")
  func reachCurve() {
    let population = ReadingPopulation(
      [0.29, 0.3, 1, nil].map { Self.reading(reach: $0) }, bands: 10)
    #expect(population.sessions == 4 && population.sessionsWithReach == 3)
    let third = 1.0 / 3
    let expected: [Double] = [1, 1, 2 * third, third, third, third, third, third, third, third]
    #expect(population.reachCurve == expected)
    #expect(population.distributions[.reach]?.count == 3)
    #expect(population.depths == [.shallow: 2, .complete: 1])
  }

  @Test("A reach of 29 % covers 29 of 100 bands, whatever the rounding")
  func rounding() {
    for percent in 1...100 {
      let curve = ReadingPopulation([Self.reading(reach: Double(percent) / 100)]).reachCurve
      #expect(curve.reduce(0, +) == Double(percent))
    }
  }

  @Test("The time of a band is the median over the sessions that know it")
  func bandTimes() {
    let readings =
      [[0, 10], [4, 20], [2, 90]].map { Self.reading(reach: 1, bands: $0) } + [Self.reading(reach: nil)]
    #expect(ReadingPopulation(readings, bands: 2).bandTimes == [2, 20])
  }

  @Test("No sessions have no statistics")
  func noSessions() {
    let population = ReadingPopulation([])
    #expect(population.sessions == 0 && population.distributions.isEmpty)
    #expect(population.reachCurve.isEmpty && population.bandTimes.isEmpty)
  }
}
