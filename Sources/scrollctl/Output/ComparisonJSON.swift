import JSON
import ScrollAnalysis
import ScrollJSON
import ScrollModel

/// The JSON form of a comparison's row.
struct ComparisonRow: JSONWritable {
  var row: Comparison.Row
  var policies: [Policy]
  var session: LoadedSession

  init(row: Comparison.Row, _ comparison: Comparison, _ session: LoadedSession) {
    self.row = row
    policies = comparison.policies
    self.session = session
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    session.writePlace(of: row.event, to: &writer)
    writer.member("time", row.time)
    writer.member("kind", "\(row.kind.name)")
    writer.member("differing", row.differing.names)
    writer.key("policies")
    writer.beginArray()
    for (policy, cell) in zip(policies, row.cells) {
      writer.beginObject()
      writer.member("policy", policy.name)
      for field in FoldState.Field.watched { writer.member(field.name, ifPresent: cell.view[field]) }
      writer.member("changed", cell.changed.names)
      writer.member("reason", ifPresent: cell.reason?.description)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

/// The JSON form of a policy's tally over all recordings. Spans are in microseconds.
struct ComparisonTally: JSONWritable {
  var tally: PolicyTally
  var sessions: [LoadedSession]

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("policy", tally.policy.name)
    writer.member("sessions", sessions.count)
    writer.member("flips", tally.flips)
    writer.member("flickers", tally.flickers.count)
    writer.member("flipsPerMinute", ifPresent: tally.flipsPerMinute)
    writer.member("scrolling", tally.scrolling)
    writer.member("hidden", tally.hidden)
    writer.member("duration", tally.duration)
    writer.key("flickered")
    writer.beginArray()
    for flicker in tally.flickers {
      writer.beginObject()
      sessions[flicker.session].writePlace(of: flicker.event, to: &writer)
      writer.member("time", flicker.time)
      writer.member("elapsed", flicker.elapsed)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
