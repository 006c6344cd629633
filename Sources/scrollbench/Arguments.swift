// The command line of a benchmark.

/// The command line of a benchmark: its name and its options with values.
struct Arguments {
  /// What is wrong with the command line.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  let name: String
  private var values: [String: String] = [:]

  init(_ arguments: [String]) throws(Problem) {
    guard let name = arguments.first else { throw Problem("which benchmark? ingest, fold or size") }
    self.name = name
    var rest = arguments.dropFirst()
    while let option = rest.popFirst() {
      guard option.hasPrefix("--") else { throw Problem("“\(option)” is no option") }
      guard let value = rest.popFirst() else { throw Problem("\(option) needs a value after it") }
      values[option] = value
    }
  }

  /// Takes a whole number within a range.
  mutating func number(_ option: String, default defaultValue: Int, in range: ClosedRange<Int>) throws(Problem) -> Int {
    guard let text = values.removeValue(forKey: option) else { return defaultValue }
    guard let number = Int(text), range.contains(number) else {
      throw Problem("\(option) is “\(text)”: it must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Takes a text.
  mutating func text(_ option: String) -> String? { values.removeValue(forKey: option) }

  /// Refuses options that nobody took.
  func finish() throws(Problem) {
    if let option = values.keys.sorted().first { throw Problem("\(name) has no option \(option)") }
  }
}
