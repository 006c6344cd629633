import ScrollModel

extension Verb {
  /// Warns if a policy decides by the finger's movement, and no event has it.
  static func warnOfClassic(_ policies: [Policy], _ sessions: [LoadedSession]) {
    guard let policy = policies.first(where: { if case .classic = $0.rule { true } else { false } }),
      !sessions.contains(where: { $0.events.contains { $0.translationY != nil } })
    else { return }
    Program.warn(
      "no event has a translationY, by which the policy \(visible(policy.name)) decides: it hides the toolbar at the "
        + "first scroll, and shows it only at the bottom or when somebody zooms")
  }
}
