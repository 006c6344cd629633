// A timeline for a terminal.

import ScrollModel

extension Timeline {
  /// The timeline for a terminal: the offset as a curve, the top of the page above; below it for each policy when the
  /// toolbar was shown and what turned it, and where there are such things the latch, the zoom and the pages.
  ///
  /// - Parameters:
  ///   - width: columns in all; at least 40 and at most 1,000 are used.
  ///   - height: rows of the curve; at least 3 and at most 500 are used.
  ///   - style: what the terminal can show.
  public func lines(width: Int, height: Int, style: TimelineStyle = .unicode) -> [String] {
    let drawing = TimelineText(
      self, columns: min(1000, max(40, width)), rows: min(500, max(3, height)), style: style)
    return drawing.heading + drawing.curve + drawing.timeAxis + drawing.bands + drawing.zoom + drawing.pages
      + drawing.legend
  }
}
