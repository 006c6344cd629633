import ScrollModel

/// A search for mistakes of the feeder in a session's events.
///
///     var checker = FeedChecker()
///     for (index, event) in events.enumerated() { checker.add(event, number: Int64(index + 1)) }
///     for finding in checker.findings { print("\(finding.number): \(finding.text)") }
///
/// It looks at what the events say about each other, not at what a policy makes of them. Its size does not depend on the
/// session's length.
public struct FeedChecker: Sendable {
  private let policy = Policy.safari
  private var state = FoldState()
  private var times = TimeCheck()
  private var sizes = SizeCheck()
  private var offsets = OffsetCheck()
  private var translations = TranslationCheck()
  private var opposition = OppositionCheck()
  private var distances = PerEventCheck()
  private var momentum = MomentumCheck()
  private var layouts = LayoutCheck()
  private var sources = SourceCheck()
  private var pushes = PushCheck()

  /// Creates a checker for a session.
  public init() {}

  /// Checks the session's next event.
  ///
  /// - Parameter number: The event's number in the session, or its line in a file.
  public mutating func add(_ event: Event, number: Int64) {
    let before = state
    _ = policy.step(&state, event)
    let step = CheckedEvent(event, number: number, from: before, to: state)
    times.add(step)
    sizes.add(step)
    offsets.add(step)
    translations.add(step)
    opposition.add(step)
    distances.add(step)
    momentum.add(step)
    layouts.add(step)
    sources.add(step)
    pushes.add(step)
  }

  /// What looks wrong, one finding per problem, in the order of the events that first show it.
  public var findings: [Finding] {
    let distances = distances.findings
    // Wrong translations seem to show shifts of the content, too.
    let isTrusted = distances.isEmpty && !opposition.explainsMost
    var found = times.findings + sizes.findings + offsets.findings
    found += translations.findings + momentum.findings + layouts.findings
    found += distances.isEmpty ? opposition.findings : distances
    found += sources.findings(trustsTranslations: isTrusted) + pushes.findings
    return found.sorted { ($0.number, "\($0.problem.name)") < ($1.number, "\($1.problem.name)") }
  }
}
