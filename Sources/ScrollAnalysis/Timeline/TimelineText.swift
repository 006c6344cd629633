import ScrollModel

/// The parts of a timeline as text, all with the same width.
struct TimelineText {
  private let timeline: Timeline
  private let rows: Int
  private let style: TimelineStyle
  private let margin: Int
  private let columns: Int
  private let scale: OffsetScale
  private let offsetTicks: [Double]

  init(_ timeline: Timeline, columns: Int, rows: Int, style: TimelineStyle) {
    self.timeline = timeline
    self.rows = rows
    self.style = style
    scale = OffsetScale(timeline)
    offsetTicks = AxisTicks(scale.range, room: max(2, rows / 3)).values
    let names = min(timeline.bands.map(\.policy.name.count).max() ?? 0, max(15, columns / 4))
    margin = max(8, names + 1, offsetTicks.map { NumberText.rounded($0).count }.max() ?? 0)
    self.columns = columns - margin - 1
  }

  /// The title and what is drawn. Of a line that is too long, the end of the title goes first, then the end of the content:
  /// a number is never cut.
  var heading: [String] {
    let width = margin + 1 + columns
    let title = PlainText.clean(timeline.title)
    let drawn = timeline.drawnText
    let end = scale.endBelow.map { ", end of the content at \(NumberText.rounded($0, places: 0))" } ?? ""
    for facts in [drawn + end, drawn] {
      if title.isEmpty, facts.count <= width { return [facts] }
      let room = width - facts.count - 2
      if room >= min(title.count, 8) { return ["\(cut(title, to: room)): \(facts)"] }
    }
    return [cut(title.isEmpty ? drawn : title, to: width)]
  }

  private func cut(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(max(0, width - style.cut.count)) + style.cut
  }

  var curve: [String] {
    var canvas = BrailleCanvas(columns: columns, rows: rows)
    let row = { (offset: Double) in Int((scale.fraction(offset) * Double(canvas.height - 1)).rounded()) }
    if scale.endBelow == nil {
      for (x, column) in timeline.end.columns(canvas.width, over: timeline.duration).enumerated() where x % 4 == 0 {
        if let column { canvas.set(x, row(column.last)) }
      }
    }
    for (x, column) in timeline.offset.columns(canvas.width, over: timeline.duration).enumerated() {
      if let column { canvas.setColumn(x, from: row(column.lowest), to: row(column.highest)) }
    }
    var labels: [Int: Double] = [:]
    for tick in offsetTicks { labels[row(tick) / 4] = tick }
    return (0..<rows).map { row in
      let label = labels[row].map { NumberText.rounded($0) } ?? ""
      let edge = labels[row] == nil ? style.edge : style.tickedEdge
      return trimmed(padded(label, toRight: true) + edge + canvas.row(row, isASCII: style.isASCII))
    }
  }

  var timeAxis: [String] {
    let ticks = AxisTicks(seconds: timeline.seconds, room: columns / 12).values
    var line = Array(repeating: style.between, count: columns)
    var labels = ""
    for tick in ticks {
      let place = StepSeries.column(of: Int64(tick * 1_000_000) - timeline.start, columns, over: timeline.duration)
      line[place] = style.tick
      let text = AxisTicks.clock(tick)
      // The last label may not fit.
      guard place >= labels.count, place + text.count <= columns else { continue }
      labels += String(repeating: " ", count: place - labels.count) + text
    }
    return [
      padded("", toRight: true) + style.corner + line.joined(), trimmed(padded("", toRight: true) + " " + labels),
    ]
  }

  var bands: [String] {
    timeline.bands.flatMap { band in
      var lines = [labelled(band.policy.name, toolbar(band))]
      if !band.marks.isEmpty { lines.append(labelled("", marks(band))) }
      if band.marks.contains(where: \.isFlicker) { lines.append(labelled("flicker", flickers(band))) }
      if band.latch.range?.upperBound == 1 {
        let latch = band.latch.columns(columns, over: timeline.duration)
        lines.append(labelled("latch", latch.map { $0?.highest == 1 ? style.latched : " " }))
      }
      return lines
    }
  }

  private func toolbar(_ band: Timeline.Band) -> [Character] {
    band.hidden.columns(columns, over: timeline.duration).map { column in
      guard let column else { return " " }
      return column.lowest != column.highest ? style.both : column.last == 1 ? style.hidden : style.shown
    }
  }

  private func marks(_ band: Timeline.Band) -> [Character] {
    var characters = Array(repeating: Character(" "), count: columns)
    for mark in band.marks {
      let place = StepSeries.column(of: mark.time, columns, over: timeline.duration)
      characters[place] = characters[place] == " " ? style.symbol(mark.reason.trigger) : style.several
    }
    return characters
  }

  private func flickers(_ band: Timeline.Band) -> [Character] {
    var characters = Array(repeating: Character(" "), count: columns)
    for mark in band.marks where mark.isFlicker {
      characters[StepSeries.column(of: mark.time, columns, over: timeline.duration)] = style.flicker
    }
    return characters
  }

  var zoom: [String] {
    guard let range = timeline.zoomScale.range, range.lowerBound < range.upperBound else { return [] }
    let levels = style.levels
    let characters = timeline.zoomScale.columns(columns, over: timeline.duration).map { column -> Character in
      guard let column else { return " " }
      let fraction = (column.last - range.lowerBound) / (range.upperBound - range.lowerBound)
      return levels[min(levels.count - 1, max(0, Int(fraction * Double(levels.count))))]
    }
    return [labelled("zoom", characters), labelled("", Array(zoomRange(range).prefix(columns)))]
  }

  private func zoomRange(_ range: ClosedRange<Double>) -> String {
    "from \(NumberText.rounded(range.lowerBound)) to \(NumberText.rounded(range.upperBound))"
  }

  var pages: [String] {
    guard let page = timeline.bands.first?.page, page.points.count > 1 else { return [] }
    var line = Array(repeating: Character(" "), count: columns)
    let between = Character(style.between)
    var shown: Double?
    for (x, column) in page.columns(columns, over: timeline.duration).enumerated() {
      guard let column else { continue }
      let digits = Array(NumberText.rounded(column.last + 1, places: 0))
      if column.last != shown, x + digits.count <= columns {
        line.replaceSubrange(x..<x + digits.count, with: digits)
        shown = column.last
      } else if line[x] == " " {
        line[x] = between
      }
    }
    return [labelled("page", line)]
  }

  /// The meaning of every sign that the drawing has.
  var legend: [String] {
    let toolbars = Set(timeline.bands.flatMap(toolbar))
    let symbols = Set(timeline.bands.flatMap(marks))
    let triggers = Set(timeline.bands.flatMap { $0.marks.map(\.reason.trigger) })
    var entries = ["\(style.shown) shown", "\(style.hidden) hidden"]
    if toolbars.contains(style.both) { entries.append("\(style.both) turned within the column") }
    entries += Trigger.allCases.filter(triggers.contains).map { "\(style.symbol($0)) \($0.name)" }
    if symbols.contains(style.several) { entries.append("\(style.several) several triggers") }
    if timeline.bands.contains(where: { $0.marks.contains(where: \.isFlicker) }) {
      entries.append("\(style.flicker) turned back within 0.3 s")
    }
    if timeline.bands.contains(where: { $0.latch.range?.upperBound == 1 }) {
      entries.append("\(style.latched) one more pull shows the toolbar")
    }
    if scale.endBelow == nil, timeline.end.range != nil { entries.append("\(style.dots) end of the content") }
    var lines = [""]
    for entry in entries {
      let entry = cut(entry, to: columns)
      let line = lines[lines.count - 1]
      if line.isEmpty || line.count + 2 + entry.count <= columns {
        lines[lines.count - 1] += (line.isEmpty ? "" : "  ") + entry
      } else {
        lines.append(entry)
      }
    }
    return lines.map { padded("", toRight: true) + " " + $0 }
  }

  private func labelled(_ label: String, _ characters: [Character]) -> String {
    let end = characters.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0
    return trimmed(padded(label, toRight: false) + " " + style.painted(Array(characters[..<end])))
  }

  private func padded(_ text: String, toRight: Bool) -> String {
    let text = cut(PlainText.clean(text), to: margin - (toRight ? 0 : 1))
    let padding = String(repeating: " ", count: margin - text.count)
    return toRight ? padding + text : text + padding
  }

  private func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}
