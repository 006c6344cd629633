import ScrollModel
import ScrollTesting
import Testing

@Suite("The top and the bottom")
struct EdgeStories {
  /// Content of 2,000 points in a frame of 800, with the toolbar hidden on the way to the bottom at 1,200.
  private static func hiddenAtTheBottom(_ story: Story = Story()) -> Story {
    var story = story
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(1000)
    story.scroll(1200).hides("travelDown 200 ≥ hideDistance 10")
    return story
  }

  // MARK: Second pull

  @Test("A second pull at the bottom shows the toolbar")
  func aSecondPullShows() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200).decidesNothing()
    story.dragBegin(1200)
    story.scroll(1205, pan: -10).shows("bottomLatch and a pull down of 10")
    #expect(story.state.memory.held)
  }

  @Test("A drag that begins at the bottom is a second pull even if the scrollEnd was lost")
  func aLostScrollEndIsMadeUpForByTheDrag() {
    var story = Self.hiddenAtTheBottom()
    #expect(!story.state.bottomLatch)
    story.dragBegin(1200)
    #expect(story.state.bottomLatch)
    story.scroll(1200, pan: -1).shows("bottomLatch and a pull down of 1")
  }

  /// A wheel at the bottom reports how far it was turned in total.
  @Test("A wheel that can't move the content pulls by its added-up translation")
  func aWheelPullsWithoutMoving() {
    var story = Self.hiddenAtTheBottom()
    story.scroll(1200, pan: -3).decidesNothing()
    story.scrollEnd(1200)
    // The last reported translation is already −3, so this is not a pull.
    story.scroll(1200, pan: -3).decidesNothing()
    story.scroll(1200, pan: -6).shows("bottomLatch and a pull down of 3")
  }

  /// The offset is 50 points past the bottom, more than the tolerance of 2.
  @Test("Overscroll past the bottom is a pull even without a translation")
  func overscrollIsAPull() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.scroll(1202).decidesNothing()
    story.scroll(1250).shows("bottomLatch and a pull down of 50")
  }

  @Test("Growing content releases the latch")
  func growthClearsTheLatch() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    #expect(story.state.bottomLatch)
    story.layout(contentHeight: 3000).decidesNothing()
    #expect(!story.state.bottomLatch)
    #expect(!story.state.reachBottom)
    story.scroll(1200, pan: -5).decidesNothing()
  }

  @Test("A program's stop at the bottom latches, a relayout's doesn't", arguments: [Event.Source.program, .layout])
  func aProgramsStopLatches(_ source: Event.Source) {
    var story = Self.hiddenAtTheBottom()
    story.scroll(600, by: source)
    story.scroll(1200, by: source)
    #expect(!story.state.bottomLatch)
    story.scrollEnd(1200, by: source)
    #expect(story.state.bottomLatch == (source == .program))
    story.scrollEnd(1200)
    #expect(story.state.bottomLatch)
  }

  @Test("A pull up at the bottom shows nothing")
  func aPullUpAtTheBottomShowsNothing() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.dragBegin(1200)
    story.scroll(1195, pan: 5).decidesNothing()
    #expect(!story.state.bottomLatch)
  }

  // MARK: Arrival and never

  /// 1,198 is within 2 of 1,200.
  @Test("With arrival, reaching the bottom shows the toolbar at once")
  func arrivalShowsAtOnce() {
    var story = Self.hiddenAtTheBottom(Story { $0.revealAtBottom = .never })
    story.scroll(1197)
    story.scrollEnd(1197)
    story.dragBegin(1200)
    story.scroll(1210, pan: -40).decidesNothing()

    story = Story(.safariArrival)
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(1000)
    story.scroll(1197.5).hides("travelDown 197.5 ≥ hideDistance 10")
    story.scroll(1198).shows("arrived at the bottom: offset 1198 of 1200")
  }

  /// The content scrolls only 100 points, so the toolbar never hides.
  @Test("With arrival, content too short to hide reveals nothing")
  func arrivalOnShortContentDecidesNothing() {
    var story = Story(.safariArrival)
    story.layout(contentHeight: 900, frameHeight: 800)
    story.scroll(0)
    story.scroll(100).decidesNothing()
    #expect(story.state.reachBottom)
    #expect(story.state.trigger == nil)
  }

  // MARK: Holding

  /// The distance must exceed 150 points: at 1,050 it is 150, at 1,049 it is 151.
  @Test("A revealed toolbar stays until the user is farther than the minimum range from the bottom")
  func theRevealIsHeldNearTheBottom() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.scroll(1200, pan: -2).shows("bottomLatch and a pull down of 2")
    story.scroll(1050).confirms(.scrollUp, "travelUp 150 ≥ showDistance 10")
    story.scroll(1100).decidesNothing()
    #expect(story.state.memory.held)
    story.scroll(1049).decidesNothing()
    #expect(!story.state.memory.held)
    story.scroll(1059).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// A loading row of 50 points keeps the hold. Another 348 leave the bottom 398 points away.
  @Test("Growth ends the hold only when it leaves the bottom farther away than the minimum range")
  func growthEndsTheHoldOnlyFarFromTheBottom() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.scroll(1200, pan: -2).shows("bottomLatch and a pull down of 2")
    story.layout(contentHeight: 2050)
    #expect(story.state.memory.held)
    story.scroll(1210, pan: -12).decidesNothing()
    story.layout(contentHeight: 2398)
    #expect(!story.state.memory.held)
    story.scroll(1220, pan: -22).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test("Content that shrinks keeps the hold")
  func shrinkingKeepsTheHold() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.scroll(1200, pan: -2).shows("bottomLatch and a pull down of 2")
    story.layout(contentHeight: 1900)
    #expect(story.state.memory.held)
    // The bottom is now at 1,100, so 1,200 is past it. The first movement after it may be the browser's.
    story.scroll(1090).decidesNothing()
    story.scroll(1080).confirms(.scrollUp, "travelUp 10 ≥ showDistance 10")
    story.scroll(1100).decidesNothing()
  }

  // MARK: Top

  /// From 0 to 10 hides. At 1 the user has scrolled up only 9, but 1 is within 2 of the top.
  @Test("Reaching the top shows the toolbar before the distance is complete")
  func theTopShowsBeforeTheDistance() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(0)
    story.scroll(10).hides("travelDown 10 ≥ hideDistance 10")
    story.scroll(2.5).decidesNothing()
    story.scroll(1).shows("at the top: offset 1, top 0")
  }

  @Test("Reaching the top shows the toolbar, whatever the source", arguments: [Event.Source.program, .layout])
  func theTopShowsWhoeverScrolled(_ source: Event.Source) {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(500)
    story.scroll(520).hides("travelDown 20 ≥ hideDistance 10")
    story.scroll(300, by: source).decidesNothing()
    story.scroll(0, by: source).shows("at the top: offset 0, top 0")
  }

  @Test("A layout that brings the top shows nothing, but a pull there does")
  func aPullAtTheTopShows() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(0)
    story.scroll(10).hides("travelDown 10 ≥ hideDistance 10")
    story.layout(y: 0).decidesNothing()
    story.dragBegin(0).decidesNothing()
    story.scroll(0, pan: -1).decidesNothing()
    story.scroll(0, pan: 1).shows("pulled up at the top: offset 0, top 0")
  }

  /// The top is at −88, so the button's distance of 450 is at 362.
  @Test("The top inset moves the top and the top button's distance")
  func theTopIsAboveByTheInset() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800, insetTop: 88)
    story.scroll(-88)
    story.scroll(-78).hides("travelDown 10 ≥ hideDistance 10")
    story.scroll(-87).shows("at the top: offset -87, top -88")
    story.scroll(362)
    #expect(!story.state.topButton)
    story.scroll(362.25)
    #expect(story.state.topButton)
  }

  /// When the inset disappears, the top and the offset move from −88 to 0.
  @Test("An inset that disappears is not travel")
  func aVanishingInsetIsNoTravel() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800, insetTop: 100)
    story.scroll(-100)
    story.layout(insetTop: 0).decidesNothing()
    story.scroll(0).decidesNothing()
    story.scroll(9.5).decidesNothing()
    story.scroll(10).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// The bottom is at 2,000 + 34 − 800 = 1,234, with a tolerance of 2.
  @Test("The bottom inset moves the bottom")
  func theBottomIsBelowByTheInset() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800, insetBottom: 34)
    story.scroll(1231.75)
    #expect(!story.state.reachBottom)
    story.scroll(1232)
    #expect(story.state.reachBottom)
    story.scrollEnd(1231.75)
    #expect(!story.state.bottomLatch)
    story.scrollEnd(1232)
    #expect(story.state.bottomLatch)
  }

  @Test("A tolerance of 0 makes the edges exact")
  func edgesWithoutTolerance() {
    var story = Story { $0.edgeTolerance = 0 }
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scrollEnd(1199.75)
    #expect(!story.state.reachBottom && !story.state.bottomLatch)
    story.scrollEnd(1200)
    #expect(story.state.reachBottom && story.state.bottomLatch)
  }

  // MARK: Top button

  /// On above 450, off at 350 and below, unchanged between.
  @Test("The top button appears above its distance and disappears below the hysteresis")
  func theTopButtonHasHysteresis() {
    var story = Story()
    for (offset, isSeen) in [
      (450.0, false), (450.25, true), (400, true), (350.25, true), (350, false), (449, false), (451, true),
    ] {
      story.scroll(offset)
      #expect(story.state.topButton == isSeen, "at \(offset)")
    }
  }

  /// The hysteresis reaches above the top, where nobody can scroll; 2 is within the tolerance of the top.
  @Test("With a hysteresis greater than the distance the top button disappears at the top")
  func aHysteresisBeyondTheDistance() {
    var story = Story {
      $0.topButtonDistance = 50
      $0.topButtonHysteresis = 100
    }
    for (offset, isSeen) in [(51.0, true), (3, true), (2, false), (3, false)] {
      story.scroll(offset)
      #expect(story.state.topButton == isSeen, "at \(offset)")
    }
  }

  @Test("With classic, the top button's distance counts from the session's first offset")
  func classicsTopButtonCountsFromTheStart() {
    var story = Story(.classic)
    for (offset, isSeen) in [(300.0, false), (750, false), (751, true), (750, false)] {
      story.scroll(offset)
      #expect(story.state.topButton == isSeen, "at \(offset)")
    }
  }
}
