/// The measures of several sessions together.
public struct ReadingPopulation: Equatable, Sendable {
  /// The number of sessions.
  public let sessions: Int
  /// The number of sessions that have a reach, which the reach curve counts.
  public let sessionsWithReach: Int
  /// The statistics of each measure that any session had.
  public let distributions: [Reading.Measure: Distribution]
  /// The number of sessions of each depth.
  public let depths: [Reading.Depth: Int]
  /// For each band, the share of the sessions with a reach whose reach covers it. Empty if no session has a reach.
  public let reachCurve: [Double]
  /// The median active time of each band over the sessions that know it, in microseconds.
  public let bandTimes: [Double]

  /// Sums up sessions.
  ///
  /// - Parameter bands: The number of bands that the sessions were measured with.
  public init(_ readings: [Reading], bands: Int = ReadingMeter.standardBands) {
    sessions = readings.count
    var distributions: [Reading.Measure: Distribution] = [:]
    for measure in Reading.Measure.numbers {
      distributions[measure] = Distribution(readings.compactMap { $0[measure]?.number })
    }
    self.distributions = distributions
    depths = readings.reduce(into: [:]) { depths, reading in
      if let depth = reading.depth { depths[depth, default: 0] += 1 }
    }
    let reaches = readings.compactMap(\.reach).sorted()
    sessionsWithReach = reaches.count
    reachCurve =
      reaches.isEmpty
      ? []
      : (1...bands).map { band in
        let covered = Double(band) / Double(bands) - 1e-12
        return Double(reaches.reduce(0) { $1 >= covered ? $0 + 1 : $0 }) / Double(reaches.count)
      }
    let known = readings.compactMap(\.bands).filter { $0.count == bands }
    bandTimes =
      known.isEmpty
      ? [] : (0..<bands).map { band in Distribution.quantile(0.5, of: known.map { Double($0[band]) }.sorted()) }
  }
}
