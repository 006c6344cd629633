import ScrollModel

/// Offsets that are so far outside the content that no view shows anything there.
struct OffsetCheck {
  private var finding: Finding?

  var findings: [Finding] { [finding].compactMap { $0 } }

  mutating func add(_ step: CheckedEvent) {
    let geometry = step.after.geometry
    guard step.isMotion, let y = step.event.y, let content = geometry.contentHeight, let frame = geometry.frameHeight,
      frame > 0
    else { return }
    let low = -geometry.insetTop
    let high = max(low, content + geometry.insetBottom - frame)
    // A pull beyond an edge shows less than a frame of nothing.
    if y > high + frame {
      finding.note(
        .offsetOutside, step,
        "the offset \(NumberText.rounded(y)) is \(CheckedEvent.points(y - high)) beyond the end of the content")
    } else if y < low - frame {
      finding.note(
        .offsetOutside, step,
        "the offset \(NumberText.rounded(y)) is \(CheckedEvent.points(low - y)) before the beginning of the content"
      )
    }
  }
}
