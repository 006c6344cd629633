import Platform
import ScrollModel

/// A point in time, in microseconds since the Unix epoch.
///
///     let event = Event(.scroll, at: .now)
public struct UnixMicroseconds: RawRepresentable, Hashable, Comparable, Sendable {
  /// The microseconds since 1970-01-01 00:00:00 UTC.
  public var rawValue: Int64

  /// Creates a point in time from microseconds since the Unix epoch.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Creates a point in time from microseconds since the Unix epoch.
  public init(_ microseconds: Int64) { self.init(rawValue: microseconds) }

  /// The current time by the system's real-time clock.
  public static var now: UnixMicroseconds { UnixMicroseconds(Clock.wallMicroseconds()) }

  /// Whether one point in time precedes another.
  public static func < (first: UnixMicroseconds, second: UnixMicroseconds) -> Bool { first.rawValue < second.rawValue }
}

extension UnixMicroseconds: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Creates a point in time from microseconds since the Unix epoch.
  public init(integerLiteral microseconds: Int64) { self.init(rawValue: microseconds) }

  /// The microseconds since the Unix epoch, in decimal.
  public var description: String { "\(rawValue)" }
}

extension Event {
  /// Creates an event without fields.
  ///
  /// - Parameters:
  ///   - kind: The callback that the event stands for.
  ///   - time: When it happened, by the client's clock.
  public init(_ kind: Kind, at time: UnixMicroseconds) { self.init(kind, time: time.rawValue) }
}
