import JSON
import ScrollAnalysis
import ScrollModel

/// The JSON form of an explanation.
struct ExplanationJSON: JSONWritable {
  var explanation: Explanation
  /// Whether the events' numbers are lines of a file.
  var numbersAreLines = false

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("toolbar", "\(explanation.toolbar.name)")
    writer.member("policy", explanation.policy.name)
    writer.member("decision", ifPresent: explanation.decision.map(decision))
    writer.member("flip", ifPresent: explanation.flip.map(decision))
    writer.key("uncounted")
    writer.beginArray()
    for movement in explanation.uncounted {
      writer.beginObject()
      writer.member("cause", "\(movement.cause.name)")
      writer.member("direction", movement.isDownward ? "down" : "up")
      writer.key("points")
      writer.double(movement.points)
      writer.member("events", movement.events)
      writer.member("first", movement.first)
      writer.member("last", movement.last)
      writer.member("text", movement.text(numbersAreLines: numbersAreLines))
      writer.endObject()
    }
    writer.endArray()
    writer.key("ways")
    writer.beginArray()
    for way in explanation.ways {
      writer.beginObject()
      writer.member("trigger", "\(way.trigger.name)")
      writer.member("condition", ifPresent: way.condition.map { "\($0.name)" })
      writer.member("text", way.text)
      writer.endObject()
    }
    writer.endArray()
    writer.key("obstacles")
    writer.beginArray()
    for obstacle in explanation.obstacles {
      writer.beginObject()
      writer.member("name", "\(obstacle.name)")
      for number in obstacle.numbers {
        writer.key(string: number.name)
        writer.double(number.value)
      }
      writer.member("text", obstacle.text)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  private func decision(_ decision: Explanation.Decision) -> DecisionJSON {
    DecisionJSON(decision: decision, numbersAreLines: numbersAreLines)
  }
}

/// The JSON form of a decision: the event and the clause that decided.
private struct DecisionJSON: JSONWritable {
  var decision: Explanation.Decision
  var numbersAreLines: Bool

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member(numbersAreLines ? "line" : "number", decision.number)
    writer.member("time", decision.time)
    writer.member("sinceStart", decision.sinceStart)
    writer.member("kind", "\(decision.kind.name)")
    writer.member("trigger", "\(decision.reason.trigger.name)")
    writer.member("reason", decision.reason.description)
    writer.endObject()
  }
}
