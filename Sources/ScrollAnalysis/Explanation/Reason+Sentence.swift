import ScrollModel

extension Reason {
  /// The clause in words. ``ScrollModel/Reason/description`` is the short form with the names of the rule's parameters.
  public var sentence: String {
    switch self {
    case .travelledDown(let travel, let distance):
      "the user had scrolled down \(NumberText.points(travel)); \(NumberText.rounded(distance)) are enough to hide"
    case .travelledUp(let travel, let distance):
      "the user had scrolled up \(NumberText.points(travel)); \(NumberText.rounded(distance)) are enough to show"
    case .secondPull(let distance):
      "the user pulled again at the bottom, by \(NumberText.points(distance))"
    case .arrivedAtBottom(let offset, let bottom):
      "the content reached the bottom: offset \(NumberText.rounded(offset)) of \(NumberText.rounded(bottom))"
    case .pulledAtTop(let offset, let top):
      "the user pulled at the top: offset \(NumberText.rounded(offset)), the top is \(NumberText.rounded(top))"
    case .atTop(let offset, let top):
      "the content reached the top: offset \(NumberText.rounded(offset)), the top is \(NumberText.rounded(top))"
    case .nothingScrolls(let range, let tolerance):
      "the content can't scroll: its range of \(NumberText.points(range)) is within the tolerance of "
        + NumberText.rounded(tolerance)
    case .zoomedIn(let scale, let threshold):
      "the user zoomed in to \(NumberText.rounded(scale, places: 4)), beyond \(NumberText.rounded(threshold, places: 4))"
    case .pinned: "the app needs its bar (toolbarPinned): a screen reader, the focus in the bar, an open menu"
    case .zoomedOut(let scale, let threshold):
      "the user zoomed out to \(NumberText.rounded(scale, places: 4)); up to "
        + "\(NumberText.rounded(threshold, places: 4)) counts as zoomed out"
    case .translatedDown(let translation):
      "the finger was \(NumberText.points(translation)) below its starting point"
    case .notTranslatedDown(let translation):
      translation == 0
        ? "the content scrolled with no finger below its starting point"
        : "the finger was \(NumberText.points(-translation)) above its starting point"
    case .latchedAtBottom:
      "a drag had begun at the bottom, and the finger was not below its starting point"
    case .scaleIsMinimum(let scale):
      "the user zoomed out to the minimum, \(NumberText.rounded(scale, places: 4))"
    case .scaleIsNotMinimum(let scale, let minimum):
      "the zoom was \(NumberText.rounded(scale, places: 4)), not the minimum \(NumberText.rounded(minimum, places: 4))"
    }
  }
}
