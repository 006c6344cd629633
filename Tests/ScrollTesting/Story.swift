import ScrollModel
import Testing

/// A session that a test writes event by event, with the expected result of each:
///
///     var story = Story()
///     story.layout(contentHeight: 2000, frameHeight: 800)
///     story.dragBegin(0)
///     story.scroll(9, pan: -9).decidesNothing()
///     story.scroll(10, pan: -10).hides("travelDown 10 ≥ hideDistance 10")
///
/// Events are 16 ms apart. The unnamed offset is vertical, and an omitted offset is 0.
public struct Story {
  /// The policy that folds.
  public let policy: Policy
  /// The state after the events so far.
  public private(set) var state = FoldState()
  private var time: Int64 = 0

  /// Creates a story without events.
  public init(_ policy: Policy = .safari) { self.policy = policy }

  /// Creates a story of the default rule with some parameters changed.
  public init(_ change: (inout SafariRule) -> Void) {
    var rule = SafariRule()
    change(&rule)
    self.init(Policy(name: "tuned", rule: .safari(rule)))
  }

  /// A size or an inset changed. Omitted fields are absent.
  @discardableResult public mutating func layout(
    contentHeight: Double? = nil, frameHeight: Double? = nil, contentWidth: Double? = nil, frameWidth: Double? = nil,
    insetTop: Double? = nil, insetBottom: Double? = nil, minimumZoomScale: Double? = nil, rightToLeft: Bool? = nil,
    pageWidth: Double? = nil, toolbarPinned: Bool? = nil, x: Double? = nil, y: Double? = nil
  ) -> Moment {
    tell(.layout) {
      $0.contentHeight = contentHeight
      $0.frameHeight = frameHeight
      $0.contentWidth = contentWidth
      $0.frameWidth = frameWidth
      $0.insetTop = insetTop
      $0.insetBottom = insetBottom
      $0.minimumZoomScale = minimumZoomScale
      $0.rightToLeft = rightToLeft
      $0.pageWidth = pageWidth
      $0.toolbarPinned = toolbarPinned
      $0.x = x
      $0.y = y
    }
  }

  /// A finger began to drag.
  @discardableResult public mutating func dragBegin(_ y: Double, x: Double = 0) -> Moment {
    tell(.dragBegin) { ($0.x, $0.y) = (x, y) }
  }

  /// The content scrolled, or the user pulled at it.
  @discardableResult public mutating func scroll(
    _ y: Double = 0, x: Double = 0, pan: Double? = nil, panX: Double? = nil, by source: Event.Source? = nil
  ) -> Moment {
    tell(.scroll) {
      ($0.x, $0.y) = (x, y)
      ($0.translationX, $0.translationY) = (panX, pan)
      $0.source = source
    }
  }

  /// The finger left.
  @discardableResult public mutating func dragEnd(_ y: Double, x: Double = 0, pan: Double? = nil) -> Moment {
    tell(.dragEnd) {
      ($0.x, $0.y) = (x, y)
      $0.translationY = pan
    }
  }

  /// Scrolling stopped.
  @discardableResult public mutating func scrollEnd(
    _ y: Double, x: Double = 0, by source: Event.Source? = nil
  ) -> Moment {
    tell(.scrollEnd) {
      ($0.x, $0.y) = (x, y)
      $0.source = source
    }
  }

  /// A pinch began.
  @discardableResult public mutating func zoomBegin(_ scale: Double? = nil) -> Moment {
    tell(.zoomBegin) { $0.zoomScale = scale }
  }

  /// The zoom scale changed.
  @discardableResult public mutating func zoom(_ scale: Double, x: Double? = nil, y: Double? = nil) -> Moment {
    tell(.zoom) {
      $0.zoomScale = scale
      ($0.x, $0.y) = (x, y)
    }
  }

  /// The pinch ended.
  @discardableResult public mutating func zoomEnd(_ scale: Double? = nil, y: Double? = nil) -> Moment {
    tell(.zoomEnd) {
      $0.zoomScale = scale
      $0.y = y
    }
  }

  private mutating func tell(_ kind: Event.Kind, _ change: (inout Event) -> Void) -> Moment {
    time += 16_000
    var event = Event(kind, time: time)
    change(&event)
    let before = state
    let step = policy.step(&state, event)
    return Moment(before: before, after: state, step: step)
  }
}
