// A timeline as a picture.

import ScrollModel

extension Timeline {
  /// The timeline as a standalone SVG document: the offset as a curve over the times at which the first policy hid the
  /// toolbar, and below it a lane for each policy, and for the zoom and the pages where there are such things. Marks have
  /// tooltips that say why.
  ///
  /// Its size grows with its width, not with the session.
  ///
  /// - Parameter width: in pixels; at least 480 and at most 10,000 are used.
  public func svg(width: Int = 1200) -> String {
    var picture = TimelinePicture(self, width: Double(min(10_000, max(480, width))))
    return picture.draw()
  }
}
