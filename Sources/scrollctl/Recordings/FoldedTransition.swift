// A transition that was folded from a recording, in its JSON form.

import ScrollJSON
import ScrollModel
import Varlink

/// A transition that was folded from a recording, in its JSON form.
struct FoldedTransition: JSONWritable {
  var fold: RecordingFold
  var step: Policy.Step
  /// The event's line in the file, 1 for the first.
  var line: Int

  func write(to writer: inout JSONWriter) {
    fold.state.writeTransition(to: &writer, as: fold.identity, step, line: line)
  }
}
