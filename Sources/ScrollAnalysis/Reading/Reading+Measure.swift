extension Reading {
  /// A measure of a session: its name, unit and meaning. JSON, tables and documentation follow this list.
  public enum Measure: String, CaseIterable, Sendable {
    case duration
    case activeTime
    case backwardSteps
    case reach
    case scrolled
    case reached25
    case reached50
    case reached75
    case reached90
    case reached100
    case bottomReached
    case distance
    case distanceUp
    case regressions
    case meanSpeed
    case maxSpeed
    case minAcceleration
    case maxAcceleration
    case depth
    case toolbarHidden
    case flips
    case flickers

    /// The unit of a measure's numbers.
    public enum Unit: String, Sendable {
      case microseconds = "µs"
      case share = "0 to 1"
      case points = "points"
      case pointsPerMillisecond = "points/ms"
      case pointsPerSquareMillisecond = "points/ms²"
      case count = "count"
      case word = "word"
    }

    /// The measure's name in JSON and tables.
    public var name: String { rawValue }

    /// The unit of its numbers.
    public var unit: Unit {
      switch self {
      case .duration, .activeTime, .reached25, .reached50, .reached75, .reached90, .reached100, .bottomReached:
        .microseconds
      case .reach, .scrolled, .toolbarHidden: .share
      case .distance, .distanceUp: .points
      case .meanSpeed, .maxSpeed: .pointsPerMillisecond
      case .minAcceleration, .maxAcceleration: .pointsPerSquareMillisecond
      case .backwardSteps, .regressions, .flips, .flickers: .count
      case .depth: .word
      }
    }

    /// What the measure is, in one line.
    public var meaning: String {
      switch self {
      case .duration: "from the first event to the last, or to the close"
      case .activeTime: "the time between samples, each interval at most the idle time"
      case .backwardSteps: "intervals that end before they begin, which count 0"
      case .reach: "how much of the content was ever on screen"
      case .scrolled: "how much of the scrollable range was ever behind the reader"
      case .reached25: "when reach first got to 25 %, since the first event"
      case .reached50: "when reach first got to 50 %"
      case .reached75: "when reach first got to 75 %"
      case .reached90: "when reach first got to 90 %"
      case .reached100: "when reach first got to 100 %"
      case .bottomReached: "when the state's reachBottom first became true, since the first event"
      case .distance: "how far the content moved, without relayouts and zooming"
      case .distanceUp: "the part of the distance upwards"
      case .regressions: "scroll events above the scroll event before"
      case .meanSpeed: "the mean speed between consecutive scroll events"
      case .maxSpeed: "the greatest speed between consecutive scroll events"
      case .minAcceleration:
        "the least change of speed from a step between scroll events to the next, by the first one's time"
      case .maxAcceleration:
        "the greatest change of speed from a step between scroll events to the next, by the first one's time"
      case .depth: "bounce (active under 10 s), shallow (reach up to 0.5), deep, complete (reach from 0.98)"
      case .toolbarHidden: "the share of the duration with the toolbar hidden"
      case .flips: "how often the toolbar turned"
      case .flickers: "flips that undid another one within 300 ms"
      }
    }

    /// The measures that are numbers, which a population has statistics of.
    public static var numbers: [Measure] { allCases.filter { $0.unit != .word } }
  }

  /// A measure's value.
  public enum Value: Equatable, Sendable {
    /// A time in microseconds, or a count.
    case integer(Int64)
    /// A share, a length, a speed or an acceleration.
    case number(Double)
    /// A depth's name.
    case word(String)

    /// The value as a number; `nil` for a word.
    public var number: Double? {
      switch self {
      case .integer(let value): Double(value)
      case .number(let value): value
      case .word: nil
      }
    }
  }

  /// The value of a measure; `nil` when the session does not tell it.
  public subscript(measure: Measure) -> Value? {
    switch measure {
    case .duration: .integer(duration)
    case .activeTime: .integer(activeTime)
    case .backwardSteps: .integer(Int64(backwardSteps))
    case .reach: reach.map(Value.number)
    case .scrolled: scrolled.map(Value.number)
    case .reached25: reached25.map(Value.integer)
    case .reached50: reached50.map(Value.integer)
    case .reached75: reached75.map(Value.integer)
    case .reached90: reached90.map(Value.integer)
    case .reached100: reached100.map(Value.integer)
    case .bottomReached: bottomReached.map(Value.integer)
    case .distance: .number(distance)
    case .distanceUp: .number(distanceUp)
    case .regressions: .integer(Int64(regressions))
    case .meanSpeed: meanSpeed.map(Value.number)
    case .maxSpeed: maxSpeed.map(Value.number)
    case .minAcceleration: minAcceleration.map(Value.number)
    case .maxAcceleration: maxAcceleration.map(Value.number)
    case .depth: depth.map { .word("\($0.name)") }
    case .toolbarHidden: toolbarHidden.map(Value.number)
    case .flips: .integer(Int64(flips))
    case .flickers: .integer(Int64(flickers))
    }
  }
}
