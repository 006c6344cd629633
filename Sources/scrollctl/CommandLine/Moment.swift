import Platform
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
  /// The time since the session's first event, in microseconds: `+6.305 s`, `+1:30.000`.
  case sinceStart(Int64)
  /// A time, in microseconds since the Unix epoch.
  case time(Int64)

  /// The forms, for messages.
  static let expected =
    "a position, 1 or more, an event such as “#12”, a time since the session's first event such as “+6.305 s”, or a time such "
    + "as “10 min ago”, “09:15” or “2026-11-30T09:15:00Z”"

  /// Reads a moment; `nil` if the text is none.
  init?(_ text: String, now: Int64) {
    if let position = Int64(text) {
      // A plus sign begins a span.
      guard position >= 1, !text.hasPrefix("+") else { return nil }
      self = .position(position)
    } else if text.hasPrefix("+") || text.hasSuffix(" s"),
      let span = Self.span(text.dropFirst(text.hasPrefix("+") ? 1 : 0))
    {
      // “compare” prints spans since the start in columns, without the sign.
      self = .sinceStart(span)
    } else if let time = TimeReader(now: now).read(text) {
      // Times are printed without what follows their milliseconds, so a printed one means all of its millisecond.
      self = .time(Self.hasMilliseconds(text) ? time + 999 : time)
    } else if !text.hasPrefix("+"), let mark = text.lastIndex(where: { $0 == "#" || $0 == ":" }),
      let number = Int64(text[text.index(after: mark)...]),
      number >= 1
    {
      let owner = mark == text.startIndex ? nil : String(text[..<mark])
      self = text[mark] == "#" ? .number(number, of: owner) : .line(number, of: owner)
    } else {
      return nil
    }
  }

  /// Reads a span as `NumberText.seconds` writes it, or as systemd.time(7) does.
  private static func span(_ text: Substring) -> Int64? {
    if !text.contains(":") {
      if let seconds = Double(text), seconds >= 0, seconds < 1e12 { return Int64((seconds * 1e6).rounded()) }
      return TimeSpan.microseconds(String(text))
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let seconds = Double(parts[parts.count - 1]), (0..<60).contains(seconds),
      parts.dropLast().allSatisfy({ $0.allSatisfy(\.isNumber) })
    else { return nil }
    var minutes: Int64 = 0
    for part in parts.dropLast() {
      guard let number = Int64(part), number < 1_000_000 else { return nil }
      minutes = minutes * 60 + number
    }
    return minutes * 60_000_000 + Int64((seconds * 1e6).rounded())
  }

  private static func hasMilliseconds(_ text: String) -> Bool {
    guard let dot = text.lastIndex(of: "."), text.contains(":") else { return false }
    return text[text.index(after: dot)...].prefix(while: \.isNumber).count == 3
  }
}
