// A transition that was folded here, in its JSON form.

import JSON
import ScrollJSON
import ScrollModel

/// A transition that was folded from a recording or a logged session, in its JSON form.
struct FoldedTransition: JSONWritable {
  var state: FoldState
  var identity: StateIdentity
  var step: Policy.Step
  /// The event's line in the file, 1 for the first; `nil` for a logged session, whose events have positions.
  var line: Int?

  func write(to writer: inout JSONWriter) {
    state.writeTransition(to: &writer, as: identity, step, line: line)
  }
}
