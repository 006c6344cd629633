import Platform

/// Reads times in the style of systemd.time(7): `now`, `today`, `yesterday 18:00`, `10 min ago`, `-5min`, `+1h`, `2026-11-30`,
/// `2026-11-30 09:15[:02[.125]]`, `09:15`, `@1795997872.5`, or `@1795997872500000` in microseconds. They may begin with
/// the weekday, as in `Mon 2026-11-30 09:15:02 UTC`, and end with `UTC` or `Z`; a date and time may end with an offset as in
/// RFC 3339, `2026-11-30T09:15:02+01:00`.
struct TimeReader {
  /// The current time, in microseconds since the Unix epoch.
  var now: Int64
  var calendar = CivilCalendar.local

  /// The least number that is taken for microseconds since the Unix epoch, as JSON has them, in 2001. No log has so many
  /// records, and no file so many lines.
  static let leastMicroseconds: Int64 = 1_000_000_000_000_000

  /// Whether a time has a fraction of three digits, as verbs print it.
  static func hasMilliseconds(_ text: String) -> Bool {
    guard let point = text.lastIndex(of: ".") else { return false }
    return text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }.count == 3
  }

  /// Returns the time in microseconds since the Unix epoch; `nil` when the text is not a time.
  func read(_ text: String) -> Int64? {
    var words = text.replacingT().split { $0 == " " || $0 == "\t" }.map(String.init)
    var reader = self
    let last = words.last?.lowercased() ?? ""
    if last == "utc" || last == "z" {
      reader.calendar = .utc
      words.removeLast()
    } else if last.hasSuffix("z"), last.first?.isNumber == true {
      reader.calendar = .utc
      words[words.count - 1].removeLast()
    }
    if words.count > 1, let weekday = Self.weekday(words[0]) {
      words.removeFirst()
      guard let day = reader.day(words[0].lowercased()), Self.weekday(of: day) == weekday else { return nil }
    }
    if words.count == 2, let (clock, offset) = Self.zoned(words[1]) {
      reader.calendar = .utc
      return reader.read([words[0], clock]).map { $0 - offset }
    }
    return reader.read(words)
  }

  /// Divides `09:15:02+01:00` into the time of day and the offset from UTC, in microseconds.
  private static func zoned(_ word: String) -> (clock: String, offset: Int64)? {
    guard let sign = word.lastIndex(where: { $0 == "+" || $0 == "-" }), sign > word.startIndex else { return nil }
    let digits = word[word.index(after: sign)...].filter { $0 != ":" }
    guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let hours = Int64(digits.prefix(2)),
      let minutes = Int64(digits.suffix(2)), hours < 24, minutes < 60
    else { return nil }
    let offset = (hours * 60 + minutes) * 60_000_000
    return (String(word[..<sign]), word[sign] == "-" ? -offset : offset)
  }

  private func read(_ words: [String]) -> Int64? {
    guard let first = words.first?.lowercased() else { return nil }
    if words.count == 1, first == "now" { return now }
    if words.count == 1, let microseconds = Int64(first), microseconds >= Self.leastMicroseconds { return microseconds }
    if first.hasPrefix("@") { return words.count == 1 ? epoch(first.dropFirst()) : nil }
    if words.last?.lowercased() == "ago" { return shifted(by: words.dropLast().joined(), backwards: true) }
    if first.hasPrefix("-") { return shifted(by: String(words.joined().dropFirst()), backwards: true) }
    if first.hasPrefix("+") { return shifted(by: String(words.joined().dropFirst()), backwards: false) }
    if words.count == 1, let clock = ClockTime(first) { return time(day: today(), clock) }
    guard words.count <= 2, let day = day(first) else { return nil }
    if words.count == 1 { return time(day: day, ClockTime()) }
    return ClockTime(words[1]).map { time(day: day, $0) }
  }

  private func epoch(_ text: Substring) -> Int64? {
    if let microseconds = Int64(text), microseconds >= Self.leastMicroseconds { return microseconds }
    guard let seconds = Double(text), seconds >= 0, seconds < 9e12 else { return nil }
    return Int64((seconds * 1e6).rounded())
  }

  private func shifted(by span: String, backwards: Bool) -> Int64? {
    // `M` is a month and `m` a minute. Other units may be in upper case.
    guard let microseconds = TimeSpan.microseconds(span) ?? TimeSpan.microseconds(span.lowercased()) else { return nil }
    let (time, overflow) =
      backwards ? now.subtractingReportingOverflow(microseconds) : now.addingReportingOverflow(microseconds)
    return overflow || time < 0 ? nil : time
  }

  private func today() -> CivilTime { calendar.civil(now / 1_000_000) }

  private func day(_ word: String) -> CivilTime? {
    var day = today()
    switch word {
    case "today": return day
    case "yesterday":
      day.day -= 1
      return day
    case "tomorrow":
      day.day += 1
      return day
    default:
      let parts = word.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0].count == 4, parts.allSatisfy({ $0.allSatisfy(\.isASCII) }),
        let year = Int(parts[0]), let month = Int(parts[1]), let number = Int(parts[2]),
        (1...12).contains(month), (1...Self.length(ofMonth: month, year)).contains(number)
      else { return nil }
      return CivilTime(year: year, month: month, day: number)
    }
  }

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// Returns the index of a weekday, 0 for Monday, from its name or the first three letters; `nil` for other words.
  private static func weekday(_ word: String) -> Int? {
    let word = word.lowercased()
    return weekdays.firstIndex { $0 == word || $0.prefix(3) == word }
  }

  private static func weekday(of day: CivilTime) -> Int {
    let date = CivilTime(year: day.year, month: day.month, day: day.day)
    let days = (Double(CivilCalendar.utc.second(date)) / 86_400).rounded(.down)
    // 1970 began on a Thursday.
    return (Int(days) % 7 + 10) % 7
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  private func time(day: CivilTime, _ clock: ClockTime) -> Int64 {
    var civil = day
    civil.hour = clock.hour
    civil.minute = clock.minute
    civil.second = clock.second
    return calendar.second(civil) * 1_000_000 + clock.microsecond
  }
}

/// A time of day: `09:15`, `09:15:02`, `09:15:02.125`.
private struct ClockTime {
  var hour = 0
  var minute = 0
  var second = 0
  var microsecond: Int64 = 0

  init() {}

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.first?.isNumber == true && $0.allSatisfy(\.isASCII) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    self.hour = hour
    self.minute = minute
    guard parts.count == 3 else { return }
    guard let seconds = Double(parts[2]), seconds >= 0, seconds < 60 else { return nil }
    second = Int(seconds)
    microsecond = Int64(((seconds - Double(second)) * 1e6).rounded())
  }
}

extension String {
  /// Returns the text with a space instead of a `T` between a date and a time of day.
  fileprivate func replacingT() -> String {
    let letters = Array(self)
    guard letters.count > 11, letters[10] == "T" || letters[10] == "t", letters[4] == "-", letters[7] == "-" else {
      return self
    }
    return String(letters[..<10]) + " " + String(letters[11...])
  }
}
