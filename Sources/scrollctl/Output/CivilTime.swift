// Times as calendars and clocks on the wall have them.

import Glibc

/// A calendar: how seconds since the Unix epoch and the time on the wall become each other.
struct CivilCalendar: Sendable {
  /// The time on the wall at a second.
  var civil: @Sendable (Int64) -> tm
  /// The second of a time on the wall, whose fields may lie beyond their ranges (the 32nd of a month).
  var second: @Sendable (tm) -> Int64

  /// The calendar of the process's time zone.
  static let local = CivilCalendar(
    civil: { second in
      var time = time_t(second)
      var result = tm()
      localtime_r(&time, &result)
      return result
    },
    second: { civil in
      var civil = civil
      // Whether it is summer is for the zone to say.
      civil.tm_isdst = -1
      return Int64(mktime(&civil))
    })

  /// Greenwich's calendar.
  static let utc = CivilCalendar(
    civil: { second in
      var time = time_t(second)
      var result = tm()
      gmtime_r(&time, &result)
      return result
    },
    second: { civil in
      var civil = civil
      return Int64(timegm(&civil))
    })
}
