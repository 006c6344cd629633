/// The command line of a benchmark: its name, and options with values.
struct Arguments {
  /// An error in the command line.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  let name: String
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// The options without a value.
  private static let flagNames: Set<String> = ["--json", "--quick"]
  /// What is measured without a name.
  private static let defaultName = "table"

  init(_ arguments: [String]) throws(Problem) {
    var rest = arguments[...]
    // “--help” is the name of what prints the help.
    if let name = rest.first, !name.hasPrefix("--") || name == "--help" {
      self.name = name
      rest = rest.dropFirst()
    } else {
      name = Self.defaultName
    }
    while let option = rest.popFirst() {
      guard option.hasPrefix("--") else { throw Problem("“\(option)” is not an option") }
      if Self.flagNames.contains(option) {
        flags.insert(option)
        continue
      }
      guard let value = rest.popFirst() else { throw Problem("\(option) needs a value") }
      values[option] = value
    }
  }

  /// Removes and returns an option's value as a whole number within a range.
  mutating func number(_ option: String, default defaultValue: Int, in range: ClosedRange<Int>) throws(Problem) -> Int {
    guard let text = values.removeValue(forKey: option) else { return defaultValue }
    guard let number = Int(text), range.contains(number) else {
      throw Problem("\(option) is “\(text)”: it must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Removes and returns an option's value as a whole number within a range, if it was given.
  mutating func optionalNumber(_ option: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    values[option] == nil ? nil : try number(option, default: range.lowerBound, in: range)
  }

  /// Removes and returns an option's value.
  mutating func text(_ option: String) -> String? { values.removeValue(forKey: option) }

  /// Removes an option without a value, and returns whether it was given.
  mutating func flag(_ option: String) -> Bool { flags.remove(option) != nil }

  /// Throws if options are left.
  func finish() throws(Problem) {
    if let option = (Array(values.keys) + flags).sorted().first { throw Problem("\(name) has no option \(option)") }
  }
}
