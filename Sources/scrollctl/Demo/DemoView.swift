// Shows the demo while it runs.

/// Shows the demo while it runs: a moving picture on a terminal that is large enough, else plain lines.
final class DemoView {
  /// How long a picture stands at least.
  static let frameTime = Duration.milliseconds(40)

  private let output: Output
  private let screen: DemoScreen
  private let isPicture: Bool
  private var isDrawn = false
  private var lastDrawn = ContinuousClock.now

  init(_ output: Output, _ style: Style) {
    self.output = output
    screen = DemoScreen(style: style)
    isPicture =
      style.isTerminal && (style.columns ?? 0) >= DemoScreen.width && (style.rows ?? 0) > DemoScreen.height
  }

  /// Begins the picture.
  func begin() throws(OutputError) {
    if isPicture { try output.raw("\u{1B}[?25l") }
  }

  /// Shows a transition that was pushed, where there is no picture that shows it.
  func show(_ pushed: DemoModel.Pushed) throws(OutputError) {
    if isPicture { return }
    let reason = pushed.reason.map { "  — \(visible($0))" } ?? ""
    try output.line("\(TimeText.sinceStart(pushed.time))  \(pushed.changes)\(reason)")
    try output.flush()
  }

  /// Draws the picture over the one before, when that has stood long enough or it is the last one.
  func draw(_ model: DemoModel, isLast: Bool = false) throws(OutputError) {
    guard isPicture, isLast || !isDrawn || ContinuousClock.now - lastDrawn >= Self.frameTime else { return }
    if isDrawn { try output.raw("\u{1B}[\(DemoScreen.height)A") }
    for line in screen.lines(model) { try output.raw("\r\(line)\u{1B}[K\n") }
    try output.flush()
    isDrawn = true
    lastDrawn = .now
  }

  /// Gives the terminal its cursor back.
  func end() {
    guard isPicture else { return }
    do throws(OutputError) {
      try output.raw("\u{1B}[?25h")
      try output.flush()
    } catch {
      // Where nothing can be written there is no cursor to be seen.
    }
  }
}
