import ScrollModel

extension Explanation {
  /// The explanation as lines for a terminal.
  ///
  ///     The toolbar is hidden (policy safari).
  ///     Event 4, a scroll at +0.055 s, hid it: the user had scrolled down 35 points; 10 are enough to hide.
  ///         travelDown 35 ≥ hideDistance 10
  ///     To show it:
  ///       - scroll up 10 points, to 25
  ///
  /// Times count from the session's first event, by a ``SessionClock``.
  ///
  /// - Parameter numbersAreLines: Whether the events' numbers are lines of a file.
  public func lines(numbersAreLines: Bool = false) -> [String] {
    text(numbersAreLines) { NumberText.sinceStart($0.sinceStart) }
  }

  /// The explanation as lines for a terminal.
  ///
  /// - Parameter time: Returns the text for a time in microseconds since the Unix epoch, to follow “at”.
  public func lines(time: (Int64) -> String) -> [String] {
    text(false) { time($0.time) }
  }

  private func text(_ numbersAreLines: Bool, moment: (Decision) -> String) -> [String] {
    let numbered = numbersAreLines ? "Line" : "Event"
    var lines = ["The toolbar is \(toolbar.name) (policy \(policy.name))."]
    if let flip {
      let verb = toolbar == .shown ? "showed" : "hid"
      lines += Self.text(flip, "\(numbered) \(flip.number)", "\(verb) it", moment)
    }
    if let decision, decision != flip {
      lines += Self.text(decision, "\(numbered) \(decision.number)", "left it \(toolbar.name)", moment)
    }
    if decision == nil { lines.append("No trigger has fired yet; a session begins with the toolbar shown.") }
    return lines + notCounted(numbersAreLines) + prospects
  }

  private static func text(
    _ decision: Decision, _ event: String, _ effect: String, _ moment: (Decision) -> String
  ) -> [String] {
    [
      "\(event), a \(decision.kind.name) at \(moment(decision)), \(effect): "
        + "\(decision.reason.sentence).",
      "    \(NumberText.rounded(in: decision.reason.description))",
    ]
  }

  private func notCounted(_ numbersAreLines: Bool) -> [String] {
    guard !uncounted.isEmpty else { return [] }
    let heading = flip == nil ? "So far, this did not count:" : "Since it turned, this did not count:"
    return [heading] + uncounted.map { "  - \($0.text(numbersAreLines: numbersAreLines))" }
  }

  private var prospects: [String] {
    let turn = toolbar == .shown ? "hide" : "show"
    var lines: [String] = []
    if ways.isEmpty {
      lines.append("Nothing that the user can do now would \(turn) it:")
    } else {
      lines.append("To \(turn) it:")
      lines += ways.map { "  - \($0.text)" }
      if !obstacles.isEmpty { lines.append("But note:") }
    }
    return lines + obstacles.map { "  - \($0.text)" }
  }
}
