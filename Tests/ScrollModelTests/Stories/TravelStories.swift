import ScrollModel
import ScrollTesting
import Testing

/// Content of 2,000 points in a frame of 800, with the bottom at 1,200.
@Suite("The distance of scrolling")
struct TravelStories {
  private static func article(_ policy: Policy = .safari) -> Story {
    var story = Story(policy)
    story.layout(contentHeight: 2000, frameHeight: 800)
    return story
  }

  @Test("Slow scrolling adds up")
  func slowScrollingAddsUp() {
    var story = Self.article()
    story.dragBegin(100)
    for step in 1...19 { story.scroll(100 + Double(step) / 2).decidesNothing() }
    story.scroll(110).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test("Jitter of a stopped view decides nothing")
  func jitterAtRestDoesNothing() {
    var story = Self.article()
    story.scroll(500)
    // The highest and the lowest of these are 1.5 points apart.
    for step in 0..<100 { story.scroll(500 + (step % 2 == 0 ? 0.75 : -0.75)).decidesNothing() }
  }

  /// 9 down, 4 up and 5 down end 10 below the highest point.
  @Test("Travel is measured from the highest point")
  func travelIsFromTheHighestPoint() {
    var story = Self.article()
    story.scroll(300)
    story.scroll(309).decidesNothing()
    story.scroll(305).decidesNothing()
    story.scroll(310).hides("travelDown 10 ≥ hideDistance 10")
    // After the decision only what follows counts: 4 up, 2 down and 8 up end 10 above the lowest point.
    story.scroll(306).decidesNothing()
    story.scroll(308).decidesNothing()
    story.scroll(300).shows("travelUp 10 ≥ showDistance 10")
  }

  /// 9 down and 9 up returns to the start, however often.
  @Test("A zigzag within the distances decides nothing")
  func zigzagWithinTheDistances() {
    var story = Self.article()
    story.scroll(300)
    for _ in 0..<20 {
      story.scroll(309).decidesNothing()
      story.scroll(300).decidesNothing()
    }
  }

  @Test("The first offset only starts the measurement")
  func theFirstOffsetOnlyBeginsToMeasure() {
    var story = Self.article()
    story.scroll(500).decidesNothing()
    story.scroll(510).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// The offset goes 60 past the bottom and back, but does not move within the bounds. The pull counts only once the bottom
  /// is latched.
  @Test("A bounce at the bottom keeps the toolbar hidden")
  func bounceAtTheBottomStaysHidden() {
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

  @Test("A bounce at the top keeps the toolbar shown")
  func bounceAtTheTopStaysShown() {
    var story = Self.article()
    story.dragBegin(0)
    story.scroll(-80, pan: 160).decidesNothing()
    story.dragEnd(-80, pan: 160)
    for offset in [-40, -10, 0] { story.scroll(Double(offset)).decidesNothing() }
    story.scrollEnd(0).decidesNothing()
  }

  /// Momentum from 5 to 1,200 and the bounce end with 0 up. Then 10 up count from the bound, not from the overscroll.
  @Test("Overscroll is not travel")
  func overscrollIsNoTravel() {
    var story = Self.article()
    story.scroll(5)
    story.scroll(1280).hides("travelDown 1195 ≥ hideDistance 10")
    story.scroll(1200).decidesNothing()
    story.scroll(1191).decidesNothing()
    story.scroll(1190).shows("travelUp 10 ≥ showDistance 10")
  }

  /// 50 sideways and 20 down are a sideways swipe, because 50 > 2 × 20. 40 and 20 are the arc of a thumb.
  @Test("Sideways swipes restart the measurement of travel")
  func sidewaysSwipesRebase() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(309, pan: -9, panX: 0).decidesNothing()
    story.scroll(320, pan: -20, panX: -50).decidesNothing()
    // Both travels restarted at 320.
    story.scroll(329, pan: -29, panX: -50).decidesNothing()
    story.scroll(340, pan: -40, panX: -80).hides("travelDown 20 ≥ hideDistance 10")
  }

  /// The finger moves down by 5 while the content scrolls down by 300, because something was inserted above.
  @Test("Content inserted above moves against the finger and is not travel")
  func contentPutInAboveIsAgainstTheFinger() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(309, pan: -9).decidesNothing()
    story.scroll(609, pan: -4).decidesNothing()
    // The earlier nine points still count.
    story.scroll(610, pan: -5).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// Without the dragBegin, the translation appears to jump from −100 to −5, against the content.
  @Test("A lost dragBegin costs the travel of one event")
  func aLostDragBeginCostsOneEvent() {
    var story = Self.article()
    story.dragBegin(300)
    story.scroll(305, pan: -100).decidesNothing()
    story.scroll(312, pan: -5).decidesNothing()
    // 5 before and 5 now; the 7 against the finger do not count.
    story.scroll(317, pan: -10).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test("A dragEnd decides like a scroll")
  func aDragsEndDecides() {
    var story = Self.article()
    story.dragBegin(300)
    story.dragEnd(310, pan: -10).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test("The distances are parameters")
  func distancesAreParameters() {
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
