extension [UInt8] {
  /// Whether these bytes contain others.
  func contains(subsequence wanted: [UInt8]) -> Bool {
    guard let first = wanted.first, count >= wanted.count else { return false }
    return (0...(count - wanted.count)).contains {
      self[$0] == first && self[$0..<($0 + wanted.count)].elementsEqual(wanted)
    }
  }
}
