import ScrollModel

/// A session over time, ready to be drawn: the content's offset, and for each policy when the toolbar was visible.
///
///     let timeline = Timeline(events, policies: [.safari, .classic], title: "article-read")
///     for line in timeline.lines(width: 100, height: 12) { print(line) }
///
/// Times count from the session's first event, by a ``SessionClock``.
public struct Timeline: Equatable, Sendable {
  /// The drawing's title.
  public let title: String
  /// The number of the session's events.
  public let eventCount: Int
  /// The session's length in microseconds, at least 1.
  public let duration: Int64
  /// Whether the horizontal offset is drawn, as for a pager that scrolls only sideways.
  public let isHorizontal: Bool
  /// The offset, in points.
  public let offset: StepSeries
  /// The largest offset within the content, in points, while the sizes are known. It is empty for pages from right to
  /// left, whose offsets are negative.
  public let end: StepSeries
  /// The zoom scale.
  public let zoomScale: StepSeries
  /// The session under each policy.
  public let bands: [Band]

  /// Folds a session under one or more policies.
  public init(_ events: [Event], policies: [Policy], title: String = "") {
    var clock = SessionClock()
    let times = events.map { clock.advance(to: $0.time) }
    var geometry = Geometry()
    var (x, y) = (StepSeries(), StepSeries())
    var (right, bottom) = (StepSeries(), StepSeries())
    var zoomScale = StepSeries()
    for (event, time) in zip(events, times) {
      geometry.update(with: event)
      if let value = geometry.x { x.append(value, at: time) }
      if let value = geometry.y { y.append(value, at: time) }
      if let content = geometry.contentWidth, let frame = geometry.frameWidth, !geometry.rightToLeft {
        right.append(max(0, content - frame), at: time)
      }
      let bounds = ScrollBounds(geometry, edgeTolerance: 0)
      // Absurd sizes add up to infinity, which cannot be drawn.
      if bounds.isKnown, bounds.high.isFinite { bottom.append(bounds.high, at: time) }
      if let scale = event.zoomScale { zoomScale.append(scale, at: time) }
    }
    let isHorizontal = y.points.count <= 1 && x.points.count > 1
    self.title = title
    eventCount = events.count
    duration = max(1, times.last ?? 0)
    self.isHorizontal = isHorizontal
    offset = isHorizontal ? x : y
    end = isHorizontal ? right : bottom
    self.zoomScale = zoomScale
    bands = policies.map { Band($0, events, times, isHorizontal: isHorizontal) }
  }
}
