// How far one must scroll, and what doesn't count: jitter, turns, bounces, sideways swipes.

import ScrollModel
import ScrollTesting
import Testing

/// Content of 2,000 points in a frame of 800: the bottom is at 1,200.
@Suite struct TravelStories {
  private static func article(_ policy: Policy = .safari) -> Story {
    var story = Story(policy)
    story.layout(contentHeight: 2000, frameHeight: 800)
    return story
  }

  @Test func slowScrollingAddsUp() {
    var story = Self.article()
    story.dragBegin(100)
    for step in 1...19 { story.scroll(100 + Double(step) / 2).decidesNothing() }
    story.scroll(110).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test func jitterAtRestDoesNothing() {
    var story = Self.article()
    story.scroll(500)
    // At most 1.5 points lie between the highest and the lowest of these.
    for step in 0..<100 { story.scroll(500 + (step % 2 == 0 ? 0.75 : -0.75)).decidesNothing() }
  }

  /// 9 down, 4 up and 5 down are 10 below the highest point.
  @Test func travelIsFromTheHighestPoint() {
    var story = Self.article()
    story.scroll(300)
    story.scroll(309).decidesNothing()
    story.scroll(305).decidesNothing()
    story.scroll(310).hides("travelDown 10 ≥ hideDistance 10")
    // After the decision only what follows counts: 4 up, 2 down, and 8 up are 10 above the lowest point.
    story.scroll(306).decidesNothing()
    story.scroll(308).decidesNothing()
    story.scroll(300).shows("travelUp 10 ≥ showDistance 10")
  }

  /// 9 down and 9 up is back where it was, however often.
  @Test func zigzagWithinTheDistances() {
    var story = Self.article()
    story.scroll(300)
    for _ in 0..<20 {
      story.scroll(309).decidesNothing()
      story.scroll(300).decidesNothing()
    }
  }

  @Test func theFirstOffsetOnlyBeginsToMeasure() {
    var story = Self.article()
    story.scroll(500).decidesNothing()
    story.scroll(510).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// 60 beyond the bottom and back: kept within the bounds nothing moves. The pull beyond counts only once it is latched.
  @Test func bounceAtTheBottomStaysHidden() {
    var story = Self.article()
    story.scroll(1100)
    story.scroll(1200).hides("travelDown 100 ≥ hideDistance 10")
    story.scroll(1260).decidesNothing()
    story.scroll(1230).decidesNothing()
    story.scroll(1200).decidesNothing()
    story.scrollEnd(1200).decidesNothing()
    #expect(story.state.bottomLatch)
    #expect(story.state.reachBottom)
  }

  @Test func bounceAtTheTopStaysShown() {
    var story = Self.article()
    story.dragBegin(0)
    story.scroll(-80, pan: 160).decidesNothing()
    story.dragEnd(-80, pan: 160)
    for offset in [-40, -10, 0] { story.scroll(Double(offset)).decidesNothing() }
    story.scrollEnd(0).decidesNothing()
  }

  /// From 5 to 1,200 by momentum and out of the bounce: 0 up. Then 10 up from the bound, not from beyond it.
  @Test func overscrollIsNoTravel() {
    var story = Self.article()
    story.scroll(5)
    story.scroll(1280).hides("travelDown 1195 ≥ hideDistance 10")
    story.scroll(1200).decidesNothing()
    story.scroll(1191).decidesNothing()
    story.scroll(1190).shows("travelUp 10 ≥ showDistance 10")
  }

  /// 50 to the side and 20 down are sideways, since 50 > 2 × 20; 40 and 20 are a thumb's arc.
  @Test func sidewaysSwipesRebase() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(309, pan: -9, panX: 0).decidesNothing()
    story.scroll(320, pan: -20, panX: -50).decidesNothing()
    // Both travels began anew at 320.
    story.scroll(329, pan: -29, panX: -50).decidesNothing()
    story.scroll(340, pan: -40, panX: -80).hides("travelDown 20 ≥ hideDistance 10")
  }

  /// The finger goes down by 5 while the content goes down by 300: something was put in above, and nobody scrolled.
  @Test func contentPutInAboveIsAgainstTheFinger() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(309, pan: -9).decidesNothing()
    story.scroll(609, pan: -4).decidesNothing()
    // The nine points from before still stand.
    story.scroll(610, pan: -5).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// Without the drag's beginning the translation seems to jump from −100 to −5, against the content.
  @Test func aLostDragBeginCostsOneEvent() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(305, pan: -100).decidesNothing()
    story.scroll(312, pan: -5).decidesNothing()
    // 5 from before and 5 now; the 7 against the finger are not counted.
    story.scroll(317, pan: -10).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test func aDragsEndDecides() {
    var story = Self.article()
    story.dragBegin(300)
    story.dragEnd(310, pan: -10).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test func distancesAreParameters() {
    var story = Story {
      $0.hideDistance = 40
      $0.showDistance = 2.5
    }
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(100)
    story.scroll(139.5).decidesNothing()
    story.scroll(140).hides("travelDown 40 ≥ hideDistance 40")
    story.scroll(138).decidesNothing()
    story.scroll(137.5).shows("travelUp 2.5 ≥ showDistance 2.5")
  }
}
