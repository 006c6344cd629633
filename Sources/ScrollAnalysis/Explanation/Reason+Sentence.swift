// Reasons as a person would say them.

import ScrollModel

extension Reason {
  /// The clause as a person would say it; ``ScrollModel/Reason/description`` is the short form with the rule's names.
  public var sentence: String {
    switch self {
    case .travelledDown(let travel, let distance):
      "one had scrolled down \(NumberText.points(travel)); \(NumberText.rounded(distance)) are enough to hide"
    case .travelledUp(let travel, let distance):
      "one had scrolled up \(NumberText.points(travel)); \(NumberText.rounded(distance)) are enough to show"
    case .secondPull(let distance):
      "at the bottom, one pulled once more, by \(NumberText.points(distance))"
    case .arrivedAtBottom(let offset, let bottom):
      "the bottom was reached: offset \(NumberText.rounded(offset)) of \(NumberText.rounded(bottom))"
    case .pulledAtTop(let offset, let top):
      "one pulled at the top: offset \(NumberText.rounded(offset)), the top is \(NumberText.rounded(top))"
    case .atTop(let offset, let top):
      "the top was reached: offset \(NumberText.rounded(offset)), the top is \(NumberText.rounded(top))"
    case .nothingScrolls(let range, let tolerance):
      "nothing scrolls: a range of \(NumberText.points(range)) is within the tolerance of "
        + NumberText.rounded(tolerance)
    case .zoomedIn(let scale, let threshold):
      "one zoomed in to \(NumberText.rounded(scale, places: 4)), beyond \(NumberText.rounded(threshold, places: 4))"
    case .zoomedOut(let scale, let threshold):
      "one zoomed out to \(NumberText.rounded(scale, places: 4)); \(NumberText.rounded(threshold, places: 4)) counts as out"
    case .translatedDown(let translation):
      "the finger was \(NumberText.points(translation)) below where it began"
    case .notTranslatedDown(let translation):
      translation == 0
        ? "content scrolled with no finger below where it began"
        : "the finger was \(NumberText.points(-translation)) above where it began"
    case .latchedAtBottom:
      "a drag had begun at the bottom, and the finger was not below where it began"
    case .scaleIsMinimum(let scale):
      "one zoomed out to the minimum, \(NumberText.rounded(scale, places: 4))"
    case .scaleIsNotMinimum(let scale, let minimum):
      "the zoom was \(NumberText.rounded(scale, places: 4)), not the minimum \(NumberText.rounded(minimum, places: 4))"
    }
  }
}
