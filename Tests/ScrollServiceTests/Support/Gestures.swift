import ScrollJSON
import ScrollModel
import Varlink

/// Events that tests send, as JSON.
enum Gestures {
  static let time: Int64 = 1_600_000_000_000_000

  /// A page of 390 × 844 points with content to scroll.
  static let layout: JSONTree = [
    "kind": "layout", "time": 1_600_000_000_000_000, "contentWidth": 390, "contentHeight": 5000, "frameWidth": 390,
    "frameHeight": 844,
  ]

  /// The user scrolls to an offset.
  static func scroll(_ y: Double) -> JSONTree {
    ["kind": "scroll", "time": .int(time), "x": 0, "y": .number(y)]
  }

  /// A layout and `count - 1` scrolls up and down, each of which makes a transition.
  static func flips(_ count: Int) -> [JSONTree] {
    (0..<count).map { index in index == 0 ? layout : scroll(index % 2 == 1 ? 100 : 400) }
  }

  /// Events as JSON.
  static func json(_ events: [Event]) throws -> [JSONTree] { try events.map { try JSONTree(of: $0) } }
}
