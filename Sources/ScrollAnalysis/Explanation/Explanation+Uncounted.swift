import ScrollModel

extension Explanation {
  /// Movement in the direction that turns the toolbar, which did not turn it because the rule did not count it.
  public struct Uncounted: Equatable, Sendable {
    /// Why a rule does not count movement.
    public enum Cause: Equatable, Sendable {
      /// The feeder labelled it with source `layout`.
      case layout
      /// The feeder labelled it with source `program`.
      case program
      /// It matched a change of the content's height: the scroll anchoring of a browser.
      case anchoring
      /// The content moved against the finger's translation.
      case againstFinger
      /// A pinch was in progress.
      case zooming
      /// The finger swiped sideways.
      case sideways
      /// A push at the bottom moved nothing, and its translation had not changed.
      case withoutTranslation
      /// `classic` looks only at the finger, which was on the other side of its starting point, or nowhere.
      case finger

      /// The cause's name for programs.
      public var name: StaticString {
        switch self {
        case .layout: "layout"
        case .program: "program"
        case .anchoring: "anchoring"
        case .againstFinger: "againstFinger"
        case .zooming: "zooming"
        case .sideways: "sideways"
        case .withoutTranslation: "withoutTranslation"
        case .finger: "finger"
        }
      }
    }

    /// The most that an event moves the content, on average, if it only jitters under a finger that rests.
    private static let longestJitter = 1.5

    /// Why the rule did not count it.
    public let cause: Cause
    /// Whether the content moved towards the bottom, which hides the toolbar; otherwise towards the top.
    public let isDownward: Bool
    /// The distance, in points, ≥ 0.
    public private(set) var points: Double
    /// The number of events.
    public private(set) var events: Int
    /// The number of the first such event in the session, or its line in a file.
    public let first: Int64
    /// The number or the line of the last one.
    public private(set) var last: Int64
    /// Whether wrong translations explain it, as ``FeedChecker`` decides.
    public private(set) var isFeedersMistake = false

    init(_ cause: Cause, isDownward: Bool, points: Double, number: Int64) {
      self.cause = cause
      self.isDownward = isDownward
      self.points = points
      events = 1
      first = number
      last = number
    }

    mutating func add(points: Double, number: Int64) {
      self.points += points
      events += 1
      last = number
    }

    /// Whether the content moved no more than it does under a finger that rests.
    private var isJitter: Bool { points <= Double(events) * Self.longestJitter }

    /// Decides whether movement against the translations is the feeder's mistake.
    mutating func judge(_ opposition: OppositionCheck) {
      isFeedersMistake = cause == .againstFinger && !isJitter && opposition.hasRun
    }

    /// The movement and the cause in words.
    public var text: String { text(numbersAreLines: false) }

    /// Returns the movement and the cause in words.
    ///
    /// - Parameter numbersAreLines: Whether the events' numbers are lines of a file.
    public func text(numbersAreLines: Bool) -> String {
      let place =
        first == last
        ? "(\(numbersAreLines ? "line" : "event") \(first))"
        : "(\(events) events, \(numbersAreLines ? "lines " : "")\(first) to \(last))"
      return "\(amount) \(explanation) \(place)"
    }

    private var amount: String {
      if cause == .withoutTranslation { return events == 1 ? "a push at the bottom" : "\(events) pushes at the bottom" }
      return "\(NumberText.points(points)) \(isDownward ? "down" : "up")"
    }

    private var explanation: String {
      switch cause {
      case .layout: "came from source layout"
      case .program: "came from source program"
      case .anchoring: "matched a change of the content's height, as scroll anchoring does"
      case .againstFinger:
        if isFeedersMistake {
          "ran against the translations: does this feeder add them up over the session, or are they of the wrong sign?"
        } else if isJitter {
          "ran against the finger, about a point at a time, as under a finger that rests"
        } else {
          "ran against the finger: the app shifted the content"
        }
      case .zooming: "happened during a pinch"
      case .sideways: "belonged to a sideways swipe"
      case .withoutTranslation: "moved nothing and brought no new translationY"
      case .finger:
        isDownward ? "came with the finger below its starting point" : "came without a finger below its starting point"
      }
    }
  }
}
