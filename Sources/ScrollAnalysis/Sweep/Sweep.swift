import ScrollModel

/// A policy folded over the same sessions with one parameter at several values, to find the smallest value that does not
/// flicker.
///
///     let sweep = try Sweep(.safari, parameter: "hideDistance", values: [5, 10, 20], sessions: [events])
///     sweep.smallestWithoutFlickers   // 10
public struct Sweep: Sendable {
  /// A value of the parameter and what the policy does with it.
  public struct Row: Sendable {
    /// The value.
    public let value: Double
    /// The policy's numbers over all sessions.
    public let tally: PolicyTally
  }

  /// The name of the policy.
  public let policy: String
  /// The parameter's name.
  public let parameter: String
  /// A row for each value, in the order of the values.
  public let rows: [Row]

  /// Folds sessions once for each value.
  ///
  /// - Parameters:
  ///   - closings: The time of each session's closing, as for ``Comparison``.
  ///   - progress: Called now and then with how many sessions were folded, each once for each value.
  /// - Throws: `Policy.ParameterError` if the policy's rule has no such parameter or the parameter can't have a value.
  public init(
    _ policy: Policy, parameter: String, values: [Double], sessions: [[Event]], closings: [Int64?] = [],
    progress: (Int64) -> Void = { _ in }
  ) throws(Policy.ParameterError) {
    var rows: [Row] = []
    for (index, value) in values.enumerated() {
      var changed = policy
      try changed.set(parameter, to: shortest(value))
      let comparison = Comparison([changed], sessions: sessions, closings: closings) { folded in
        progress(Int64(index * sessions.count) + folded)
      }
      rows.append(Row(value: value, tally: comparison.tallies[0]))
    }
    self.policy = policy.name
    self.parameter = parameter
    self.rows = rows
  }

  /// Checks that a policy can have a parameter's values.
  ///
  /// - Throws: `Policy.ParameterError`, as ``init(_:parameter:values:sessions:closings:)``.
  public static func check(_ policy: Policy, parameter: String, values: [Double]) throws(Policy.ParameterError) {
    _ = try Sweep(policy, parameter: parameter, values: values, sessions: [])
  }

  /// The smallest value with which the toolbar never turns back within ``PolicyTally/flickerTime``; `nil` if there is none.
  public var smallestWithoutFlickers: Double? {
    rows.filter(\.tally.flickers.isEmpty).map(\.value).min()
  }

  /// The sweep as lines for a terminal: a table with a row for each value, then the smallest value without flickers.
  public var lines: [String] { table(fitting: .max).lines + ["", conclusion] }

  /// The table for a terminal, with a row for each value. Headings are shortened, and then columns are left out.
  ///
  /// - Parameter width: The most columns of characters that a line should have.
  /// - Returns: The lines, and the headings of the columns that are left out.
  public func table(fitting width: Int) -> (lines: [String], leftOut: [String]) {
    let wide = table(isNarrow: false).lines
    if wide.allSatisfy({ $0.count <= width }) { return (wide, []) }
    return table(isNarrow: true).narrowed(to: width, shortening: [], leavingOut: [2, 4])
  }

  private func table(isNarrow: Bool) -> TextTable {
    var rest = rows.map { shortest($0.value) }[...]
    return PolicyTally.table(rows.map(\.tally), heading: parameter, isNarrow: isNarrow) { _ in rest.popFirst() ?? "" }
  }

  /// The smallest value without flickers, as a sentence.
  public var conclusion: String {
    let smallest = smallestWithoutFlickers.map { "Of these, the smallest without flickers is \(shortest($0))" }
    return "\(smallest ?? "The toolbar flickers with each of these values"), under the policy \(policy)."
  }
}

/// The values of a sweep, written `FROM..TO` or `FROM..TO:STEP`.
public enum SweepRange {
  /// The most values of a sweep.
  public static let maximumCount = 1000

  /// What is wrong with a range.
  public enum Problem: Error, Equatable, CustomStringConvertible {
    case noDots(String)
    case badBound(name: String, String)
    case descends(from: String, to: String)
    case badStep(String)
    case tooMany(Double, smallestStep: Double)

    /// The problem, and what would be right.
    public var description: String {
      switch self {
      case .noDots(let text): "“\(text)” must have two dots between FROM and TO, as in 5..40"
      case .badBound(let name, let text): "\(name) is “\(text)”: it must be a number of 0 or more"
      case .descends(let from, let to): "FROM is \(from), which is more than TO, which is \(to)"
      case .badStep(let text): "STEP is “\(text)”: it must be a number above 0"
      case .tooMany(let count, let step):
        "these are \(NumberText.rounded(count, places: 0)) values, and at most \(maximumCount) are possible: use a STEP of "
          + "\(NumberText.rounded(step, places: 9)) or more"
      }
    }
  }

  /// Returns the values from the first to the last.
  ///
  /// With a step, these are the first value and those that are one or more steps above it. Without a step, these are both ends
  /// and the multiples of a round number between them, at most 25 values. None has a rounding error in its shortest form:
  /// `0.3`, not `0.30000000000000004`.
  ///
  /// - Throws: ``Problem`` if the text is not a range.
  public static func values(_ text: Substring) throws(Problem) -> [Double] {
    let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let dots = halves[0].firstRange(of: "..") else { throw .noDots(String(text)) }
    let (from, to) = (halves[0][..<dots.lowerBound], halves[0][dots.upperBound...])
    guard let first = number(from) else { throw .badBound(name: "FROM", String(from)) }
    guard let last = number(to) else { throw .badBound(name: "TO", String(to)) }
    guard first <= last else { throw .descends(from: String(from), to: String(to)) }
    guard halves.count == 2 else { return roundValues(first, last) }
    guard let step = number(halves[1]), step > 0 else { throw .badStep(String(halves[1])) }
    let count = ((last - first) / step * (1 + 1e-12)).rounded(.down) + 1
    guard count <= Double(maximumCount) else {
      throw .tooMany(count, smallestStep: (last - first) / Double(maximumCount - 1))
    }
    return (0..<Int(count)).map { withoutRoundingError(first + Double($0) * step) }
  }

  private static func roundValues(_ first: Double, _ last: Double) -> [Double] {
    let round = AxisTicks(first...last, room: 20).values.map(withoutRoundingError)
    let between = round.filter { $0 > first && $0 < last }
    return first == last ? [first] : [first] + between + [last]
  }

  private static func withoutRoundingError(_ value: Double) -> Double {
    Double(NumberText.rounded(value, places: 9)) ?? value
  }

  private static func number(_ text: Substring) -> Double? {
    // Double also reads hexadecimal numbers, infinity and NaN.
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || ".e-+".contains($0)) }), let number = Double(text),
      number.isFinite, number >= 0
    else { return nil }
    return number
  }
}
