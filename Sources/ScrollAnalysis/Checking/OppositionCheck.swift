import ScrollModel

/// Translations that run against the content: they have the wrong sign, or don't count from where the drag began.
struct OppositionCheck {
  /// How many events in a row, and how many points, are more than an app that shifts its content.
  private static let longestShift = (events: 3, points: 30.0)
  /// How many events at most there are for each such event, if the translations are wrong and not the content.
  private static let rarity = 3

  private var against: Finding?
  /// The same, in single events.
  private var single: Finding?
  private var follows = 0
  private var inRuns = 0
  private var run = (events: 0, points: 0.0, number: Int64(0), counted: 0)

  var findings: [Finding] { [against ?? (isFrequent ? single : nil)].compactMap { $0 } }

  /// Whether several events in a row ran against the content, so that the translations are wrong.
  var hasRun: Bool { against != nil }

  /// Whether wrong translations explain most of the content's movement against them, so that nothing has shifted it.
  var explainsMost: Bool { isFrequent || (inRuns > 0 && inRuns * 2 >= single?.count ?? 0) }

  private var isFrequent: Bool {
    guard let count = single?.count, count >= Self.longestShift.events else { return false }
    return count * Self.rarity >= count + follows
  }

  mutating func add(_ step: CheckedEvent) {
    guard step.isMotion, step.isUsers, step.event.translationY != nil, step.pull * step.moved > 0 else {
      guard step.isMotion, step.event.translationY != nil, step.pull != 0 || step.moved != 0 else { return }
      run = (0, 0, 0, 0)
      if step.isUsers, step.pull * step.moved < 0 { follows += 1 }
      return
    }
    let change = "translationY \(step.moved > 0 ? "grew" : "fell")"
    let amount = "the content moved \(step.moved > 0 ? "down" : "up")"
    let cause = "so it has the wrong sign, or is not the distance since the drag began"
    single.note(
      .translationsAgainstContent, step, "\(change) while \(amount) \(CheckedEvent.points(step.moved)), \(cause)")
    if run.events == 0 { run.number = step.number }
    run.events += 1
    run.points += step.moved.magnitude
    guard run.events >= Self.longestShift.events, run.points >= Self.longestShift.points else { return }
    inRuns += run.events - run.counted
    run.counted = run.events
    against.note(
      .translationsAgainstContent, step,
      "\(change) while \(amount) \(CheckedEvent.points(run.points)) in \(run.events) events since \(run.number), \(cause)"
    )
  }
}
