import JSON
import ScrollAnalysis
import ScrollJSON
import ScrollModel

extension Reading.Value: JSONWritable {
  /// Writes the value.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .integer(let value): writer.int(value)
    case .number(let value): writer.double(value)
    case .word(let word): writer.string(word)
    }
  }
}

/// The JSON form of a session's measures.
struct ReadingJSON: JSONWritable {
  var session: MeasuredSessions.Measured

  func write(to writer: inout JSONWriter) {
    let (head, reading) = (session.head, session.reading)
    writer.beginObject()
    writer.member("file", ifPresent: head.path)
    writer.member("line", ifPresent: head.line)
    writer.member("client", ifPresent: head.client)
    writer.member("user", ifPresent: head.user)
    writer.member("session", ifPresent: head.id)
    writer.member("application", ifPresent: head.application)
    writer.member("title", ifPresent: head.title)
    writer.member("policy", head.policy.name)
    writer.member("events", reading.events)
    for measure in Reading.Measure.allCases {
      guard let value = reading[measure] else { continue }
      writer.key(string: measure.name)
      value.write(to: &writer)
    }
    writer.member("bands", ifPresent: reading.bands)
    writer.endObject()
  }
}

/// The JSON form of the statistics of a group of sessions.
struct PopulationJSON: JSONWritable {
  var group: ReadingGroup

  func write(to writer: inout JSONWriter) {
    let population = group.population
    writer.beginObject()
    writer.key("population")
    if let name = group.name { writer.string(name) } else { writer.null() }
    writer.member("by", ifPresent: group.key?.rawValue)
    writer.member("sessions", population.sessions)
    writer.member("sessionsWithReach", population.sessionsWithReach)
    writer.key("measures")
    writer.beginObject()
    for measure in Reading.Measure.numbers {
      guard let distribution = population.distributions[measure] else { continue }
      writer.key(string: measure.name)
      Self.write(distribution, to: &writer)
    }
    writer.endObject()
    writer.key("depth")
    writer.beginObject()
    for depth in Reading.Depth.allCases { writer.member(depth.name, population.depths[depth] ?? 0) }
    writer.endObject()
    writer.member("reachCurve", population.reachCurve)
    writer.member("bands", population.bandTimes)
    writer.endObject()
  }

  private static func write(_ distribution: Distribution, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("count", distribution.count)
    writer.member("minimum", distribution.minimum)
    writer.member("lowerQuartile", distribution.lowerQuartile)
    writer.member("median", distribution.median)
    writer.member("upperQuartile", distribution.upperQuartile)
    writer.member("maximum", distribution.maximum)
    writer.member("mean", distribution.mean)
    writer.endObject()
  }
}
