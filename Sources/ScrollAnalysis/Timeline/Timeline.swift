// A session over time: where it stood, what was shown, and when that turned.

import ScrollModel

/// A session over time, ready to be drawn: where the content stood, and for each policy when the toolbar was shown.
///
///     let timeline = Timeline(events, policies: [.safari, .classic], title: "article-read")
///     for line in timeline.lines(width: 100, height: 12) { print(line) }
///
/// Times count from the session's first event. Where the client's clock runs backwards, time stands still until it has
/// caught up.
public struct Timeline: Equatable, Sendable {
  /// What the drawing is called.
  public let title: String
  /// How many events the session has.
  public let eventCount: Int
  /// The session's length, in microseconds, at least 1.
  public let duration: Int64
  /// Whether the horizontal offset is drawn, as in a pager that scrolls no other way.
  public let isHorizontal: Bool
  /// The offset, in points.
  public let offset: StepSeries
  /// The largest offset within the content, in points, while the sizes are known; nothing for pages from right to left,
  /// whose offsets are negative.
  public let end: StepSeries
  /// The zoom scale.
  public let zoomScale: StepSeries
  /// What each policy made of it.
  public let bands: [Band]

  /// Folds a session under one policy or several.
  public init(_ events: [Event], policies: [Policy], title: String = "") {
    var clock = Clock()
    let times = events.map { clock.time(of: $0) }
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
      // Absurd sizes add up to no number, which cannot be drawn.
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

  /// Times from the first event on that never run backwards.
  private struct Clock {
    private var start: Int64?
    private var last: Int64 = 0

    mutating func time(of event: Event) -> Int64 {
      let start = start ?? event.time
      self.start = start
      last = max(last, event.time - start)
      return last
    }
  }
}
