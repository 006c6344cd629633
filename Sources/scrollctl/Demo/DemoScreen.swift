import ScrollModel

/// The demo's picture: a window with the moving page and the toolbar, a map of the page that marks the window, and the
/// transitions that the daemon pushed.
struct DemoScreen {
  var style = Style()

  /// The picture's size in columns and rows.
  static let width = 80
  static let height = 22

  /// The inner size of the window.
  private static let windowWidth = 26
  private static let windowHeight = 16

  func lines(_ model: DemoModel) -> [String] {
    let title = style.bold("scrolld demo") + "  " + fitted(visible(model.client), columns: 40)
    let left = window(model)
    let map = self.map(model)
    let right = panel(model)
    var lines = [title + "  at \(shortest(model.speed))× speed", ""]
    for row in left.indices {
      lines.append(" \(left[row]) \(map[row])  \(right[row])")
    }
    return lines + ["", " " + progress(model)]
  }

  // MARK: The window

  private func window(_ model: DemoModel) -> [String] {
    let edge = String(repeating: "─", count: Self.windowWidth)
    var rows = (0..<Self.windowHeight).map { "│\(content($0, model))│" }
    if model.state?.topButton == true {
      rows[Self.windowHeight - 4] =
        "│\(content(Self.windowHeight - 4, model, width: Self.windowWidth - 4))"
        + style.bold("(▲)") + " │"
    }
    if (model.state?.toolbar ?? .shown) == .shown {
      rows[Self.windowHeight - 2] = style.green("├\(edge)┤")
      rows[Self.windowHeight - 1] = style.green("│   ◀     ▶     ♥     ≡    │")
    }
    return ["╭\(edge)╮"] + rows + ["╰\(edge)╯"]
  }

  /// Returns a row of the page as the window shows it.
  private func content(_ row: Int, _ model: DemoModel, width: Int = windowWidth) -> String {
    let blank = String(repeating: " ", count: width)
    guard let frame = model.geometry.frameHeight, frame > 0, let height = model.geometry.contentHeight else {
      return blank
    }
    let rowHeight = frame / Double(Self.windowHeight)
    let top = ((model.state?.y ?? 0) / rowHeight).rounded(.down) + Double(row)
    guard top >= 0, top * rowHeight < height, top < 1e9 else { return blank }
    let text = Self.article(row: Int(top), width: width - 2)
    let padded = " " + text + String(repeating: " ", count: width - 1 - text.count)
    return Int(top) % 14 == 0 ? style.bold(padded) : style.dim(padded)
  }

  /// Returns a line of an invented article: a heading, a line of a paragraph, or a shorter last line.
  private static func article(row: Int, width: Int) -> String {
    switch row % 14 {
    case 0: return String(repeating: "━", count: 8 + row % 9)
    case 1, 7: return ""
    default: break
    }
    let isLast = row % 14 == 6 || row % 14 == 13
    let end = isLast ? width / 2 : width
    var text = ""
    var seed = UInt32(truncatingIfNeeded: row) &* 2_654_435_761
    while text.count < end {
      seed = seed &* 1_664_525 &+ 1_013_904_223
      text += String(repeating: "─", count: 2 + Int(seed >> 24) % 6) + " "
    }
    return String(text.prefix(end))
  }

  // MARK: The map

  /// Returns the whole page, with the window's part marked.
  private func map(_ model: DemoModel) -> [String] {
    let count = Self.windowHeight + 2
    guard let height = model.geometry.contentHeight, height > 0, let frame = model.geometry.frameHeight else {
      return Array(repeating: "  ", count: count)
    }
    let y = model.state?.y ?? 0
    let first = Double(count) * y / height
    let last = Double(count) * (y + frame) / height
    return (0..<count).map { row in
      // Marks the rows whose middle is in the window, and always the nearest one.
      let middle = Double(row) + 0.5
      let isNearest = Int(max(0, min(Double(count - 1), (first + last) / 2))) == row
      return (first..<max(first, last)).contains(middle) || isNearest ? style.cyan("██") : style.dim("░░")
    }
  }

  // MARK: The panel

  private func panel(_ model: DemoModel) -> [String] {
    let columns = Self.width - Self.windowWidth - 9
    var lines = facts(model) + ["", style.bold("Pushed by the daemon, with its reasons:")]
    let room = Self.windowHeight + 2 - lines.count
    var entries: [String] = []
    for pushed in model.pushed {
      let time = TimeText.sinceStart(pushed.time)
      entries.append(fitted("\(time) \(pushed.changes)", columns: columns))
      if let reason = pushed.reason { entries.append(style.dim(fitted("    \(visible(reason))", columns: columns))) }
    }
    lines += entries.suffix(room)
    return lines + Array(repeating: "", count: Self.windowHeight + 2 - lines.count)
  }

  private func facts(_ model: DemoModel) -> [String] {
    guard let state = model.state else { return ["Toolbar     shown", "Offset      unknown", "Bottom", "Top button"] }
    let name = state.toolbar == .shown ? style.green("shown") : style.yellow("hidden")
    let trigger = state.trigger.map { " by \($0.name)" } ?? ""
    let bottom = model.geometry.contentHeight.flatMap { height in
      model.geometry.frameHeight.map { " of \(shortest(max(0, height - $0).rounded()))" }
    }
    let latch = state.bottomLatch && state.toolbar == .hidden ? "; one more pull shows it" : ""
    return [
      "Toolbar     \(name)\(trigger)",
      "Offset      \(state.y.map { shortest($0.rounded()) } ?? "unknown")\(bottom ?? "")",
      "Bottom      " + (state.reachBottom ? "reached" + latch : "not reached"),
      "Top button  " + (state.topButton ? "shown" : "hidden"),
    ]
  }

  // MARK: Progress

  private func progress(_ model: DemoModel) -> String {
    let width = 44
    let share = model.duration > 0 ? min(1, max(0, Double(model.elapsed) / Double(model.duration))) : 1
    let filled = Int((share * Double(width)).rounded())
    let bar =
      style.cyan(String(repeating: "█", count: filled)) + style.dim(String(repeating: "░", count: width - filled))
    return "\(bar)  \(model.sentEvents) of \(model.totalEvents) events"
  }
}
