import ScrollModel

/// Offsets outside the content: so far that no view shows anything there, or for longer than a pull and its bounce take.
struct OffsetCheck {
  private var end = OutsideOffsets(edge: "beyond the end")
  private var beginning = OutsideOffsets(edge: "before the beginning")
  private var isDragging = false

  var findings: [Finding] {
    let found = [end.finding, beginning.finding].compactMap { $0 }
    return found.first.map { [$0.joined(with: found.dropFirst().first)] } ?? []
  }

  mutating func add(_ step: CheckedEvent) {
    if step.event.kind == .dragBegin { isDragging = true }
    defer { if step.event.kind == .dragEnd || step.event.kind == .scrollEnd { isDragging = false } }
    let geometry = step.after.geometry
    guard step.isMotion, let y = step.event.y, let content = geometry.contentHeight, let frame = geometry.frameHeight,
      frame > 0
    else { return }
    let low = -geometry.insetTop
    let high = max(low, content + geometry.insetBottom - frame)
    end.add(
      step, distance: y - high, frame: frame, isDragging,
      fits:
        "contentHeight were \(NumberText.rounded(y + frame - geometry.insetBottom)) and not \(NumberText.rounded(content))"
    )
    beginning.add(
      step, distance: low - y, frame: frame, isDragging,
      fits: "insetTop were \(NumberText.rounded(-y)) and not \(NumberText.rounded(geometry.insetTop))")
  }
}

/// The offsets beyond one edge of the content.
private struct OutsideOffsets {
  /// Offsets without one within the content between them.
  private struct Run {
    let number: Int64
    /// When the content should have begun to bounce back, in microseconds.
    var since: Int64
    var count = 0
    /// Whether the content stays there.
    var stays = false
    /// The offsets that are more than a frame outside.
    var far: Finding?
    var furthest = (distance: 0.0, fits: "")
  }

  /// A bounce takes less time, in microseconds.
  private static let longestBounce: Int64 = 1_000_000
  /// Rounding and borders that a size may leave out, in points.
  private static let tolerance = 8.0

  private let edge: String
  private var run: Run?
  /// All runs in which the content stays outside.
  private var stay: Run?
  private var far: Finding?

  init(edge: String) { self.edge = edge }

  var finding: Finding? {
    var all = self
    all.endRun()
    let stay = all.stay.map { stay in
      Finding(
        .offsetOutside, number: stay.number, count: stay.count,
        "the offset stays up to \(CheckedEvent.points(stay.furthest.distance)) \(edge) of the content, as if "
          + stay.furthest.fits)
    }
    return stay?.joined(with: all.far) ?? all.far
  }

  /// - Parameter fits: The size that the offset would fit.
  mutating func add(
    _ step: CheckedEvent, distance: Double, frame: Double, _ isDragging: Bool, fits: @autoclosure () -> String
  ) {
    guard distance > Self.tolerance else { return endRun() }
    var run = self.run ?? Run(number: step.number, since: step.event.time)
    run.count += 1
    // A finger may hold the content outside for as long as it likes.
    if isDragging { run.since = step.event.time }
    if step.event.kind == .scrollEnd || step.event.time - run.since > Self.longestBounce { run.stays = true }
    if distance > run.furthest.distance { run.furthest = (distance, fits()) }
    // A pull shows less than a frame of nothing.
    if distance > frame {
      run.far.note(
        .offsetOutside, step,
        "the offset \(NumberText.rounded(step.event.y ?? 0)) is \(CheckedEvent.points(distance)) \(edge) of the content"
      )
    }
    self.run = run
  }

  private mutating func endRun() {
    guard let run else { return }
    self.run = nil
    guard run.stays else {
      if let more = run.far { far = more.joined(with: far) }
      return
    }
    guard var stay else {
      stay = run
      return
    }
    stay.count += run.count
    if run.furthest.distance > stay.furthest.distance { stay.furthest = run.furthest }
    self.stay = stay
  }
}
