/// The command line.
struct Arguments {
  private(set) var seed = UInt64.random(in: 0...999_999_999)
  private(set) var caseNumber: Int?
  /// A word in the titles of the suites to run.
  private(set) var word: String?

  /// - Returns: `nil` when they are invalid.
  init?(_ words: ArraySlice<String>) {
    var words = words
    while let option = words.popFirst() {
      guard let value = words.popFirst() else { return nil }
      switch option {
      case "--seed":
        guard let number = UInt64(value) else { return nil }
        seed = number
      case "--case":
        guard let number = Int(value) else { return nil }
        caseNumber = number
      case "--only":
        word = value
      default:
        return nil
      }
    }
  }
}
