import ScrollModel

/// A session over time, ready to be drawn: the content's offset, and for each policy when the toolbar was visible.
///
///     let timeline = Timeline(events, policies: [.safari, .classic], title: "article-read")
///     for line in timeline.lines(width: 100, height: 12) { print(line) }
///
/// Times count from the drawing's beginning, which is the session's first event or ``start``, by a ``SessionClock``.
public struct Timeline: Equatable, Sendable {
  /// The drawing's title.
  public let title: String
  /// The number of events that are drawn.
  public let eventCount: Int
  /// The drawing's beginning, in microseconds from the session's first event.
  public let start: Int64
  /// The drawing's length in microseconds, at least 1.
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
  ///
  /// - Parameters:
  ///   - closed: The time of the closing, which ends the session; `nil` without one.
  ///   - part: The part of the session to draw, in microseconds from its first event; `nil` for all of it. The part after
  ///     the session's end is not drawn.
  public init(
    _ events: [Event], closed: Int64? = nil, policies: [Policy], title: String = "", part: ClosedRange<Int64>? = nil
  ) {
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
    let last = closed.map { clock.elapsed(until: $0) } ?? clock.elapsed
    let start = min(max(0, part?.lowerBound ?? 0), last)
    let drawn = start...max(start, min(part?.upperBound ?? last, last))
    self.title = title
    eventCount = times.count(where: drawn.contains)
    self.start = start
    duration = max(1, drawn.upperBound - start)
    self.isHorizontal = isHorizontal
    offset = (isHorizontal ? x : y).cropped(to: drawn)
    end = (isHorizontal ? right : bottom).cropped(to: drawn)
    self.zoomScale = zoomScale.cropped(to: drawn)
    bands = policies.map { Band($0, events, drawn, isHorizontal: isHorizontal) }
  }

  /// The part of the session that is drawn, in seconds from its first event.
  var seconds: ClosedRange<Double> {
    let start = Double(start) / 1_000_000
    return start...(start + Double(duration) / 1_000_000)
  }

  /// How much is drawn, in words: `164 events in 12.004 s`, and for a part also where it begins.
  var drawnText: String {
    let events = eventCount == 1 ? "1 event" : "\(eventCount) events"
    return "\(events) in \(NumberText.seconds(duration))" + (start > 0 ? " from \(NumberText.seconds(start))" : "")
  }
}
