// A family of cases.

/// A family of cases. Each can be run alone: what it does depends on the seed and its index only.
protocol Suite: Sendable {
  /// What is tried, in a few words.
  var title: String { get }
  /// How many cases it may have. Not every index is one, since recoveries differ in length.
  var count: Int { get }
  /// How many cases, one after the other, are best done at once, since they have their beginning in common.
  var stride: Int { get }

  /// Runs the cases of some indices, all of them within one stride.
  func run(_ cases: Range<Int>, _ report: inout Report)
}
