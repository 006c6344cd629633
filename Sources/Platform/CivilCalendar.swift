import Glibc

/// A date and a time of day. Fields may lie beyond their ranges, such as the 32nd of a month.
public struct CivilTime: Equatable, Sendable {
  /// The year of the Gregorian calendar.
  public var year: Int
  /// The month, from 1.
  public var month: Int
  /// The day of the month, from 1.
  public var day: Int
  /// The hour of the day.
  public var hour = 0
  /// The minute of the hour.
  public var minute = 0
  /// The second of the minute.
  public var second = 0

  /// Midnight of a day.
  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  fileprivate init(_ time: tm) {
    year = Int(time.tm_year) + 1900
    month = Int(time.tm_mon) + 1
    day = Int(time.tm_mday)
    hour = Int(time.tm_hour)
    minute = Int(time.tm_min)
    second = Int(time.tm_sec)
  }

  fileprivate var parts: tm {
    var time = tm()
    time.tm_year = Int32(clamping: year - 1900)
    time.tm_mon = Int32(clamping: month - 1)
    time.tm_mday = Int32(clamping: day)
    time.tm_hour = Int32(clamping: hour)
    time.tm_min = Int32(clamping: minute)
    time.tm_sec = Int32(clamping: second)
    return time
  }
}

/// Converts between seconds since the Unix epoch and civil times.
public enum CivilCalendar: Sendable {
  /// The process's time zone.
  case local
  case utc

  /// Returns the civil time at a second.
  public func civil(_ second: Int64) -> CivilTime {
    var time = time_t(second)
    var result = tm()
    switch self {
    case .local: localtime_r(&time, &result)
    case .utc: gmtime_r(&time, &result)
    }
    return CivilTime(result)
  }

  /// Returns the second of a civil time.
  public func second(_ civil: CivilTime) -> Int64 {
    var parts = civil.parts
    switch self {
    case .local:
      // The zone's rules decide whether it is summer time.
      parts.tm_isdst = -1
      return Int64(mktime(&parts))
    case .utc: return Int64(timegm(&parts))
    }
  }
}
