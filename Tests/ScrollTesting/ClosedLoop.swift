import ScrollModel

/// An app whose toolbar, when it hides or shows, changes what its scroll view scrolls, and a user who scrolls in it.
///
/// The simulation folds every event that the app reports and reacts to every change of the toolbar, as a shell and its page do
/// together. A rule that mistakes the reaction for the user's scrolling turns the toolbar again, and the loop is closed.
public struct ClosedLoop {
  /// What the app changes when the toolbar turns.
  public enum Reaction: CaseIterable, Sendable {
    /// The frame gets the toolbar's room.
    case frame
    /// The toolbar covers an inset above the content.
    case insetTop
    /// The toolbar covers an inset below the content.
    case insetBottom
    /// The toolbar is a header in the content, which collapses. Scroll anchoring moves the offset in an event of its own.
    case content
    /// The same, and the layout's event has the new offset.
    case contentAndOffset
  }

  /// How the user scrolls.
  public enum Input: CaseIterable, Sendable {
    /// Scrolls without translations.
    case wheel
    /// A drag with its translations, then momentum.
    case touch
  }

  /// What the toolbar did while the user scrolled in one direction.
  public struct Run: Equatable, Sendable {
    /// How far the user scrolled, in points, positive downwards. Edges make this less than was asked for.
    public var distance = 0.0
    /// How often the toolbar hid.
    public var hides = 0
    /// How often the toolbar showed.
    public var shows = 0
  }

  /// What the simulated app and user are like.
  public struct Setup: Sendable, CustomStringConvertible {
    /// What the app changes.
    public var reaction: Reaction
    /// How the user scrolls.
    public var input: Input
    /// Whether the app says `layout` where its layout moved the offset.
    public var isLabelled: Bool
    /// The height of the toolbar, in points.
    public var barHeight: Double
    /// The height of the content with the toolbar shown, in points.
    public var contentHeight: Double

    /// Creates a setup from all that it holds.
    public init(reaction: Reaction, input: Input, isLabelled: Bool, barHeight: Double, contentHeight: Double) {
      self.reaction = reaction
      self.input = input
      self.isLabelled = isLabelled
      self.barHeight = barHeight
      self.contentHeight = contentHeight
    }

    /// The setup in words, for reports.
    public var description: String {
      "\(reaction) by \(input), \(isLabelled ? "labelled" : "unlabelled"), bar \(barHeight), content \(contentHeight)"
    }
  }

  /// The state after the events so far.
  public private(set) var state = FoldState()

  private let policy: Policy
  private let setup: Setup
  private var time: Int64 = 1_700_000_000_000_000
  private var y = 0.0
  private var translation: Double?
  private var run = Run()
  /// The toolbar as the app has laid it out.
  private var toolbar = Toolbar.shown

  private static let frameHeight = 800.0

  /// Creates an app at the top of its content, with the toolbar shown.
  public init(_ policy: Policy, _ setup: Setup) {
    self.policy = policy
    self.setup = setup
    y = top
    layOut()
    report(.scroll)
  }

  /// Scrolls in one direction, stops, and returns what the toolbar did.
  ///
  /// - Parameters:
  ///   - distance: how far, in points, positive downwards.
  ///   - step: how far between two events, in points, > 0.
  public mutating func scroll(by distance: Double, step: Double) -> Run {
    run = Run()
    let steps = max(1, Int((distance.magnitude / step).rounded(.up)))
    let part = distance / Double(steps)
    let dragged = setup.input == .touch ? (steps + 1) / 2 : 0
    if dragged > 0 { report(.dragBegin) }
    for index in 0..<steps {
      let before = y
      y = clamped(y + part)
      run.distance += y - before
      translation = index < dragged ? -part * Double(index + 1) : nil
      report(.scroll)
      if index + 1 == dragged { report(.dragEnd) }
    }
    translation = nil
    report(.scrollEnd)
    return run
  }

  // MARK: The view

  private var isShown: Bool { toolbar == .shown }
  private var isInContent: Bool { setup.reaction == .content || setup.reaction == .contentAndOffset }
  private var top: Double { setup.reaction == .insetTop && isShown ? -setup.barHeight : 0 }
  private var contentHeight: Double {
    max(0, setup.contentHeight - (isInContent && !isShown ? setup.barHeight : 0))
  }
  private var frameHeight: Double {
    Self.frameHeight - (setup.reaction == .frame && isShown ? setup.barHeight : 0)
  }
  private var insetBottom: Double { setup.reaction == .insetBottom && isShown ? setup.barHeight : 0 }

  private func clamped(_ offset: Double) -> Double {
    min(max(offset, top), max(top, contentHeight + insetBottom - frameHeight))
  }

  /// Lays out for the toolbar, and moves the offset as browsers do: with the content that the user reads, within the bounds.
  private mutating func layOut() {
    let before = y
    if isInContent, before > 0 { y += isShown ? setup.barHeight : -setup.barHeight }
    y = clamped(y)
    report(.layout)
    if y != before, setup.reaction != .contentAndOffset { report(.scroll, source: setup.isLabelled ? .layout : nil) }
  }

  // MARK: Reports

  private mutating func report(_ kind: Event.Kind, source: Event.Source? = nil) {
    time += 16_667
    var event = Event(kind, time: time)
    if kind == .layout {
      event.contentHeight = contentHeight
      event.frameHeight = frameHeight
      event.insetTop = 0 - top
      event.insetBottom = insetBottom
    }
    if kind != .layout || setup.reaction == .contentAndOffset {
      event.x = 0
      event.y = y
    }
    if kind == .scroll || kind == .dragEnd {
      event.translationX = translation.map { _ in 0 }
      event.translationY = translation
    }
    event.source = source
    _ = policy.step(&state, event)
    react()
  }

  /// Lays out again if the toolbar turned. A loop that never ends stops after many turns, which the run shows.
  private mutating func react() {
    guard state.toolbar != toolbar, run.hides + run.shows < 50 else { return }
    toolbar = state.toolbar
    if isShown { run.shows += 1 } else { run.hides += 1 }
    layOut()
  }
}
