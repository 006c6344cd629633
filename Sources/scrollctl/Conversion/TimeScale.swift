import ScrollAnalysis
import ScrollModel

/// How a file writes times: a number in some unit, or a date and time (ISO 8601).
struct TimeScale {
  /// A unit of times that are numbers.
  enum Unit: String, CaseIterable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// The unit in microseconds.
    var microseconds: Double {
      switch self {
      case .seconds: 1e6
      case .milliseconds: 1e3
      case .microseconds: 1
      case .nanoseconds: 1e-3
      }
    }
  }

  /// The unit; milliseconds, as scripts of web pages use them, if `nil`.
  var unit: Unit?
  /// The moment that the times count from, in microseconds since the Unix epoch; 1970 if `nil`.
  var start: Int64?

  /// The longest time after ``start``, in microseconds: 10 years. A longer one counts from 1970.
  private static let longestSpan = 315_576_000_000_000.0

  /// Reads a time.
  ///
  /// - Returns: Microseconds since the Unix epoch.
  /// - Throws: `EventProblem` about the field `time`.
  func microseconds(_ cell: Cell) throws(EventProblem) -> Int64 {
    if case .text(let text) = cell, cell.number == nil {
      if let start, start != 0 {
        throw EventProblem(
          field: "time", reason: "is “\(text)”, a date and time: --start is for times that count from a moment")
      }
      guard let time = Self.dateAndTime(text) else {
        throw EventProblem(
          field: "time",
          reason:
            "is “\(text)”: it must be a number\(cell.commaHint), or a date and time such as 2026-11-30T09:15:02.125Z")
      }
      return time
    }
    guard let number = cell.number, number.isFinite else {
      throw EventProblem(field: "time", reason: "is \(cell.description): it must be a number")
    }
    if unit == nil, start == nil { try Self.checkGuess(number) }
    let span = (number * (unit ?? .milliseconds).microseconds).rounded()
    if start != nil, span > Self.longestSpan {
      throw EventProblem(
        field: "time",
        reason:
          "is \(shortest(number)), which is \(NumberText.rounded(in: shortest((span / 31_557_600_000_000)))) years in "
          + "\((unit ?? .milliseconds).rawValue): --start is for times that count from the moment it names; omit it if "
          + "they count from 1970, or choose their unit with --time-unit")
    }
    let scaled = span + Double(start ?? 0)
    guard (0...Double(Event.latestTime)).contains(scaled) else {
      throw EventProblem(
        field: "time",
        reason:
          "is \(shortest(number)): in \((unit ?? .milliseconds).rawValue), it must lie between 1970 and the year 2255")
    }
    return Int64(scaled)
  }

  /// Refuses to take a number for milliseconds that is a time of this century in another unit.
  private static func checkGuess(_ number: Double) throws(EventProblem) {
    for unit in Unit.allCases where unit != .milliseconds {
      let seconds = number * unit.microseconds / 1e6
      guard (1e9..<4.1e9).contains(seconds) else { continue }
      throw EventProblem(
        field: "time",
        reason: "is \(shortest(number)), which looks like \(unit.rawValue) since 1970: choose with --time-unit "
          + "\(unit.rawValue), or --time-unit ms if it is milliseconds")
    }
  }

  /// The shortest time between two samples that a scroll view reports, in microseconds. No screen shows a thousand frames a
  /// second.
  private static let shortestInterval: Int64 = 1000

  /// What is wrong if numbers without a unit are not milliseconds, as it seems; `nil` if they may be.
  ///
  /// - Parameter interval: The median time between two samples, in microseconds.
  func doubt(interval: Int64) -> String? {
    guard unit == nil, interval < Self.shortestInterval else { return nil }
    return
      "most samples would be less than 1 ms apart if the times were milliseconds: choose their unit with --time-unit"
  }

  /// Reads `2026-11-30T09:15:02.125+01:00`. A space may stand for the T, and a comma for the point, as in ISO 8601; the seconds
  /// may be absent, and without a zone the time is in UTC.
  private static func dateAndTime(_ text: String) -> Int64? {
    let letters = Array(text.utf8)
    guard letters.count >= 16, letters[10] == UInt8(ascii: "T") || letters[10] == UInt8(ascii: " "),
      let day = day(letters[..<10])
    else { return nil }
    var clock = letters[11...]
    var offset: Int64 = 0
    if clock.last == UInt8(ascii: "Z") {
      clock = clock.dropLast()
    } else if let sign = clock.lastIndex(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }) {
      let zone = clock[(sign + 1)...].filter { $0 != UInt8(ascii: ":") }
      guard zone.count == 4, let hours = integer(zone[..<2]), let minutes = integer(zone[2...]), hours < 24,
        minutes < 60
      else { return nil }
      offset = Int64(hours * 60 + minutes) * (clock[sign] == UInt8(ascii: "-") ? -60 : 60)
      clock = clock[..<sign]
    }
    let parts = clock.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0].count == 2, parts[1].count == 2, let hour = integer(parts[0]),
      let minute = integer(parts[1]), hour < 24, minute < 60
    else { return nil }
    var seconds = 0.0
    if parts.count == 3 {
      let digits = parts[2].map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
      guard digits.first.map({ (0x30...0x39).contains($0) }) == true,
        let number = Double(String(decoding: digits, as: UTF8.self)), (0..<61).contains(number)
      else { return nil }
      seconds = number
    }
    return (Int64(day) * 86_400 + Int64(hour * 3600 + minute * 60) - offset) * 1_000_000
      + Int64((seconds * 1e6).rounded())
  }

  /// Returns the days from 1970-01-01 to a date such as `2026-11-30`.
  private static func day(_ letters: ArraySlice<UInt8>) -> Int? {
    let parts = letters.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], let year = integer(parts[0]), let month = integer(parts[1]),
      let day = integer(parts[2]), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    // Years that begin in March have their leap day at the end.
    let shifted = month > 2 ? year : year - 1
    let days = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + days - 719_468
  }

  private static func integer(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
