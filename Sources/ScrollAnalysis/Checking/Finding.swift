import ScrollModel

/// A mistake that a session's events suggest about their feeder.
public struct Finding: Equatable, Sendable {
  /// What looks wrong.
  public enum Problem: CaseIterable, Equatable, Sendable {
    /// Times in another unit than microseconds, or from another start than 1970.
    case timeUnit
    /// A clock that runs backwards.
    case timesBackwards
    /// Scrolling although no layout has given the sizes.
    case noSizes
    /// Offsets far outside the content, or outside it for long.
    case offsetOutside
    /// Translations that continue in the next gesture.
    case translationsAddUp
    /// Translations that run against the content.
    case translationsAgainstContent
    /// Translations that give the distance since the last event.
    case translationsPerEvent
    /// Translations that are still sent after the finger has left.
    case translationsAfterDrag
    /// Layouts that report the user's scrolling.
    case layoutsFollowScrolling
    /// Content that shifts in a scroll that is said to be the user's.
    case unlabelledShift
    /// Pushes at the bottom that can't be seen.
    case pushesWithoutTranslation
    /// Pushes at the bottom whose translation points away from it.
    case pushesWithWrongSign
    /// Pushes at the bottom of content that has never been reported to rest.
    case pushesWithoutRest

    /// The problem's name for programs.
    public var name: StaticString {
      switch self {
      case .timeUnit: "timeUnit"
      case .timesBackwards: "timesBackwards"
      case .noSizes: "noSizes"
      case .offsetOutside: "offsetOutside"
      case .translationsAddUp: "translationsAddUp"
      case .translationsAgainstContent: "translationsAgainstContent"
      case .layoutsFollowScrolling: "layoutsFollowScrolling"
      case .translationsPerEvent: "translationsPerEvent"
      case .translationsAfterDrag: "translationsAfterDrag"
      case .unlabelledShift: "unlabelledShift"
      case .pushesWithoutTranslation: "pushesWithoutTranslation"
      case .pushesWithWrongSign: "pushesWithWrongSign"
      case .pushesWithoutRest: "pushesWithoutRest"
      }
    }

    /// What the feeder should do.
    public var advice: String {
      switch self {
      case .timeUnit: "give microseconds since 1970"
      case .timesBackwards: "take all times of a session from one clock, and append events in their order"
      case .noSizes: "send a layout before the first scroll, and after every change of a size"
      case .offsetOutside: "give the content's and the frame's true sizes in a layout, in the units of the offset"
      case .translationsAddUp:
        "count from 0 again when a drag begins; give a wheel that moves the content no translation"
      case .translationsAgainstContent:
        "give the finger's distance from where the drag began, negative while the finger is above it; give a wheel that "
          + "moves the content no translation"
      case .translationsPerEvent:
        "give the finger's distance from where the drag began; give a wheel that moves the content no translation"
      case .translationsAfterDrag: "leave translations out after dragEnd, even if the platform still has the last value"
      case .layoutsFollowScrolling: "leave x and y out of a layout unless the layout itself moved the offset"
      case .unlabelledShift: "give such a scroll the source layout, and the app's own scrolling the source program"
      case .pushesWithoutTranslation:
        "give each push a translationY that goes on where the last one ended: -12, -24, -36"
      case .pushesWithWrongSign: "give a push towards the end of the content a negative translationY: -12, -24, -36"
      case .pushesWithoutRest: "send scrollEnd when the content has come to rest, and dragBegin when a drag begins"
      }
    }

    /// The section of the guide for feeders that says so.
    public var section: String {
      switch self {
      case .timeUnit, .timesBackwards: "Times"
      case .noSizes, .offsetOutside: "Sizes and insets"
      case .translationsAddUp: "Wheels and touchpads"
      case .translationsAgainstContent, .translationsPerEvent, .translationsAfterDrag: "Drags"
      case .layoutsFollowScrolling: "Layouts that move the offset"
      case .unlabelledShift: "Who moved the content"
      case .pushesWithoutTranslation, .pushesWithWrongSign, .pushesWithoutRest: "Pushes at an edge"
      }
    }
  }

  /// What looks wrong.
  public let problem: Problem
  /// The number of the first event that shows it, or its line in a file.
  public let number: Int64
  /// The number of events that show it.
  public private(set) var count: Int
  /// What the first event shows, in words.
  public let observation: String

  init(_ problem: Problem, number: Int64, count: Int = 1, _ observation: String) {
    self.problem = problem
    self.number = number
    self.count = count
    self.observation = observation
  }

  /// Counts another event that shows the problem.
  mutating func repeated() { count += 1 }

  /// Returns this finding or another one of the same problem, whichever is first, with the events of both.
  func joined(with other: Finding?) -> Finding {
    guard let other else { return self }
    var first = number <= other.number ? self : other
    first.count = count + other.count
    return first
  }

  /// The observation, the number of further events, the advice, and where to read more, in one line.
  public var text: String {
    let more = count == 1 ? "" : " (and \(count - 1) more like it)"
    return "\(observation)\(more): \(problem.advice) (Feeding.md, “\(problem.section)”)"
  }
}
