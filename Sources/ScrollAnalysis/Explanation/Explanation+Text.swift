// An explanation as lines for people.

import ScrollModel

extension Explanation {
  /// The explanation as lines for a terminal.
  ///
  ///     The toolbar is hidden (policy safari).
  ///     Event 4, a scroll at +0.055 s, hid it: one had scrolled down 35 points; 10 are enough to hide.
  ///         travelDown 35 ≥ hideDistance 10
  ///     It would be shown if one were to
  ///       - scroll up 10 points, to 25
  ///
  /// Times count from the session's first event.
  public func lines() -> [String] {
    lines { time in "+" + NumberText.seconds(time - (start ?? time)) }
  }

  /// The explanation as lines for a terminal.
  ///
  /// - Parameter time: writes a time, microseconds since the Unix epoch, as it should stand after “at”.
  public func lines(time: (Int64) -> String) -> [String] {
    var lines = ["The toolbar is \(toolbar.name) (policy \(policy.name))."]
    if let flip {
      let verb = toolbar == .shown ? "showed" : "hid"
      lines += Self.text(flip, "\(verb) it", time)
    }
    if let decision, decision != flip { lines += Self.text(decision, "left it \(toolbar.name)", time) }
    if decision == nil { lines.append("Nothing has decided yet; a session begins with the toolbar shown.") }
    return lines + prospects
  }

  private static func text(_ decision: Decision, _ effect: String, _ time: (Int64) -> String) -> [String] {
    [
      "Event \(decision.number), a \(decision.kind.name) at \(time(decision.time)), \(effect): "
        + "\(decision.reason.sentence).",
      "    \(decision.reason.description)",
    ]
  }

  private var prospects: [String] {
    let turned = toolbar == .shown ? "hidden" : "shown"
    var lines: [String] = []
    if ways.isEmpty {
      lines.append("Nothing that one can do now would have it \(turned):")
    } else {
      lines.append("It would be \(turned) if one were to")
      lines += ways.map { "  - \($0.text)" }
      if !obstacles.isEmpty { lines.append("But mind:") }
    }
    return lines + obstacles.map { "  - \($0.text)" }
  }
}
