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

    /// So many events in a row against the finger are a mistake of the feeder, and not a header that collapsed.
    private static let suspiciousEvents = 3

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

    /// The movement and the cause in words.
    public var text: String {
      let place = first == last ? "(event \(first))" : "(\(events) events, \(first) to \(last))"
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
        events < Self.suspiciousEvents
          ? "ran against the finger: the app shifted the content"
          : "ran against the translations: does this feeder add them up over the session, or are they of the wrong sign?"
      case .zooming: "happened during a pinch"
      case .sideways: "belonged to a sideways swipe"
      case .withoutTranslation: "moved nothing and brought no new translationY"
      case .finger:
        isDownward ? "came with the finger below its starting point" : "came without a finger below its starting point"
      }
    }
  }
}
