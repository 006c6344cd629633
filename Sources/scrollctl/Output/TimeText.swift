import Platform
import ScrollAnalysis

/// Times as text. They are in microseconds since the Unix epoch.
struct TimeText: Sendable {
  var calendar = CivilCalendar.local

  /// Returns the date and time: `2026-11-30 09:15:02`.
  func date(_ time: Int64) -> String {
    let civil = calendar.civil(seconds(time))
    guard (0...9999).contains(civil.year) else {
      return "\(pad(civil.year, 4))-\(pad(civil.month))-\(pad(civil.day)) \(clock(civil))"
    }
    // Long tables have so many dates that joining strings would take most of their time.
    return String(unsafeUninitializedCapacity: 19) { bytes in
      let fields = [
        civil.year / 100, civil.year % 100, civil.month, civil.day, civil.hour, civil.minute, civil.second,
      ]
      var end = 0
      for (field, separator) in zip(fields, "\0-- ::\0".utf8) {
        bytes[end] = UInt8(ascii: "0") + UInt8(field / 10)
        bytes[end + 1] = UInt8(ascii: "0") + UInt8(field % 10)
        end += 2
        if separator != 0 {
          bytes[end] = separator
          end += 1
        }
      }
      return end
    }
  }

  /// Returns the time of day: `09:15:02.125`.
  func clock(_ time: Int64) -> String {
    clock(calendar.civil(seconds(time))) + "." + pad(milliseconds(time), 3)
  }

  /// Returns the time of day, after the date if that is another one than at the current time.
  func clock(_ time: Int64, today now: Int64) -> String {
    let (day, today) = (calendar.civil(seconds(time)), calendar.civil(seconds(now)))
    let isToday = (day.year, day.month, day.day) == (today.year, today.month, today.day)
    return isToday ? clock(time) : dateWithMilliseconds(time)
  }

  /// Returns the date and time with milliseconds: `2026-11-30 09:15:02.125`.
  func dateWithMilliseconds(_ time: Int64) -> String {
    date(time) + "." + pad(milliseconds(time), 3)
  }

  /// Returns roughly how long ago a time is: `10 min ago`. A time in the future is from a clock that is ahead of this one.
  static func ago(_ time: Int64, now: Int64) -> String {
    let (difference, overflow) = now.subtractingReportingOverflow(time)
    if overflow { return "long ago" }
    let span = roughly(difference.magnitude)
    if difference.magnitude < 1_000_000 { return "just now" }
    return difference >= 0 ? "\(span) ago" : "by a clock that is \(span) ahead"
  }

  /// Returns a span of microseconds roughly: `90 s`, `10 min`, `3 h`, `5 days`.
  static func roughly(_ microseconds: UInt64) -> String {
    let seconds = microseconds / 1_000_000
    switch seconds {
    case ..<120: return "\(seconds) s"
    case ..<7200: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) days"
    }
  }

  /// Returns a span of microseconds since a start, ≥ 0: `+6.305 s`, `+1:30.000`.
  static func sinceStart(_ microseconds: Int64) -> String { NumberText.sinceStart(microseconds) }

  private func clock(_ civil: CivilTime) -> String {
    "\(pad(civil.hour)):\(pad(civil.minute)):\(pad(civil.second))"
  }

  private func seconds(_ time: Int64) -> Int64 { time / 1_000_000 - (time % 1_000_000 < 0 ? 1 : 0) }

  private func milliseconds(_ time: Int64) -> Int { Int(microseconds(time) / 1000) }

  /// Returns the microseconds since the last full second.
  private func microseconds(_ time: Int64) -> Int64 { (time % 1_000_000 + 1_000_000) % 1_000_000 }

  private func pad(_ number: Int, _ digits: Int = 2) -> String {
    let text = String(number)
    let zeros = digits - text.utf8.count
    return zeros > 0 ? String(repeating: "0", count: zeros) + text : text
  }
}
