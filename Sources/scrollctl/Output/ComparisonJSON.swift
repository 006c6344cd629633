// Comparisons of policies in their JSON form.

import ScrollAnalysis
import ScrollModel
import Varlink

/// An event after which policies begin to differ, differ otherwise, or agree again.
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
    if let log = session.log {
      writer.member("client", log.client)
      writer.member("user", log.user)
      writer.member("session", log.session)
      writer.member("number", session.numbers[row.event])
      writer.member("position", log.positions[row.event])
    } else {
      writer.member("file", session.name)
      writer.member("line", session.numbers[row.event])
    }
    writer.member("time", row.time)
    writer.member("kind", "\(row.kind.name)")
    writer.member("differing", row.differing.names)
    writer.key("policies")
    writer.beginArray()
    for (policy, cell) in zip(policies, row.cells) {
      writer.beginObject()
      writer.member("policy", policy.name)
      writer.member("toolbar", "\(cell.view.toolbar.name)")
      writer.member("trigger", ifPresent: cell.view.trigger.map { "\($0.name)" })
      writer.member("reachBottom", cell.view.reachBottom)
      writer.member("bottomLatch", cell.view.bottomLatch)
      writer.member("topButton", cell.view.topButton)
      writer.member("pageIndex", ifPresent: cell.view.pageIndex)
      writer.member("pageCount", ifPresent: cell.view.pageCount)
      writer.member("changed", cell.changed.names)
      writer.member("reason", ifPresent: cell.reason?.description)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

/// What a policy came to over all recordings. Spans are microseconds.
struct ComparisonTally: JSONWritable {
  var tally: PolicyTally

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("policy", tally.policy.name)
    writer.member("flips", tally.flips)
    writer.member("flickers", tally.flickers)
    writer.member("flipsPerMinute", ifPresent: tally.flipsPerMinute)
    writer.member("scrolling", tally.scrolling)
    writer.member("hidden", tally.hidden)
    writer.member("duration", tally.duration)
    writer.endObject()
  }
}
