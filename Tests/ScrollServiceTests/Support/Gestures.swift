// Events that tests send.

import ScrollJSON
import ScrollModel
import Varlink

/// Events that tests send, as JSON.
enum Gestures {
  static let time: Int64 = 1_600_000_000_000_000

  /// A page of 390 × 844 points on which there is something to scroll.
  static let layout: JSONTree = [
    "kind": "layout", "time": 1_600_000_000_000_000, "contentWidth": 390, "contentHeight": 5000, "frameWidth": 390,
    "frameHeight": 844,
  ]

  /// The content is moved to an offset by the user.
  static func scroll(_ y: Double) -> JSONTree {
    ["kind": "scroll", "time": .int(time), "x": 0, "y": .number(y)]
  }

  /// `count` events of which each but the first two flips the toolbar.
  static func flips(_ count: Int) -> [JSONTree] {
    (0..<count).map { index in index == 0 ? layout : scroll(index % 2 == 1 ? 100 : 400) }
  }

  /// The events of a session at random.
  static func json(_ events: [Event]) throws -> [JSONTree] { try events.map { try JSONTree(of: $0) } }
}
