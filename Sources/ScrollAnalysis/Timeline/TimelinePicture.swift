import ScrollModel

/// A drawing of a timeline as SVG, from top to bottom.
struct TimelinePicture {
  private typealias Palette = TimelinePalette

  private static let left = 96.0
  private static let right = 28.0
  private static let plotHeight = 300.0
  private static let laneHeight = 18.0
  private static let laneGap = 44.0

  private let timeline: Timeline
  private let width: Double
  private let plotWidth: Double
  private let columns: Int
  private let scale: OffsetScale
  private var svg = SVGWriter()
  private var y = 0.0

  init(_ timeline: Timeline, width: Double) {
    self.timeline = timeline
    self.width = width
    plotWidth = width - Self.left - Self.right
    columns = Int(plotWidth)
    scale = OffsetScale(timeline)
  }

  mutating func draw() -> String {
    // The height is known only after everything is drawn, so the frame comes last.
    heading()
    legend()
    let top = y
    shade(top)
    grid(top)
    curve(top)
    y = top + Self.plotHeight + 30
    for band in timeline.bands { lane(band) }
    zoomLane()
    pageLane()
    timeAxis(top)
    return framed(svg.text, height: y + 16)
  }

  // MARK: Frame

  private func framed(_ body: String, height: Double) -> String {
    var frame = SVGWriter()
    let size = (SVGWriter.number(width), SVGWriter.number(height))
    frame.open(
      "svg",
      [
        ("xmlns", "http://www.w3.org/2000/svg"), ("width", size.0), ("height", size.1),
        ("viewBox", "0 0 \(size.0) \(size.1)"), ("font-family", "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"),
        ("font-size", "12"), ("fill", Palette.ink),
      ])
    frame.element("rect", [("width", "100%"), ("height", "100%"), ("fill", Palette.paper)])
    return frame.text + body + "</svg>\n"
  }

  private mutating func heading() {
    let title = timeline.title.isEmpty ? "Scrolling over time" : timeline.title
    svg.text(title, x: Self.left, y: 36, [("font-size", "20"), ("font-weight", "600")])
    let end = scale.endBelow.map { ", end of the content at \(NumberText.rounded($0, places: 0))" } ?? ""
    svg.text("\(timeline.drawnText)\(end)", x: Self.left, y: 56, [("fill", Palette.faint)])
    y = 80
  }

  private mutating func legend() {
    var x = Self.left
    let entry = { (svg: inout SVGWriter, text: String) in
      svg.text(text, x: x + 16, y: 84)
      // There is no font to measure with. A character is 6.6 pixels wide on average.
      x += 16 + Double(text.count) * 6.6 + 18
    }
    svg.element("rect", Self.rectangle(x, 74, 11, 11, Palette.shown, radius: 2))
    entry(&svg, "toolbar shown")
    svg.element("rect", Self.rectangle(x, 74, 11, 11, Palette.hidden, radius: 2))
    entry(&svg, "hidden")
    if timeline.bands.contains(where: { $0.latch.range?.upperBound == 1 }) {
      svg.element("rect", Self.rectangle(x, 78, 11, 4, Palette.latch, radius: 2))
      entry(&svg, "bottom latched")
    }
    if timeline.bands.contains(where: { $0.marks.contains(where: \.isFlicker) }) {
      flickerRing(x: x + 5.5, y: 79.5)
      entry(&svg, "flicker: turned back within 0.3 s")
    }
    let triggers = Set(timeline.bands.flatMap { $0.marks.map(\.reason.trigger) })
    for trigger in Trigger.allCases where triggers.contains(trigger) {
      glyph(trigger, x: x + 5.5, y: 79.5, title: nil)
      entry(&svg, "\(trigger.name)")
    }
    y = 108
  }

  // MARK: Curve

  /// Shades the times at which the first policy hid the toolbar.
  private mutating func shade(_ top: Double) {
    svg.element("rect", Self.rectangle(Self.left, top, plotWidth, Self.plotHeight, Palette.plot))
    for span in timeline.bands.first.map(hiddenSpans) ?? [] {
      let (start, end) = (position(span.lowerBound), position(span.upperBound))
      svg.element("rect", Self.rectangle(start, top, end - start, Self.plotHeight, Palette.shade))
    }
  }

  private mutating func grid(_ top: Double) {
    for tick in AxisTicks(scale.range, room: 6).values {
      let y = height(tick, top)
      svg.element("line", Self.line(Self.left, y, width - Self.right, y, Palette.grid))
      svg.text(NumberText.rounded(tick), x: Self.left - 8, y: y + 4, [("text-anchor", "end"), ("fill", Palette.faint)])
    }
    for (_, x) in timeTicks { svg.element("line", Self.line(x, top, x, top + Self.plotHeight, Palette.grid)) }
    let middle = top + Self.plotHeight / 2
    svg.text(
      timeline.isHorizontal ? "horizontal offset, points" : "offset, points", x: 22, y: middle,
      [
        ("text-anchor", "middle"), ("fill", Palette.faint),
        ("transform", "rotate(-90 22 \(SVGWriter.number(middle)))"),
      ])
  }

  private mutating func curve(_ top: Double) {
    if scale.endBelow == nil {
      path(timeline.end, top, Palette.faint, strokeWidth: "1", dashes: "4 4")
      endLabel(top)
    }
    path(timeline.offset, top, Palette.curve, strokeWidth: "2", dashes: nil)
    for mark in timeline.bands.first?.marks ?? [] where mark.isFlip {
      guard let offset = mark.offset else { continue }
      svg.element(
        "circle",
        [
          ("cx", SVGWriter.number(position(mark.time))), ("cy", SVGWriter.number(height(offset, top))), ("r", "4.5"),
          ("fill", Palette.color(mark.reason.trigger)), ("stroke", Palette.paper), ("stroke-width", "1.5"),
        ], title: title(mark))
    }
  }

  /// Labels the dashed line, on the side where the curve is farther from it.
  private mutating func endLabel(_ top: Double) {
    guard let first = timeline.end.points.first?.value, let last = timeline.end.points.last?.value else { return }
    let atFirst = timeline.offset.points.first?.value ?? first
    let atLast = timeline.offset.points.last?.value ?? last
    let leftDistance = (scale.fraction(first) - scale.fraction(atFirst)).magnitude
    let isLeft = leftDistance >= (scale.fraction(last) - scale.fraction(atLast)).magnitude
    svg.text(
      "end of the content", x: isLeft ? Self.left + 6 : width - Self.right - 6,
      y: max(top + 14, height(isLeft ? first : last, top) - 6),
      [("text-anchor", isLeft ? "start" : "end"), ("fill", Palette.faint), ("font-size", "11")])
  }

  /// Draws a series as a path with at most four points per pixel.
  private mutating func path(
    _ series: StepSeries, _ top: Double, _ color: String, strokeWidth: String, dashes: String?
  ) {
    var commands = ""
    var before: Double?
    for (index, column) in series.columns(columns, over: timeline.duration).enumerated() {
      guard let column else { continue }
      let isLast = index == columns - 1
      // A level part needs only its ends.
      if column.first == before, column.lowest == column.highest, !isLast { continue }
      let x = SVGWriter.number(Self.left + Double(index) + 0.5)
      let isLevel = column.lowest == column.highest
      let values = isLevel ? [column.last] : [column.first, column.lowest, column.highest, column.last]
      if let before, before == column.first {
        commands += " L\(x) \(SVGWriter.number(height(before, top)))"
      }
      for value in values { commands += "\(commands.isEmpty ? "M" : " L")\(x) \(SVGWriter.number(height(value, top)))" }
      before = column.last
    }
    guard !commands.isEmpty else { return }
    var attributes: [SVGWriter.Attribute] = [
      ("d", commands), ("fill", "none"), ("stroke", color), ("stroke-width", strokeWidth), ("stroke-linejoin", "round"),
    ]
    if let dashes { attributes.append(("stroke-dasharray", dashes)) }
    svg.element("path", attributes)
  }

  // MARK: Lanes

  private mutating func lane(_ band: Timeline.Band) {
    laneLabel(band.policy.name)
    if let first = band.hidden.points.first {
      let start = position(first.time)
      svg.element(
        "rect", Self.rectangle(start, y, width - Self.right - start, Self.laneHeight, Palette.shown, radius: 3))
    }
    for span in hiddenSpans(band) {
      let (start, end) = (position(span.lowerBound), position(span.upperBound))
      svg.element("rect", Self.rectangle(start, y, max(1, end - start), Self.laneHeight, Palette.hidden))
    }
    for span in spans(band.latch) {
      let (start, end) = (position(span.lowerBound), position(span.upperBound))
      let below = y + Self.laneHeight + 2
      svg.element("rect", Self.rectangle(start, below, max(1, end - start), 3, Palette.latch, radius: 1.5))
    }
    for mark in band.marks {
      if mark.isFlicker { flickerRing(x: position(mark.time), y: y - 8) }
      glyph(mark.reason.trigger, x: position(mark.time), y: y - 8, title: title(mark), isFaint: !mark.isFlip)
    }
    y += Self.laneGap
  }

  private mutating func zoomLane() {
    guard let range = timeline.zoomScale.range, range.lowerBound < range.upperBound else { return }
    let height = 28.0
    let base = SVGWriter.number(y + height)
    laneLabel("zoom", height: height)
    var points: [String] = []
    for (index, column) in timeline.zoomScale.columns(columns, over: timeline.duration).enumerated() {
      guard let column else { continue }
      let x = SVGWriter.number(Self.left + Double(index) + 0.5)
      let level = (column.last - range.lowerBound) / (range.upperBound - range.lowerBound)
      if points.isEmpty { points.append("\(x),\(base)") }
      points.append("\(x),\(SVGWriter.number(y + height - level * (height - 3)))")
    }
    points.append("\(SVGWriter.number(width - Self.right)),\(base)")
    svg.element("polygon", [("points", points.joined(separator: " ")), ("fill", Palette.zoom)])
    let text = "from \(NumberText.rounded(range.lowerBound)) to \(NumberText.rounded(range.upperBound))"
    svg.text(text, x: Self.left + 4, y: y + height - 4, [("fill", Palette.faint), ("font-size", "11")])
    y += height + 26
  }

  private mutating func pageLane() {
    guard let page = timeline.bands.first?.page, page.points.count > 1 else { return }
    laneLabel("page")
    for (index, point) in page.points.enumerated() {
      let end = index + 1 < page.points.count ? page.points[index + 1].time : timeline.duration
      let (start, width) = (position(point.time), position(end) - position(point.time))
      svg.element("rect", Self.rectangle(start + 0.5, y, max(1, width - 1), Self.laneHeight, Palette.page, radius: 3))
      guard width > 14 else { continue }
      let label = NumberText.rounded(point.value + 1, places: 0)
      svg.text(label, x: start + width / 2, y: y + 13, [("text-anchor", "middle"), ("font-size", "11")])
    }
    y += Self.laneGap
  }

  private mutating func laneLabel(_ text: String, height: Double = laneHeight) {
    svg.text(text, x: Self.left - 8, y: y + height / 2 + 4, [("text-anchor", "end")])
  }

  /// Draws labels below everything, and hairlines through the lanes.
  private mutating func timeAxis(_ top: Double) {
    let bottom = y - 12
    for (seconds, x) in timeTicks {
      svg.element("line", Self.line(x, top + Self.plotHeight, x, bottom, Palette.hairline))
      svg.text(AxisTicks.clock(seconds), x: x, y: bottom + 16, [("text-anchor", "middle"), ("fill", Palette.faint)])
    }
    y = bottom + 20
  }

  /// The marks of the time axis and their positions.
  private var timeTicks: [(seconds: Double, x: Double)] {
    let seconds = timeline.seconds
    let ticks = AxisTicks(seconds: seconds, room: Int(plotWidth / 90))
    let scale = plotWidth / (Double(timeline.duration) / 1_000_000)
    return ticks.values.map { ($0, Self.left + ($0 - seconds.lowerBound) * scale) }
  }

  // MARK: Marks

  private func title(_ mark: Timeline.Band.Mark) -> String {
    let time = NumberText.seconds(timeline.start + mark.time)
    let reason = NumberText.rounded(in: "\(mark.reason)")
    return "\(mark.reason.trigger.name) at \(time), event \(mark.event + 1): \(reason)"
      + (mark.isFlicker ? "; a flicker" : "")
  }

  /// Draws a ring around the mark of a flicker.
  private mutating func flickerRing(x: Double, y: Double) {
    svg.element(
      "circle",
      [
        ("cx", SVGWriter.number(x)), ("cy", SVGWriter.number(y)), ("r", "7"), ("fill", "none"),
        ("stroke", Palette.flicker), ("stroke-width", "1.5"),
      ])
  }

  /// Draws a trigger's mark: arrows for scrolling, signs for zooming, an arrow onto a bar for the bottom, a pin for a
  /// pinned toolbar.
  private mutating func glyph(_ trigger: Trigger, x: Double, y: Double, title: String?, isFaint: Bool = false) {
    let shape =
      switch trigger {
      case .scrollDown: "M-4.5 -3 L4.5 -3 L0 4 Z"
      case .scrollUp: "M-4.5 3 L4.5 3 L0 -4 Z"
      case .zoomIn: "M-4.5 -1 L-1 -1 L-1 -4.5 L1 -4.5 L1 -1 L4.5 -1 L4.5 1 L1 1 L1 4.5 L-1 4.5 L-1 1 L-4.5 1 Z"
      case .zoomOut: "M-4.5 -1 L4.5 -1 L4.5 1 L-4.5 1 Z"
      case .reachBottom: "M-4.5 -5 L4.5 -5 L0 1.5 Z M-4.5 2.5 L4.5 2.5 L4.5 4.5 L-4.5 4.5 Z"
      case .pinned: "M-4 -4.5 L4 -4.5 L4 -2.5 L1 -2.5 L1 4.5 L-1 4.5 L-1 -2.5 L-4 -2.5 Z"
      }
    svg.element(
      "path",
      [
        ("d", shape), ("transform", "translate(\(SVGWriter.number(x)) \(SVGWriter.number(y)))"),
        ("fill", Palette.color(trigger)), ("fill-opacity", isFaint ? "0.45" : "1"),
      ], title: title)
  }

  // MARK: Geometry

  private func position(_ time: Int64) -> Double {
    Self.left + Double(time) / Double(timeline.duration) * plotWidth
  }

  private func height(_ offset: Double, _ top: Double) -> Double {
    top + scale.fraction(offset) * Self.plotHeight
  }

  private func hiddenSpans(_ band: Timeline.Band) -> [Range<Int64>] { spans(band.hidden) }

  /// The spans in which a series of 0 and 1 is 1. Spans less than a pixel apart are joined.
  private func spans(_ series: StepSeries) -> [Range<Int64>] {
    let pixel = timeline.duration / Int64(columns)
    var spans: [Range<Int64>] = []
    for (index, point) in series.points.enumerated() where point.value == 1 {
      let end = index + 1 < series.points.count ? series.points[index + 1].time : timeline.duration
      if let last = spans.last, point.time - last.upperBound < pixel {
        spans[spans.count - 1] = last.lowerBound..<end
      } else {
        spans.append(point.time..<end)
      }
    }
    return spans
  }

  private static func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ fill: String, radius: Double = 0
  ) -> [SVGWriter.Attribute] {
    let place: [SVGWriter.Attribute] = [
      ("x", SVGWriter.number(x)), ("y", SVGWriter.number(y)), ("width", SVGWriter.number(width)),
      ("height", SVGWriter.number(height)), ("fill", fill),
    ]
    return radius > 0 ? place + [("rx", SVGWriter.number(radius))] : place
  }

  private static func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ stroke: String
  ) -> [SVGWriter.Attribute] {
    [
      ("x1", SVGWriter.number(x1)), ("y1", SVGWriter.number(y1)), ("x2", SVGWriter.number(x2)),
      ("y2", SVGWriter.number(y2)), ("stroke", stroke), ("stroke-width", "1"),
    ]
  }
}
