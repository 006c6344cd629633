/// The clause of a rule that decided, with its numbers. Its ``description`` is shown to people and sent on the wire.
public enum Reason: Equatable, Sendable, CustomStringConvertible {
  // safari
  case travelledDown(travelDown: Double, hideDistance: Double)
  case travelledUp(travelUp: Double, showDistance: Double)
  case secondPull(distance: Double)
  case arrivedAtBottom(offset: Double, bottom: Double)
  case pulledAtTop(offset: Double, top: Double)
  case atTop(offset: Double, top: Double)
  case nothingScrolls(range: Double, edgeTolerance: Double)
  case zoomedIn(zoomScale: Double, threshold: Double)
  case zoomedOut(zoomScale: Double, threshold: Double)
  case pinned
  // classic
  case translatedDown(translationY: Double)
  case notTranslatedDown(translationY: Double)
  case latchedAtBottom(translationY: Double)
  case scaleIsMinimum(zoomScale: Double)
  case scaleIsNotMinimum(zoomScale: Double, minimumZoomScale: Double)

  /// The trigger that the clause fires.
  public var trigger: Trigger {
    switch self {
    case .travelledDown, .notTranslatedDown: .scrollDown
    case .travelledUp, .pulledAtTop, .atTop, .nothingScrolls, .translatedDown: .scrollUp
    case .secondPull, .arrivedAtBottom, .latchedAtBottom: .reachBottom
    case .zoomedIn, .scaleIsNotMinimum: .zoomIn
    case .zoomedOut, .scaleIsMinimum: .zoomOut
    case .pinned: .pinned
    }
  }

  /// The clause with its numbers, such as `travelDown 35 ≥ hideDistance 10`.
  public var description: String {
    switch self {
    case .travelledDown(let travel, let distance):
      "travelDown \(shortest(travel)) ≥ hideDistance \(shortest(distance))"
    case .travelledUp(let travel, let distance):
      "travelUp \(shortest(travel)) ≥ showDistance \(shortest(distance))"
    case .secondPull(let distance):
      "bottomLatch and a pull down of \(shortest(distance))"
    case .arrivedAtBottom(let offset, let bottom):
      "arrived at the bottom: offset \(shortest(offset)) of \(shortest(bottom))"
    case .pulledAtTop(let offset, let top):
      "pulled up at the top: offset \(shortest(offset)), top \(shortest(top))"
    case .atTop(let offset, let top):
      "at the top: offset \(shortest(offset)), top \(shortest(top))"
    case .nothingScrolls(let range, let tolerance):
      "nothing scrolls: range \(shortest(range)) ≤ edgeTolerance \(shortest(tolerance))"
    case .zoomedIn(let scale, let threshold):
      "zoomScale \(shortest(scale)) grew beyond \(shortest(threshold))"
    case .zoomedOut(let scale, let threshold):
      "zoomScale \(shortest(scale)) ≤ \(shortest(threshold)) after zooming in"
    case .pinned:
      "toolbarPinned: the app needs its bar"
    case .translatedDown(let translation):
      "translationY \(shortest(translation)) > 0"
    case .notTranslatedDown(let translation):
      "translationY \(shortest(translation)) ≤ 0"
    case .latchedAtBottom(let translation):
      "bottomLatch and translationY \(shortest(translation)) ≤ 0"
    case .scaleIsMinimum(let scale):
      "zoomScale \(shortest(scale)) = minimumZoomScale"
    case .scaleIsNotMinimum(let scale, let minimum):
      "zoomScale \(shortest(scale)) ≠ minimumZoomScale \(shortest(minimum))"
    }
  }
}
