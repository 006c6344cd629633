import ScrollModel

extension Timeline {
  /// A session over time under one policy.
  public struct Band: Equatable, Sendable {
    /// A trigger that changed something.
    public struct Mark: Equatable, Sendable {
      /// The time in microseconds from the drawing's beginning.
      public let time: Int64
      /// The event's index, 0 for the first.
      public let event: Int
      /// The clause that decided.
      public let reason: Reason
      /// Whether the toolbar turned, and not only what last changed it.
      public let isFlip: Bool
      /// Whether the toolbar turned back so soon that it flickered.
      public let isFlicker: Bool
      /// The content's offset.
      public let offset: Double?
    }

    /// The policy.
    public let policy: Policy
    /// 1 while the toolbar is hidden, else 0.
    public let hidden: StepSeries
    /// 1 while one more pull at the bottom shows the toolbar, else 0.
    public let latch: StepSeries
    /// The page, 0 for the first, if the view has more than one.
    public let page: StepSeries
    /// The triggers, in order.
    public let marks: [Mark]

    init(_ policy: Policy, _ events: [Event], _ drawn: ClosedRange<Int64>, isHorizontal: Bool) {
      var state = FoldState()
      var hidden = StepSeries()
      var latch = StepSeries()
      var page = StepSeries()
      var marks: [Mark] = []
      var clock = SessionClock()
      var flickers = FlickerDetector()
      for (index, event) in events.enumerated() {
        let step = policy.step(&state, event)
        let time = clock.advance(to: event.time)
        hidden.append(state.toolbar == .hidden ? 1 : 0, at: time)
        latch.append(state.bottomLatch ? 1 : 0, at: time)
        if let place = state.pager.index, state.pager.count ?? 1 > 1 { page.append(Double(place), at: time) }
        let isFlip = step.changed.contains(.toolbar)
        let isFlicker = flickers.add(clock, turned: isFlip) != nil
        if let reason = step.reason, drawn.contains(time), !step.changed.isDisjoint(with: [.toolbar, .trigger]) {
          let offset = isHorizontal ? state.geometry.x : state.geometry.y
          marks.append(
            Mark(
              time: time - drawn.lowerBound, event: index, reason: reason, isFlip: isFlip, isFlicker: isFlicker,
              offset: offset))
        }
      }
      self.policy = policy
      self.hidden = hidden.cropped(to: drawn)
      self.latch = latch.cropped(to: drawn)
      self.page = page.cropped(to: drawn)
      self.marks = marks
    }
  }
}
