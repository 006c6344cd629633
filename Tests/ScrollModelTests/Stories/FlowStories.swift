import ScrollModel
import ScrollTesting
import Testing

/// Content of 2,000 points in a frame of 800, with the bottom at 1,200, unless a story says otherwise.
@Suite("Toolbars in the page's flow, and toolbars that the app needs")
struct FlowStories {
  private static func article(_ policy: Policy = .safari) -> Story {
    var story = Story(policy)
    story.layout(contentHeight: 2000, frameHeight: 800)
    return story
  }

  // MARK: Scroll anchoring

  /// The content grows by 400 above the offset, and the browser moves it by 400.
  @Test("A movement as far as the content grew is scroll anchoring, though nobody labelled it")
  func unlabelledAnchoringIsNotTravel() {
    var story = Self.article()
    story.scroll(300)
    story.scroll(309).decidesNothing()
    story.layout(contentHeight: 2400)
    story.scroll(709).decidesNothing()
    // The 9 points before still count.
    story.scroll(710).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// The header of 100 collapses, and the browser moves the content up by only 60.
  @Test("A movement of a part of a small growth is taken for anchoring once, but not twice in a row")
  func aGuessIsNotRepeated() {
    var story = Self.article()
    story.scroll(500)
    story.scroll(520).hides("travelDown 20 ≥ hideDistance 10")
    story.layout(contentHeight: 1900)
    story.scroll(460).decidesNothing()
    #expect(story.state.memory.guessed)
    story.layout(contentHeight: 1800)
    story.scroll(400).shows("travelUp 60 ≥ showDistance 10")
  }

  /// 400 is more than twice the minimum range.
  @Test("A movement of a part of a great growth is the user's")
  func aPartOfAGreatGrowthIsTravel() {
    var story = Self.article()
    story.scroll(500)
    story.layout(contentHeight: 2400)
    story.scroll(520).hides("travelDown 20 ≥ hideDistance 10")
  }

  @Test("A pull and a layout with an offset rule anchoring out")
  func aPullIsTheUsers() {
    var story = Self.article()
    story.scroll(500)
    story.layout(contentHeight: 2020)
    story.dragBegin(500)
    story.scroll(520, pan: -20).hides("travelDown 20 ≥ hideDistance 10")

    story = Self.article()
    story.scroll(500)
    story.layout(contentHeight: 2020, y: 500)
    story.scroll(520).hides("travelDown 20 ≥ hideDistance 10")
  }

  // MARK: The bar's own room

  /// The page scrolls 200 points. Without its header of 200 nothing scrolls.
  @Test("A header whose collapse leaves nothing to scroll collapses once")
  func aHighHeaderCollapsesOnce() {
    var story = Story()
    story.layout(contentHeight: 1000, frameHeight: 800)
    story.scroll(0)
    story.scroll(20).hides("travelDown 20 ≥ hideDistance 10")
    story.layout(contentHeight: 800, y: 0).shows("nothing scrolls: range 0 ≤ edgeTolerance 2")
    story.layout(contentHeight: 1000)
    for offset in stride(from: 10.0, through: 200, by: 10) { story.scroll(offset).decidesNothing() }
    // Longer content at which nothing like that has happened.
    story.layout(contentHeight: 1200, y: 200)
    story.scroll(220).hides("travelDown 20 ≥ hideDistance 10")
  }

  /// The frame shrinks from 800 to 700 points, as when a phone is turned, so that the page scrolls twice the minimum range.
  @Test("A page that was too short hides its bar in a frame in which it scrolls far enough")
  func aPageIsTooShortForItsFrameOnly() {
    var story = Story()
    story.layout(contentHeight: 1000, frameHeight: 800)
    story.scroll(0)
    story.scroll(20).hides("travelDown 20 ≥ hideDistance 10")
    story.layout(contentHeight: 800, y: 0).shows("nothing scrolls: range 0 ≤ edgeTolerance 2")
    story.layout(contentHeight: 1000)
    story.scroll(20).decidesNothing()
    story.layout(contentHeight: 1000, frameHeight: 700)
    story.scroll(40).hides("travelDown 20 ≥ hideDistance 10")
  }

  /// The header of 60 collapses, and the page moves back to the top.
  @Test("The collapse of a header near the top does not show it again", arguments: [Event.Source.layout, nil])
  func aCollapseNearTheTopIsNoArrival(_ source: Event.Source?) {
    var story = Self.article()
    story.scroll(0)
    story.scroll(40).hides("travelDown 40 ≥ hideDistance 10")
    story.layout(contentHeight: 1940)
    story.scroll(0, by: source).decidesNothing()
    story.scrollEnd(0).decidesNothing()
    story.scroll(-20).shows("pulled up at the top: offset 0, top 0")
  }

  /// Revealed, the bar takes 200 from the frame: the bottom moves from 1,200 to 1,400.
  @Test("The room that a revealed bar takes does not end its hold")
  func theBarsOwnRoomKeepsTheHold() {
    var story = Self.article()
    story.scroll(1000)
    story.scroll(1200).hides("travelDown 200 ≥ hideDistance 10")
    story.scrollEnd(1200)
    story.scroll(1200, pan: -5).shows("bottomLatch and a pull down of 5")
    story.layout(frameHeight: 600)
    #expect(story.state.memory.slack == 200)
    story.scroll(1250, pan: -55).decidesNothing()
    #expect(story.state.memory.held)
    story.scroll(1049)
    #expect(!story.state.memory.held)
    #expect(story.state.memory.slack == 0)
  }

  // MARK: hideOffset

  @Test("Within hideOffset of the top the toolbar never hides")
  func hideOffsetKeepsTheToolbarNearTheTop() {
    var story = Story { $0.hideOffset = 86 }
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(0)
    story.scroll(85).decidesNothing()
    // Travel within the offset does not count.
    story.scroll(94).decidesNothing()
    story.scroll(96).hides("travelDown 11 ≥ hideDistance 10")
  }

  @Test("A program's scroll from beyond hideOffset to the top shows the toolbar")
  func hideOffsetDoesNotShow() {
    var story = Story { $0.hideOffset = 86 }
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(100)
    story.scroll(120).hides("travelDown 20 ≥ hideDistance 10")
    story.scroll(50, by: .program).decidesNothing()
    story.scroll(0, by: .program).shows("at the top: offset 0, top 0")
  }

  // MARK: Pinned

  @Test("Pinning shows a hidden toolbar, and while pinned it neither scrolls nor zooms away")
  func aPinnedToolbarIsShown() {
    var story = Self.article()
    story.scroll(300)
    story.scroll(320).hides("travelDown 20 ≥ hideDistance 10")
    story.layout(toolbarPinned: true).shows("toolbarPinned: the app needs its bar")
    #expect(story.state.trigger == .pinned)
    story.scroll(600).decidesNothing()
    story.zoom(2).decidesNothing()
    story.zoom(1)
    story.zoomEnd()
    story.layout(toolbarPinned: false).decidesNothing()
    // What was scrolled while pinned does not count.
    story.scroll(609).decidesNothing()
    story.scroll(610).hides("travelDown 10 ≥ hideDistance 10")
  }

  // MARK: Directions

  /// Short content grows while the user scrolls down, and the next movement is upwards.
  @Test("Upward movement never hides, whatever was scrolled down before")
  func upwardMovementNeverHides() {
    var story = Story()
    story.layout(contentHeight: 900, frameHeight: 800)
    story.scroll(0)
    story.scroll(90).decidesNothing()
    story.layout(contentHeight: 3000)
    story.scroll(88).decidesNothing()
  }

  @Test("A swipe that began sideways and then turns down scrolls")
  func aSwipeThatTurnsScrolls() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(300, x: 40, pan: -5, panX: -100)
    story.scroll(309, x: 40, pan: -14, panX: -100).decidesNothing()
    story.scroll(310, x: 40, pan: -15, panX: -100).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// A sideways swipe that moves nothing vertically is no reason to start again.
  @Test("A sideways swipe without vertical movement keeps the travel so far")
  func aSidewaysSwipeKeepsTheTravel() {
    var story = Self.article()
    story.scroll(300)
    story.scroll(309).decidesNothing()
    story.dragBegin(309)
    story.scroll(309, x: 80, pan: 0, panX: -80).decidesNothing()
    story.dragEnd(309, x: 80)
    story.scroll(310).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// After the drag's end, a wheel's first push of −4 is a pull of 4, not of −6 against the drag's −10.
  @Test("Translations start again at 0 after a drag")
  func translationsStartAgainAfterADrag() {
    var story = Self.article()
    story.dragBegin(1000)
    story.scroll(1010, pan: -10).hides("travelDown 10 ≥ hideDistance 10")
    story.dragEnd(1200, pan: -10)
    story.scrollEnd(1200)
    story.scroll(1200, pan: -4).shows("bottomLatch and a pull down of 4")
  }

  /// In the second swipe the finger has moved 58 sideways, not 2 more than in the first one.
  @Test("A second swipe sideways is one, although the first one went as far")
  func sidewaysTranslationsStartAgainAfterADrag() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(300, pan: 0, panX: -60).decidesNothing()
    story.dragEnd(300, pan: 0)
    story.dragBegin(300)
    story.scroll(312, pan: -12, panX: -58).decidesNothing()
  }

  @Test("A minimum zoom scale that rises to the present scale is zooming out")
  func aRisingMinimumZoomsOut() {
    var story = Self.article()
    story.scroll(300)
    story.zoom(2).hides("zoomScale 2 grew beyond 1.05")
    story.zoomEnd()
    story.layout(minimumZoomScale: 1.5).decidesNothing()
    story.layout(minimumZoomScale: 2).shows("zoomScale 2 ≤ 2.01 after zooming in")
  }
}
