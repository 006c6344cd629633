/// A group of cases. Each can be run alone, since it depends on the seed and its index only.
protocol Suite: Sendable {
  /// What the cases do, in a few words.
  var title: String { get }
  /// How many cases it may have. Not every index is a case, since recoveries differ in length.
  var count: Int { get }
  /// How many consecutive cases share their beginning and are best run together.
  var stride: Int { get }

  /// Runs the cases of some indices, all within one stride.
  func run(_ cases: Range<Int>, _ report: inout Report)
}
