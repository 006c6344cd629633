import ScrollModel

extension Timeline {
  /// Returns the timeline for a terminal. It shows the offset as a curve, with the top of the page above. Below it, for each
  /// policy, it shows when the toolbar was visible and what turned it, and the latch, zoom and pages if there are any.
  ///
  /// - Parameters:
  ///   - width: The number of columns, clamped to 40 to 1,000.
  ///   - height: The number of rows of the curve, clamped to 3 to 500.
  ///   - style: What the terminal can show.
  public func lines(width: Int, height: Int, style: TimelineStyle = .unicode) -> [String] {
    let drawing = TimelineText(
      self, columns: min(1000, max(40, width)), rows: min(500, max(3, height)), style: style)
    return drawing.heading + drawing.curve + drawing.timeAxis + drawing.bands + drawing.zoom + drawing.pages
      + drawing.legend
  }
}
