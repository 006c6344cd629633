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
    /// Translations that continue in the next gesture.
    case translationsAddUp
    /// Translations that run against the content.
    case translationsAgainstContent
    /// Layouts that report the user's scrolling.
    case layoutsFollowScrolling
    /// Content that shifts although no event of the session has a source.
    case neverLabelled
    /// Pushes at the bottom that can't be seen.
    case pushesWithoutTranslation

    /// The problem's name for programs.
    public var name: StaticString {
      switch self {
      case .timeUnit: "timeUnit"
      case .timesBackwards: "timesBackwards"
      case .noSizes: "noSizes"
      case .translationsAddUp: "translationsAddUp"
      case .translationsAgainstContent: "translationsAgainstContent"
      case .layoutsFollowScrolling: "layoutsFollowScrolling"
      case .neverLabelled: "neverLabelled"
      case .pushesWithoutTranslation: "pushesWithoutTranslation"
      }
    }

    /// What the feeder should do.
    public var advice: String {
      switch self {
      case .timeUnit: "give microseconds since 1970"
      case .timesBackwards: "take all times of a session from one clock, and append events in their order"
      case .noSizes: "send a layout before the first scroll, and after every change of a size"
      case .translationsAddUp:
        "count from 0 again when a drag begins; give a wheel that moves the content no translation"
      case .translationsAgainstContent:
        "give the finger's distance from where the drag began, negative while the finger is above it"
      case .layoutsFollowScrolling: "leave x and y out of a layout unless the layout itself moved the offset"
      case .neverLabelled: "give such a scroll the source layout, and the app's own scrolling the source program"
      case .pushesWithoutTranslation:
        "give each push a translationY that goes on where the last one ended: -12, -24, -36"
      }
    }

    /// The section of the guide for feeders that says so.
    public var section: String {
      switch self {
      case .timeUnit, .timesBackwards: "Times"
      case .noSizes: "Sizes and insets"
      case .translationsAddUp: "Wheels and touchpads"
      case .translationsAgainstContent: "Drags"
      case .layoutsFollowScrolling: "Layouts that move the offset"
      case .neverLabelled: "Who moved the content"
      case .pushesWithoutTranslation: "Pushes at an edge"
      }
    }
  }

  /// What looks wrong.
  public let problem: Problem
  /// The number of the first event that shows it, or its line in a file.
  public let number: Int64
  /// The number of events that show it.
  public private(set) var count = 1
  /// What the first event shows, in words.
  public let observation: String

  init(_ problem: Problem, number: Int64, _ observation: String) {
    self.problem = problem
    self.number = number
    self.observation = observation
  }

  /// Counts another event that shows the problem.
  mutating func repeated() { count += 1 }

  /// The observation, the number of further events, the advice, and where to read more, in one line.
  public var text: String {
    let more = count == 1 ? "" : " (and \(count - 1) more like it)"
    return "\(observation)\(more): \(problem.advice) (Feeding.md, “\(problem.section)”)"
  }
}
