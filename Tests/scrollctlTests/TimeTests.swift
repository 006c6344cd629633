import Platform
import Testing

@testable import scrollctl

@Suite("Times")
struct TimeTests {
  /// 2026-11-30 12:00:00 UTC, a Monday.
  static let now: Int64 = 1_796_040_000_000_000
  private let reader = TimeReader(now: now, calendar: .utc)

  @Test(
    "Times are read as systemd.time(7) describes",
    arguments: [
      ("now", "2026-11-30 12:00:00.000"),
      ("10 min ago", "2026-11-30 11:50:00.000"),
      ("10min ago", "2026-11-30 11:50:00.000"),
      ("1h 30min ago", "2026-11-30 10:30:00.000"),
      ("2 days ago", "2026-11-28 12:00:00.000"),
      ("-5min", "2026-11-30 11:55:00.000"),
      ("+1h", "2026-11-30 13:00:00.000"),
      ("09:15", "2026-11-30 09:15:00.000"),
      ("1795997872500000", "2026-11-30 00:17:52.500"),
      ("09:15:02.125", "2026-11-30 09:15:02.125"),
      ("today", "2026-11-30 00:00:00.000"),
      ("yesterday", "2026-11-29 00:00:00.000"),
      ("yesterday 18:00", "2026-11-29 18:00:00.000"),
      ("Tomorrow", "2026-12-01 00:00:00.000"),
      ("2026-11-30 09:15", "2026-11-30 09:15:00.000"),
      ("2026-11-30T09:15:02Z", "2026-11-30 09:15:02.000"),
      ("2026-11-30T09:15:02+00:00", "2026-11-30 09:15:02.000"),
      ("2026-11-30T09:15:02.125+01:00", "2026-11-30 08:15:02.125"),
      ("2026-11-30T23:15-0130", "2026-12-01 00:45:00.000"),
      ("2026-11-30 09:15:02+02:00", "2026-11-30 07:15:02.000"),
      ("2026-11-30 09:15 UTC", "2026-11-30 09:15:00.000"),
      ("2024-02-29", "2024-02-29 00:00:00.000"),
      ("Mon 2026-11-30 09:15:02 UTC", "2026-11-30 09:15:02.000"),
      ("monday 2026-11-30", "2026-11-30 00:00:00.000"),
      ("Thu 2024-02-29 23:59", "2024-02-29 23:59:00.000"),
      ("Wed 1969-12-31 00:00 UTC", "1969-12-31 00:00:00.000"),
      ("@1796040000", "2026-11-30 12:00:00.000"),
      ("@1796040000.5", "2026-11-30 12:00:00.500"),
      ("@1796040000500000", "2026-11-30 12:00:00.500"),
    ])
  func read(text: String, expected: String) throws {
    let time = try #require(reader.read(text), "\(text)")
    #expect(TimeText(calendar: .utc).dateWithMilliseconds(time) == expected)
  }

  @Test(
    "Other texts are not times",
    arguments: [
      "", "soon", "ago", "10 parsecs ago", "2026-02-29", "2026-13-01", "2026-11-31", "26-11-30", "25:00", "09:61",
      "2026-11-30 09", "@", "@x", "1 2 3", "99999999999999 days ago", "٠٩:١٥",
      "2026-11-30T09:15+1", "2026-11-30T09:15+25:00", "2026-11-30T+01:00",
      "Tue 2026-11-30", "Mon", "Mon Mon 2026-11-30", "Mo 2026-11-30", "Mon 09:15",
    ])
  func none(text: String) {
    #expect(reader.read(text) == nil)
  }

  @Test("Every month has its days, also in years that end a century", arguments: [1996, 2000, 2023, 2024, 2100, 2400])
  func months(year: Int) throws {
    func day(_ month: Int, _ day: Int) -> String {
      "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
    for month in 1...12 {
      let next = month == 12 ? "\(year + 1)-01-01" : day(month + 1, 1)
      let (begin, end) = (try #require(reader.read(day(month, 1))), try #require(reader.read(next)))
      let days = Int((end - begin) / 86_400_000_000)
      for number in 0...32 {
        let time = (1...days).contains(number) ? begin + Int64(number - 1) * 86_400_000_000 : nil
        #expect(reader.read(day(month, number)) == time, "\(day(month, number))")
      }
    }
  }

  @Test(
    "A moment has every form in which one is printed",
    arguments: [
      ("164", .position(164)), ("#12", .number(12)), ("reader/main#12", .number(12, of: "reader/main")),
      ("article-read:164", .line(164, of: "article-read")), ("10.588 s", .sinceStart(10_588_000)),
      ("+6.305 s", .sinceStart(6_305_000)), ("+6.305s", .sinceStart(6_305_000)), ("+0.000 s", .sinceStart(0)),
      ("+1:30.000", .sinceStart(90_000_000)), ("+1:02:03.500", .sinceStart(3_723_500_000)),
      ("1:15.532", .sinceStart(75_532_000)), ("50:00:00.532", .sinceStart(180_000_532_000)),
      ("50:00", .sinceStart(3_000_000_000)), ("+50:00:01", .sinceStart(180_001_000_000)),
      ("500 ms", .sinceStart(500_000)), ("11.054s", .sinceStart(11_054_000)), ("11054ms", .sinceStart(11_054_000)),
      ("+5", .sinceStart(5_000_000)),
      // The microseconds of JSON.
      ("1796250569389016", .time(1_796_250_569_389_016)), ("@1796250569389016", .time(1_796_250_569_389_016)),
      ("999999999999999", .position(999_999_999_999_999)),
      ("+2min", .sinceStart(120_000_000)), ("@9", .time(9_000_000)),
      // What is printed in milliseconds means all of its millisecond.
      ("@9.125", .time(9_125_000)), ("2026-11-30T09:15:02.125Z", .time(1_796_030_102_125_999)),
      ("2026-11-30T09:15:02Z", .time(1_796_030_102_000_000, end: 1_796_030_102_999_999)),
      ("2026-11-30T09:15:02+00:00", .time(1_796_030_102_000_000, end: 1_796_030_102_999_999)),
      ("2026-11-30T09:15Z", .time(1_796_030_100_000_000)), ("2026-11-30T09:15+00:00", .time(1_796_030_100_000_000)),
      // As “log” prints it.
      ("reader/main #12", .number(12, of: "reader/main")), ("reader of bob #12", .number(12, of: "reader of bob")),
    ] as [(String, Moment)])
  func moment(_ text: String, _ moment: Moment) {
    #expect(Moment(text, now: Self.now) == moment)
  }

  @Test("A line of a file whose name is a number can also be a span")
  func spanOrLine() {
    let moment = Moment("50:15", now: Self.now)
    #expect(moment == .line(15, of: "50"))
    #expect(moment?.spanInsteadOfLine == .sinceStart(3_015_000_000))
    #expect(Moment("read:15", now: Self.now)?.spanInsteadOfLine == nil)
  }

  @Test(
    "Other texts are no moments",
    arguments: ["", "0", "-5", "soon", "#0", "#", "+", "+1:70", "+x:1", "a#b", "1:75:00.5", "ms", ". s", "1e3 s"])
  func noMoment(_ text: String) {
    // “-5” would be five of nothing ago.
    #expect(Moment(text, now: Self.now) == nil)
  }

  @Test("Times are printed relative to now")
  func ago() {
    func ago(_ seconds: Int64) -> String { TimeText.ago(Self.now - seconds * 1_000_000, now: Self.now) }
    #expect(ago(0) == "just now")
    #expect(ago(90) == "90 s ago")
    #expect(ago(600) == "10 min ago")
    #expect(ago(3 * 3600) == "3 h ago")
    #expect(ago(5 * 86_400) == "5 days ago")
    #expect(ago(-600) == "by a clock that is 10 min ahead")
    #expect(TimeText.ago(Int64.min, now: Int64.max) == "long ago")
  }

  @Test("Times are printed relative to a start, and never as before it")
  func sinceStart() {
    #expect(TimeText.sinceStart(0) == "+0.000 s")
    #expect(TimeText.sinceStart(6_305_999) == "+6.306 s")
    #expect(TimeText.sinceStart(-1_500_000) == "+0.000 s")
  }

  @Test("The times at the ends of 64 bits are printed, whatever they mean")
  func extremes() {
    for calendar in [CivilCalendar.utc, .local] {
      for time in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
        let text = TimeText(calendar: calendar)
        #expect(text.dateWithMilliseconds(time).hasSuffix(text.clock(time)))
        #expect(!TimeText.sinceStart(time).isEmpty)
        #expect(!TimeText.ago(time, now: 0).isEmpty)
      }
    }
    #expect(TimeText(calendar: .utc).clock(-1) == "23:59:59.999")
  }

  @Test("Times before 1970 have a time of day as well")
  func beforeEpoch() {
    #expect(TimeText(calendar: .utc).dateWithMilliseconds(-1) == "1969-12-31 23:59:59.999")
  }
}
