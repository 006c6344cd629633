import ScrollClient
import ScrollModel

/// A parsed command line.
struct ParsedCommand {
  var verb: Verb?
  var arguments: [String] = []
  /// The values of the given options by name. An option without a value has an empty one.
  var options: [String: [String]] = [:]

  func has(_ option: Option) -> Bool { options[option.name] != nil }

  func text(_ option: Option) -> String? { options[option.name]?.last }

  func texts(_ option: Option) -> [String] { options[option.name] ?? [] }

  /// Returns an option's value as a whole number within a range.
  func integer(_ option: Option, in range: ClosedRange<Int64> = 0...Int64.max) throws(UsageError) -> Int64? {
    guard let text = text(option) else { return nil }
    if let number = Int64(text), range.contains(number) { return number }
    let expected =
      range.upperBound == Int64.max
      ? "a whole number of \(range.lowerBound) or more"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    throw .badValue(option: option.name, text: text, expected: expected)
  }

  /// Returns when to use colors.
  func coloring() throws(UsageError) -> Style.Coloring {
    if has(.color), has(.noColor) { throw .conflict(Option.color.name, Option.noColor.name) }
    guard let text = text(.color) else { return has(.noColor) ? .never : .auto }
    if let coloring = Style.Coloring(rawValue: text) { return coloring }
    throw .badValue(option: Option.color.name, text: text, expected: "always, auto or never")
  }

  /// Returns an option's value as a number greater than 0.
  func positive(_ option: Option) throws(UsageError) -> Double? {
    guard let text = text(option) else { return nil }
    if let number = Double(text), number.isFinite, number > 0 { return number }
    throw .badValue(option: option.name, text: text, expected: "a number greater than 0")
  }

  /// Returns an option's value as a number of seconds, at most a day.
  func seconds(_ option: Option) throws(UsageError) -> Double? {
    guard let text = text(option) else { return nil }
    if let number = Double(text), number >= 0, number <= 86_400 { return number }
    throw .badValue(option: option.name, text: text, expected: "a number from 0 to 86400")
  }

  /// Returns the user id of `--uid`.
  func uid() throws(UsageError) -> UInt32? {
    try integer(.uid, in: 0...Int64(UInt32.max)).map { UInt32($0) }
  }

  /// Returns the address of the daemon that the command line selects.
  func address() throws(UsageError) -> ServiceAddress {
    let given = [Option.system, .user, .socket].filter(has)
    if given.count > 1 { throw .conflict(given[0].name, given[1].name) }
    if let path = text(.socket) {
      guard !path.isEmpty else {
        throw .badValue(option: Option.socket.name, text: path, expected: "the path of a daemon's socket")
      }
      return ServiceAddress(path)
    }
    if has(.system) { return .system }
    if has(.user) {
      guard let address = ServiceAddress.user() else {
        throw .badEnvironment("--user needs $XDG_RUNTIME_DIR, which is not set")
      }
      return address
    }
    return .standard()
  }
}
