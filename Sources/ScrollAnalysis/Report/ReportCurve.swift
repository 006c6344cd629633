import ScrollModel

/// A session's way through its content, as paths of an SVG drawing: the screen as an area, its upper edge as a line, and the end
/// of the content. Time runs to the right, the content downwards.
struct ReportCurve {
  /// The paths' coordinates run from 0 to these.
  static let height = 300

  /// The number of columns, which is the greatest x.
  let columns: Int
  /// The length of the session, in microseconds, ≥ 1.
  let duration: Int64
  /// The content's height at the lower edge of the drawing, in points, > 0.
  let depth: Double
  /// The content's last known height; `nil` if it never was known.
  let content: Double?

  private let offsets: [StepSeries.Column?]
  private let ends: [StepSeries.Column?]
  private let bottoms: [StepSeries.Column?]

  init(_ events: [Event], closed: Int64?, columns: Int) {
    var clock = SessionClock()
    var geometry = Geometry()
    var (offset, end, bottom) = (StepSeries(), StepSeries(), StepSeries())
    for event in events {
      let time = clock.advance(to: event.time)
      geometry.update(with: event)
      if let content = geometry.contentHeight { bottom.append(Self.drawable(content), at: time) }
      guard let y = geometry.y else { continue }
      offset.append(Self.drawable(y), at: time)
      end.append(Self.drawable(y + (geometry.frameHeight ?? 0)), at: time)
    }
    if let closed { clock.advance(to: closed) }
    duration = max(1, clock.elapsed)
    self.columns = columns
    content = bottom.points.last?.value
    let seen = max(end.range?.upperBound ?? 1, 1)
    let whole = bottom.range?.upperBound ?? seen
    // If the user read little of a long page, the page would leave no room for the curve.
    depth = max(1, whole <= seen * 3 ? max(whole, seen) : seen * 1.25)
    offsets = offset.columns(columns, over: duration)
    ends = end.columns(columns, over: duration)
    bottoms = bottom.columns(columns, over: duration)
  }

  /// A number that can be drawn: absurd sizes add up to infinity.
  private static func drawable(_ value: Double) -> Double { min(max(value, -1e9), 1e9) }

  /// The upper edge of the screen.
  var line: String {
    var path = ""
    var last: Int?
    for (x, column) in offsets.enumerated() {
      guard let column else { continue }
      let (first, low, high, end) = (y(column.first), y(column.lowest), y(column.highest), y(column.last))
      if last == nil { path += "M\(x) \(first)" } else { path += "H\(x)" }
      if let last, last != first { path += "V\(first)" }
      if low < min(first, end) { path += "V\(low)" }
      if high > max(first, end) { path += "V\(high)" }
      if end != first || low < first || high > first { path += "V\(end)" }
      last = end
    }
    return last == nil ? "" : Self.short(path) + "H\(columns)"
  }

  /// What was on screen, between its edges.
  var area: String {
    let upper = edge(offsets.map { $0?.lowest })
    let lower = edge(ends.map { $0?.highest })
    guard let first = upper.first, let last = lower.last else { return "" }
    var path = "M\(first.x) \(first.y)"
    for point in upper.dropFirst() { path += "H\(point.x)V\(point.y)" }
    path += "H\(columns)V\(last.y)"
    for (point, before) in zip(lower.reversed(), lower.reversed().dropFirst()) { path += "H\(point.x)V\(before.y)" }
    return path + "H\(first.x)Z"
  }

  /// The end of the content; empty if it is below the picture all the time.
  var end: String {
    let points = edge(bottoms.map { $0?.last })
    guard let first = points.first, points.contains(where: { $0.y <= Self.height }) else { return "" }
    return "M\(first.x) \(first.y)" + points.dropFirst().map { "H\($0.x)V\($0.y)" }.joined() + "H\(columns)"
  }

  /// The points at which a value changes.
  private func edge(_ values: [Double?]) -> [(x: Int, y: Int)] {
    var points: [(x: Int, y: Int)] = []
    for (x, value) in values.enumerated() {
      guard let value else { continue }
      let y = y(value)
      if points.last?.y != y { points.append((x, y)) }
    }
    return points
  }

  private func y(_ value: Double) -> Int {
    Int((min(max(value / depth, -0.1), 1.1) * Double(Self.height)).rounded())
  }

  /// Joins moves along one axis, such as `H3H4H5`.
  private static func short(_ path: String) -> String {
    var parts: [Substring] = []
    var start = path.startIndex
    for index in path.indices.dropFirst() where path[index] == "H" || path[index] == "V" {
      let part = path[start..<index]
      if let last = parts.last, last.first == "H", part.first == "H" { parts.removeLast() }
      parts.append(part)
      start = index
    }
    let part = path[start...]
    if let last = parts.last, last.first == "H", part.first == "H" { parts.removeLast() }
    parts.append(part)
    return parts.joined()
  }
}
