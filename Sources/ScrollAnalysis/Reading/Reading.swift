/// How far and how long somebody read in one session: the measures of the session.
///
///     let reading = ReadingMeter.read(events, policy: .safari)
///     reading.reach        // 0.29: the upper 29 % of the content were on screen at some time
///     reading.activeTime   // 11788700 µs
///
/// Times are in microseconds, lengths in points, shares between 0 and 1. ``Measure`` describes each measure. A measure is
/// `nil` when the session does not tell it, as every share of the content is while the content's height is unknown.
public struct Reading: Equatable, Sendable {
  /// How deep somebody read, as far as offsets can tell (Lagun and Lalmas, WSDM 2016).
  public enum Depth: CaseIterable, Sendable {
    /// Left before ``bounceTime`` of activity.
    case bounce
    /// Saw at most half of the content.
    case shallow
    /// Saw more than half of the content.
    case deep
    /// Saw the content to its end.
    case complete

    /// Less activity than this is a bounce: 10 s.
    public static let bounceTime: Int64 = 10_000_000
    /// The greatest reach of a shallow session.
    public static let shallowReach = 0.5
    /// The least reach of a complete session.
    public static let completeReach = 0.98

    /// The depth's name.
    public var name: StaticString {
      switch self {
      case .bounce: "bounce"
      case .shallow: "shallow"
      case .deep: "deep"
      case .complete: "complete"
      }
    }

    /// Returns the depth of a session; `nil` when neither its time nor its reach tells it.
    init?(activeTime: Int64, reach: Double?) {
      if activeTime < Self.bounceTime {
        self = .bounce
      } else if let reach {
        self = reach <= Self.shallowReach ? .shallow : reach >= Self.completeReach ? .complete : .deep
      } else {
        return nil
      }
    }
  }

  /// The number of events.
  public var events = 0
  /// From the first event to the last, or to the close, in microseconds, ≥ 0.
  public var duration: Int64 = 0
  /// The time between samples, each interval at most the idle time, in microseconds.
  public var activeTime: Int64 = 0
  /// The number of intervals between samples that end before they begin. They count 0.
  public var backwardSteps = 0
  /// The greatest share of the content that the lower edge of the screen got to.
  public var reach: Double?
  /// The greatest share of the scrollable range above the offset; `nil` when nothing scrolled.
  public var scrolled: Double?
  /// When ``reach`` first got to 25 %, in microseconds since the first event; `nil` if never.
  public var reached25: Int64?
  /// When ``reach`` first got to 50 %.
  public var reached50: Int64?
  /// When ``reach`` first got to 75 %.
  public var reached75: Int64?
  /// When ``reach`` first got to 90 %.
  public var reached90: Int64?
  /// When ``reach`` first got to 100 %.
  public var reached100: Int64?
  /// When the state's `reachBottom` first became true, in microseconds since the first event; `nil` if never.
  public var bottomReached: Int64?
  /// The active time of each of the content's equal parts, from the top. Together they are ``activeTime`` if the sizes were
  /// known from the first sample on; `nil` if they never were.
  public var bands: [Int64]?
  /// How far the content moved, without relayouts and zooming, in points.
  public var distance = 0.0
  /// The part of ``distance`` upwards, in points.
  public var distanceUp = 0.0
  /// The number of scroll events above the scroll event before.
  public var regressions = 0
  /// The mean speed between consecutive scroll events, in points per millisecond.
  public var meanSpeed: Double?
  /// The greatest speed between consecutive scroll events, in points per millisecond.
  public var maxSpeed: Double?
  /// The least acceleration between consecutive scroll events, in points per square millisecond.
  public var minAcceleration: Double?
  /// The greatest acceleration between consecutive scroll events, in points per square millisecond.
  public var maxAcceleration: Double?
  /// The share of the session's time with the toolbar hidden; `nil` for a session that takes no time.
  public var toolbarHidden: Double?
  /// How often the toolbar turned, in either direction.
  public var flips = 0
  /// The number of flips that undid another one within ``PolicyTally/flickerTime``.
  public var flickers = 0

  /// How deep somebody read; `nil` for a longer session whose reach is unknown.
  public var depth: Depth? { Depth(activeTime: activeTime, reach: reach) }

  /// Creates the measures of a session without events.
  public init() {}
}
