import ScrollModel

extension ScrollRequest.Target {
  /// The placeholder of a target in help.
  static let synopsis = "top|bottom|page N|X,Y"

  /// Reads a target from words of the command line; `nil` when they are not a target.
  init?(words: [String]) {
    switch (words.count, words.first) {
    case (1, "top"): self = .top
    case (1, "bottom"): self = .bottom
    case (2, "page"):
      guard let page = Int64(words[1]), page >= 0 else { return nil }
      self = .page(page)
    case (1, let text?):
      let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard parts.count == 2, let x = parts[0], let y = parts[1], x.isFinite, y.isFinite else { return nil }
      self = .offset(x: x, y: y)
    default: return nil
    }
  }

  /// The target in messages: `the top`, `page 2`, `0,120.5`.
  var text: String {
    switch self {
    case .top: "the top"
    case .bottom: "the bottom"
    case .page(let page): "page \(page)"
    case .offset(let x, let y): "\(shortest(x)),\(shortest(y))"
    }
  }
}
