/// The command line of a benchmark: its name, and options with values.
struct Arguments {
  /// An error in the command line.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  let name: String
  private var values: [String: String] = [:]

  init(_ arguments: [String]) throws(Problem) {
    guard let name = arguments.first else { throw Problem("missing benchmark: choose ingest, fold or size") }
    self.name = name
    var rest = arguments.dropFirst()
    while let option = rest.popFirst() {
      guard option.hasPrefix("--") else { throw Problem("“\(option)” is not an option") }
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

  /// Removes and returns an option's value.
  mutating func text(_ option: String) -> String? { values.removeValue(forKey: option) }

  /// Throws if options are left.
  func finish() throws(Problem) {
    if let option = values.keys.sorted().first { throw Problem("\(name) has no option \(option)") }
  }
}
