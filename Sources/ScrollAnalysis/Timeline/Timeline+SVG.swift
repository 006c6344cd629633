import ScrollModel

extension Timeline {
  /// Returns the timeline as a standalone SVG document. It shows the offset as a curve over the times at which the first
  /// policy hid the toolbar, and below it a lane for each policy, and for zoom and pages if the session has them. Marks have
  /// tooltips with the reasons.
  ///
  /// Its size grows with its width, not with the session.
  ///
  /// - Parameter width: The width in pixels, clamped to 480 to 10,000.
  public func svg(width: Int = 1200) -> String {
    var picture = TimelinePicture(self, width: Double(min(10_000, max(480, width))))
    return picture.draw()
  }
}
