/// The running demo's output: a moving picture on a large enough terminal, otherwise plain lines.
final class DemoView {
  /// The shortest time between two pictures.
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

  /// Hides the cursor for the picture.
  func begin() throws(OutputError) {
    if isPicture { try output.raw("\u{1B}[?25l") }
  }

  /// Prints a transition, unless the picture shows it.
  func show(_ pushed: DemoModel.Pushed) throws(OutputError) {
    if isPicture { return }
    let reason = pushed.reason.map { "  — \(visible($0))" } ?? ""
    try output.line("\(TimeText.sinceStart(pushed.time))  \(pushed.changes)\(reason)")
    try output.flush()
  }

  /// Draws the picture over the previous one, at most once per frame time except for the last picture.
  func draw(_ model: DemoModel, isLast: Bool = false) throws(OutputError) {
    guard isPicture, isLast || !isDrawn || ContinuousClock.now - lastDrawn >= Self.frameTime else { return }
    if isDrawn { try output.raw("\u{1B}[\(DemoScreen.height)A") }
    for line in screen.lines(model) { try output.raw("\r\(line)\u{1B}[K\n") }
    try output.flush()
    isDrawn = true
    lastDrawn = .now
  }

  /// Shows the cursor again.
  func end() {
    guard isPicture else { return }
    do throws(OutputError) {
      try output.raw("\u{1B}[?25h")
      try output.flush()
    } catch {
      // Nothing can be written, so no cursor is visible either.
    }
  }
}
