import ScrollModel

/// Content that shifts by a relayout, in scrolls that are said to be the user's.
struct SourceCheck {
  /// How far a finger may seem to run against the content by rounding, in points.
  private static let shortest = 10.0

  /// The user may reach the top right after the content has shrunk, once.
  private static let patience = 2

  private var shift: Finding?
  private var opposed: Finding?
  private var returned: Finding?

  /// What was found.
  ///
  /// - Parameter trustsTranslations: Whether content that moves against the translations was shifted. If the translations
  ///   are wrong, it was not.
  func findings(trustsTranslations: Bool) -> [Finding] {
    let shifts = trustsTranslations ? shift?.joined(with: opposed) ?? opposed : shift
    return [shifts ?? returned.flatMap { $0.count >= Self.patience ? $0 : nil }].compactMap { $0 }
  }

  mutating func add(_ step: CheckedEvent) {
    guard step.isMotion, step.isUsers,
      let (cause, moved) = SafariRule().uncountedMovement(of: step.event, after: step.before)
    else { return }
    let amount = "the content moved \(moved < 0 ? "up" : "down") \(CheckedEvent.points(moved))"
    let label = "and the event names \(step.event.source == nil ? "no source" : "the user as its source")"
    switch cause {
    case .anchoring(let grown, isExact: true) where moved != 0:
      let change = grown < 0 ? "shrunk" : "grown"
      shift.note(.unlabelledShift, step, "\(amount), just as far as it had \(change), \(label)")
    case .anchoring(let grown, isExact: false) where grown < 0 && step.bounds.isAtTop:
      returned.note(
        .unlabelledShift, step,
        "\(amount), to the top, after it had shrunk by \(CheckedEvent.points(grown)), \(label)")
    case .againstFinger where moved.magnitude >= Self.shortest:
      opposed.note(.unlabelledShift, step, "\(amount) against the finger, \(label)")
    case .layout, .program, .anchoring, .againstFinger, .zooming, .firstOffset, .sideways: break
    }
  }
}
