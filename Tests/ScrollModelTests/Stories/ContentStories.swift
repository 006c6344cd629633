import ScrollModel
import ScrollTesting
import Testing

@Suite("Content that changes size, and programs that scroll")
struct ContentStories {
  /// The content scrolls 149 points, then 150.
  @Test("Content shorter than the minimum range never hides the toolbar")
  func shortContentNeverHides() {
    var story = Story()
    story.layout(contentHeight: 949, frameHeight: 800)
    story.scroll(0)
    story.scroll(149).decidesNothing()

    story = Story()
    story.layout(contentHeight: 950, frameHeight: 800)
    story.scroll(0)
    story.scroll(149).hides("travelDown 149 ≥ hideDistance 10")
  }

  @Test("The minimum range is a parameter")
  func theMinimumRangeIsAParameter() {
    var story = Story {
      $0.minimumRange = 5
      $0.hideDistance = 3
    }
    story.layout(contentHeight: 805, frameHeight: 800)
    story.scroll(0)
    story.scroll(4).hides("travelDown 4 ≥ hideDistance 3")
  }

  /// The 90 points on short content don't count later, but those after the growth do.
  @Test("Once content grows long enough, ten more points hide the toolbar")
  func contentThatGrowsHidesAfterTheDistance() {
    var story = Story()
    story.layout(contentHeight: 900, frameHeight: 800)
    story.scroll(0)
    story.scroll(90).decidesNothing()
    story.layout(contentHeight: 3000).decidesNothing()
    story.scroll(95).decidesNothing()
    story.scroll(100).hides("travelDown 10 ≥ hideDistance 10")
  }

  /// 801 − 800 = 1 point is within the tolerance.
  @Test("Content that shrinks until nothing scrolls shows the toolbar")
  func contentThatShrinksAwayShows() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(500)
    story.scroll(600).hides("travelDown 100 ≥ hideDistance 10")
    story.layout(contentHeight: 950).decidesNothing()
    story.layout(contentHeight: 801).shows("nothing scrolls: range 1 ≤ edgeTolerance 2")
    #expect(story.state.trigger == .scrollUp)
  }

  /// The shrink clamps the offset from 600 to 150, and then the view reports it.
  @Test("Clamping the offset after content shrinks is not travel")
  func theClampAfterAShrinkIsNoTravel() {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(500)
    story.scroll(600).hides("travelDown 100 ≥ hideDistance 10")
    story.layout(contentHeight: 950).decidesNothing()
    story.scroll(150).decidesNothing()
    story.scrollEnd(150).decidesNothing()
    #expect(story.state.bottomLatch)
  }

  /// Without sizes there is no bottom, any content can hide, and the top is at 0.
  @Test("A session without sizes hides and shows at the top")
  func sizesNeverSent() {
    var story = Story()
    story.dragBegin(0)
    story.scroll(40, pan: -40).hides("travelDown 40 ≥ hideDistance 10")
    story.scroll(9000, pan: -9000)
    story.scrollEnd(9000)
    #expect(!story.state.bottomLatch && !story.state.reachBottom)
    #expect(story.state.topButton)
    #expect(story.state.pager == Pager())
    story.scroll(8995).decidesNothing()
    story.scroll(0, by: .program).shows("at the top: offset 0, top 0")
    story.scroll(-60).decidesNothing()
  }

  @Test("Sizes that arrive late show the toolbar if nothing scrolls")
  func sizesSentLate() {
    var story = Story()
    story.scroll(0)
    story.scroll(20).hides("travelDown 20 ≥ hideDistance 10")
    story.layout(contentHeight: 700, frameHeight: 800).shows("nothing scrolls: range 0 ≤ edgeTolerance 2")
  }

  /// 500 points of content end at 498 with a tolerance of 2.
  @Test("A frame without height leaves the bounds unknown")
  func aFrameOfNoHeight() {
    var story = Story()
    story.layout(contentHeight: 500, frameHeight: 0)
    story.scroll(480)
    story.scroll(490).hides("travelDown 10 ≥ hideDistance 10")
    #expect(!story.state.reachBottom)
    story.scrollEnd(498)
    #expect(story.state.reachBottom)
    #expect(!story.state.bottomLatch)
  }

  @Test("Empty content never reaches its bottom")
  func emptyContentReachesNoBottom() {
    var story = Story()
    story.layout(contentHeight: 0, frameHeight: 800)
    story.scroll(0)
    #expect(!story.state.reachBottom)
    story.layout(contentHeight: 1)
    #expect(story.state.reachBottom)
  }

  // MARK: Programs

  /// 9 points by the user, a jump by the app, and 1 by the user are 10: a page that scrolls by itself must not hide the
  /// reader's own movement.
  @Test("A program's scroll keeps the travel so far")
  func aProgramsScrollKeepsTheTravel() {
    var story = Story()
    story.layout(contentHeight: 5000, frameHeight: 800)
    story.scroll(300)
    story.scroll(309).decidesNothing()
    story.scroll(2000, by: .program).decidesNothing()
    story.scroll(2001).hides("travelDown 10 ≥ hideDistance 10")
    story.scroll(1000, by: .program).decidesNothing()
  }

  /// A relayout shifts everything by 200; 9 and 1 are 10.
  @Test("A relayout's scroll keeps the travel so far")
  func aRelayoutsScrollKeepsTheTravel() {
    var story = Story()
    story.layout(contentHeight: 5000, frameHeight: 800)
    story.scroll(300)
    story.scroll(309).decidesNothing()
    story.scroll(509, by: .layout).decidesNothing()
    story.scroll(510).hides("travelDown 10 ≥ hideDistance 10")
  }

  // MARK: Absurd numbers

  @Test("The largest finite lengths fold without a trap")
  func lengthsAsLargeAsThereAre() {
    var story = Story()
    story.layout(contentHeight: 1e308, frameHeight: 800)
    story.scroll(0)
    story.scroll(1e307).hides("travelDown 1e+307 ≥ hideDistance 10")
    story.scroll(0).shows("travelUp 1e+307 ≥ showDistance 10")
    story.scroll(1e307).hides("travelDown 1e+307 ≥ hideDistance 10")
    // This far beyond the top it is a pull, which is checked before the travel.
    story.scroll(-1e308).shows("pulled up at the top: offset 0, top 0")
    // Content and inset add up to infinity, which no offset reaches.
    story.layout(insetBottom: 1e308)
    story.scrollEnd(1.7e308)
    #expect(!story.state.reachBottom && !story.state.bottomLatch)
  }

  @Test("A quotient beyond any integer becomes the largest number of pages")
  func pagesBeyondCounting() {
    var story = Story()
    story.layout(contentWidth: 1e308, frameWidth: 1e-300)
    story.scroll(x: 1e300)
    #expect(story.state.pager.count == 1 << 53)
    #expect(story.state.pager.index == (1 << 53) - 1)
    story = Story(.classic)
    story.layout(contentWidth: 1e308, frameWidth: 1e-300)
    story.scroll(x: -1e300)
    #expect(story.state.pager.count == 1 << 53)
    #expect(story.state.pager.index == 0)
  }
}
