import ScrollModel

/// A moment that `--at` names, in any of the forms in which verbs print moments.
enum Moment: Equatable {
  /// A position of the log, or a line of a file: `164`.
  case position(Position)
  /// An event's number in its session, and what the session is called, if the text says that: `#164`, `reader/main#164`,
  /// `reader/main@0123abcd#164`.
  case number(Int64, of: String? = nil)
  /// A line of a file: `article:164`.
  case line(Int64, of: String? = nil)
  /// The time since the session's first event, in microseconds: `+6.305 s`, `+1:30.000`. Without the sign, `9:30` is a time of day.
  case sinceStart(Int64)
  /// A time, in microseconds since the Unix epoch. One that was written in whole seconds may be that of something later in its
  /// second, since tables leave out the fraction: `end` is the last microsecond that it may mean.
  case time(Int64, end: Int64? = nil)

  /// The forms, for messages.
  static let expected =
    "a position, 1 or more, an event such as “#12”, a time since the session's first event such as “+6.305 s”, or a time such "
    + "as “10 min ago”, “09:15” or “2026-11-30T09:15:00Z”"

  /// Reads a moment; `nil` if the text is none.
  init?(_ text: String, now: Int64) {
    // A plus sign begins a span.
    let isSigned = text.hasPrefix("+")
    if let number = Int64(text), !isSigned {
      guard number >= 1 else { return nil }
      self = number < TimeReader.leastMicroseconds ? .position(number) : .time(number)
    } else if isSigned || Self.hasShortUnit(text), let span = SpanReader.read(text), span < .max / 2 {
      self = .sinceStart(span)
    } else if let time = TimeReader(now: now).read(text) {
      // Times are printed without what follows their milliseconds, so a printed one means all of its millisecond.
      if Self.hasMilliseconds(text) {
        self = .time(time + 999)
      } else {
        self = .time(time, end: Self.hasSeconds(text) ? time + 999_999 : nil)
      }
    } else if !isSigned, let mark = text.lastIndex(where: { $0 == "#" || $0 == ":" }),
      let number = Int64(text[text.index(after: mark)...]), number >= 1
    {
      // “log” prints a space between the client and the number.
      var name = text[..<mark]
      while name.last == " " { name.removeLast() }
      let owner = name.isEmpty ? nil : String(name)
      self = text[mark] == "#" ? .number(number, of: owner) : .line(number, of: owner)
    } else if text.contains(":"), let span = SpanReader.read(text) {
      // No time of day: `75:30.000`.
      self = .sinceStart(span)
    } else {
      return nil
    }
  }

  /// The time since the first event that a text means if no file has the name before its colon: `50:15`.
  var spanInsteadOfLine: Moment? {
    guard case .line(let seconds, let minutes?) = self else { return nil }
    return SpanReader.read("\(minutes):\(seconds)").map { .sinceStart($0) }
  }

  /// Refuses a time that is still to come, which can only be a mistake.
  func requirePast(now: Int64, _ reason: String = "") throws(Failure) {
    guard case .time(let time, _) = self, time > now else { return }
    throw Failure("--at is in the future: \(TimeText().date(time))\(reason)")
  }

  /// Whether a text is a number with a unit of at most a second, as tables have spans: `10.588 s`, `500ms`.
  private static func hasShortUnit(_ text: String) -> Bool {
    let unit = text.drop { $0.isASCII && $0.isNumber || $0 == "." }
    return unit.startIndex > text.startIndex && ["s", "ms", "us", "µs"].contains(unit.drop { $0 == " " })
  }

  /// Whether a text has a time of day in whole seconds: `22:29:25`, `2026-11-30T09:15:02Z`.
  private static func hasSeconds(_ text: String) -> Bool {
    let clock = text.drop { $0 != ":" }
    let isOffset = { (mark: Character) in mark == "+" || mark == "-" }
    return !text.contains(".") && clock.prefix { !isOffset($0) }.count { $0 == ":" } == 2
  }

  private static func hasMilliseconds(_ text: String) -> Bool {
    guard let dot = text.lastIndex(of: "."), text.contains(":") else { return false }
    return text[text.index(after: dot)...].prefix(while: \.isNumber).count == 3
  }
}
