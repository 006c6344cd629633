// The top, the bottom, and what is near them: insets, reveals, holding, tolerance.

import ScrollModel
import ScrollTesting
import Testing

@Suite struct EdgeStories {
  /// Content of 2,000 points in a frame of 800, the toolbar hidden on the way to the bottom at 1,200.
  private static func hiddenAtTheBottom(_ story: Story = Story()) -> Story {
    var story = story
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(1000)
    story.scroll(1200).hides("travelDown 200 ≥ hideDistance 10")
    return story
  }

  // MARK: Second pull

  @Test func aSecondPullShows() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200).decidesNothing()
    story.dragBegin(1200)
    story.scroll(1205, pan: -10).shows("bottomLatch and a pull down of 10")
    #expect(story.state.memory.held)
  }

  /// The end of scrolling got lost, but a drag that begins at the bottom is a second pull all the same.
  @Test func aLostScrollEndIsMadeUpForByTheDrag() {
    var story = Self.hiddenAtTheBottom()
    #expect(!story.state.bottomLatch)
    story.dragBegin(1200)
    #expect(story.state.bottomLatch)
    story.scroll(1200, pan: -1).shows("bottomLatch and a pull down of 1")
  }

  /// A wheel that can move nothing any more tells how far it was turned in all.
  @Test func aWheelPullsWithoutMoving() {
    var story = Self.hiddenAtTheBottom()
    story.scroll(1200, pan: -3).decidesNothing()
    story.scrollEnd(1200)
    // The translation given last is −3 already, so this is no pull.
    story.scroll(1200, pan: -3).decidesNothing()
    story.scroll(1200, pan: -6).shows("bottomLatch and a pull down of 3")
  }

  /// Beyond the bottom without any translation: 50 − 2 of tolerance and more pull it.
  @Test func overscrollIsAPull() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.scroll(1202).decidesNothing()
    story.scroll(1250).shows("bottomLatch and a pull down of 50")
  }

  @Test func growthClearsTheLatch() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    #expect(story.state.bottomLatch)
    story.layout(contentHeight: 3000).decidesNothing()
    #expect(!story.state.bottomLatch)
    #expect(!story.state.reachBottom)
    story.scroll(1200, pan: -5).decidesNothing()
  }

  /// Only people come to rest: a jump of the app's to the bottom latches nothing.
  @Test func aProgramDoesNotLatch() {
    var story = Self.hiddenAtTheBottom()
    story.scroll(600, by: .program)
    story.scroll(1200, by: .program)
    story.scrollEnd(1200, by: .program)
    #expect(!story.state.bottomLatch)
    story.scrollEnd(1200)
    #expect(story.state.bottomLatch)
  }

  @Test func aPullUpAtTheBottomShowsNothing() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.dragBegin(1200)
    story.scroll(1195, pan: 5).decidesNothing()
    #expect(!story.state.bottomLatch)
  }

  // MARK: Arrival and never

  /// 1,198 is within 2 of 1,200.
  @Test func arrivalShowsAtOnce() {
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

  /// 100 points scroll, which is too little to hide, so there is nothing to reveal either.
  @Test func arrivalOnShortContentDecidesNothing() {
    var story = Story(.safariArrival)
    story.layout(contentHeight: 900, frameHeight: 800)
    story.scroll(0)
    story.scroll(100).decidesNothing()
    #expect(story.state.reachBottom)
    #expect(story.state.trigger == nil)
  }

  // MARK: Holding

  /// Held until more than 150 points lie between: at 1,050 it is 150, at 1,049 it is 151.
  @Test func theRevealIsHeldNearTheBottom() {
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

  /// 2 points of growth are within the tolerance, 50 are not.
  @Test func growthEndsTheHold() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.scroll(1200, pan: -2).shows("bottomLatch and a pull down of 2")
    story.layout(contentHeight: 2002)
    #expect(story.state.memory.held)
    story.layout(contentHeight: 2052)
    #expect(!story.state.memory.held)
    story.scroll(1210, pan: -12).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// A shrink isn't growth: the bar stays, and what then lies below doesn't either.
  @Test func shrinkingKeepsTheHold() {
    var story = Self.hiddenAtTheBottom()
    story.scrollEnd(1200)
    story.scroll(1200, pan: -2).shows("bottomLatch and a pull down of 2")
    story.layout(contentHeight: 1900)
    #expect(story.state.memory.held)
    // The bottom is at 1,100 now, and 1,200 lies beyond it.
    story.scroll(1090).confirms(.scrollUp, "travelUp 10 ≥ showDistance 10")
    story.scroll(1100).decidesNothing()
  }

  // MARK: Top

  /// From 0 to 10 hides; at 1 one has come up 9, but 1 is the top within 2.
  @Test func theTopShowsBeforeTheDistance() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(0)
    story.scroll(10).hides("travelDown 10 ≥ hideDistance 10")
    story.scroll(2.5).decidesNothing()
    story.scroll(1).shows("at the top: offset 1, top 0")
  }

  /// Whoever brought it there: the app, or a relayout.
  @Test(arguments: [Event.Source.program, .layout]) func theTopShowsWhoeverScrolled(_ source: Event.Source) {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(500)
    story.scroll(520).hides("travelDown 20 ≥ hideDistance 10")
    story.scroll(300, by: source).decidesNothing()
    story.scroll(0, by: source).shows("at the top: offset 0, top 0")
  }

  /// A layout that brings the top shows nothing by itself, since nobody went there; a pull then does.
  @Test func aPullAtTheTopShows() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(0)
    story.scroll(10).hides("travelDown 10 ≥ hideDistance 10")
    story.layout(y: 0).decidesNothing()
    story.dragBegin(0).decidesNothing()
    story.scroll(0, pan: -1).decidesNothing()
    story.scroll(0, pan: 1).shows("pulled up at the top: offset 0, top 0")
  }

  /// The top is at −88 under a bar of that height; the button counts from there: 450 at 362.
  @Test func theTopIsAboveByTheInset() {
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

  /// An inset that goes away moves the top down to 0, and with it whoever stood there; that is no travel.
  @Test func aVanishingInsetIsNoTravel() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800, insetTop: 100)
    story.scroll(-100)
    story.layout(insetTop: 0).decidesNothing()
    story.scroll(0).decidesNothing()
    story.scroll(9.5).decidesNothing()
    story.scroll(10).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// 2,000 + 34 − 800 = 1,234 is the bottom; 2 less counts.
  @Test func theBottomIsBelowByTheInset() {
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

  @Test func edgesWithoutTolerance() {
    var story = Story { $0.edgeTolerance = 0 }
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scrollEnd(1199.75)
    #expect(!story.state.reachBottom && !story.state.bottomLatch)
    story.scrollEnd(1200)
    #expect(story.state.reachBottom && story.state.bottomLatch)
  }

  // MARK: Top button

  /// On above 450, off at 350 and below, between as it was.
  @Test func theTopButtonHasHysteresis() {
    var story = Story()
    for (offset, isSeen) in [
      (450.0, false), (450.25, true), (400, true), (350.25, true), (350, false), (449, false), (451, true),
    ] {
      story.scroll(offset)
      #expect(story.state.topButton == isSeen, "at \(offset)")
    }
  }

  /// With a hysteresis beyond the distance it stays until −50, which is above the top.
  @Test func aHysteresisBeyondTheDistance() {
    var story = Story {
      $0.topButtonDistance = 50
      $0.topButtonHysteresis = 100
    }
    for (offset, isSeen) in [(51.0, true), (0, true), (-49, true), (-50, false)] {
      story.scroll(offset)
      #expect(story.state.topButton == isSeen, "at \(offset)")
    }
  }

  /// `classic` counts from where the session began.
  @Test func classicsTopButtonCountsFromTheStart() {
    var story = Story(.classic)
    for (offset, isSeen) in [(300.0, false), (750, false), (751, true), (750, false)] {
      story.scroll(offset)
      #expect(story.state.topButton == isSeen, "at \(offset)")
    }
  }
}
