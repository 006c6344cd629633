import ScrollModel

extension Trigger {
  /// The sign of the trigger in drawings and narrow tables.
  ///
  /// - Parameter isASCII: Whether it must be an ASCII character.
  func sign(isASCII: Bool = false) -> Character {
    switch self {
    case .scrollDown: isASCII ? "v" : "↓"
    case .scrollUp: isASCII ? "^" : "↑"
    case .zoomIn: "+"
    case .zoomOut: isASCII ? "-" : "−"
    case .reachBottom: isASCII ? "b" : "⤓"
    case .pinned: isASCII ? "p" : "⊤"
    }
  }
}
