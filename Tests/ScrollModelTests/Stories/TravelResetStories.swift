import ScrollModel
import ScrollTesting
import Testing

/// What restarts the measurement of travel and what doesn't, each alone and after each other.
@Suite("Travel and what restarts it")
struct TravelResetStories {
  /// An event between two scrolls in one direction.
  enum Cause: CaseIterable {
    case zoomBegin, zoom, zoomEnd, sideways, sidewaysWithoutMoving, layout, program, relayout, againstTheFinger,
      dragBegin

    /// Whether what was travelled before it no longer counts.
    var restarts: Bool {
      switch self {
      case .zoomBegin, .zoom, .zoomEnd, .sideways: true
      case .sidewaysWithoutMoving, .layout, .program, .relayout, .againstTheFinger, .dragBegin: false
      }
    }

    /// Adds it to a story.
    func happen(to story: inout Story, at y: inout Double, _ panX: inout Double) {
      switch self {
      case .zoomBegin: story.zoomBegin(1)
      case .zoom: story.zoom(1)
      case .zoomEnd: story.zoomEnd(1)
      case .sideways:
        panX += 100
        y += 0.25
        story.scroll(y, pan: 0, panX: panX)
      case .sidewaysWithoutMoving:
        panX += 100
        story.scroll(y, pan: 0, panX: panX)
      case .layout: story.layout(insetTop: 0)
      case .program:
        y += 50
        story.scroll(y, by: .program)
      case .relayout:
        y += 50
        story.scroll(y, by: .layout)
      case .againstTheFinger:
        // The finger moved up, and the app shifted the content up as well.
        y -= 20
        story.scroll(y, pan: -20)
        story.dragBegin(y)
        panX = 0
      case .dragBegin:
        story.dragBegin(y)
        panX = 0
      }
    }
  }

  private static let chains: [[Cause]] =
    Cause.allCases.map { [$0] } + Cause.allCases.flatMap { first in Cause.allCases.map { [first, $0] } }

  @Test("Travel counts through some events and not through others", arguments: chains, [false, true])
  func travelAfterCauses(causes: [Cause], isUpwards: Bool) {
    var story = Story()
    story.layout(contentHeight: 5000, frameHeight: 800)
    var y = 1000.0
    var panX = 0.0
    story.scroll(y)
    // To travel up, the toolbar has to be hidden first.
    if isUpwards {
      y += 10
      story.scroll(y).hides("travelDown 10 ≥ hideDistance 10")
    }
    y += isUpwards ? -9 : 9
    story.scroll(y).decidesNothing()
    let before = (down: story.state.memory.travelDown, up: story.state.memory.travelUp)
    #expect((isUpwards ? before.up : before.down) == 9)
    for cause in causes { cause.happen(to: &story, at: &y, &panX) }
    let after = (down: story.state.memory.travelDown, up: story.state.memory.travelUp)
    let restarts = causes.contains(where: \.restarts)
    #expect(after == (restarts ? (0, 0) : before))
    if story.state.memory.zooming { return }
    let hadToolbar = story.state.toolbar
    y += isUpwards ? -1 : 1
    story.scroll(y)
    #expect((story.state.toolbar != hadToolbar) == !restarts)
  }
}
