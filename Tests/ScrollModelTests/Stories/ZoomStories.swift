import ScrollModel
import ScrollTesting
import Testing

/// Content of 2,000 points in a frame of 800. Beyond 1.05 of the minimum counts as zoomed in, up to 1.005 as zoomed out.
@Suite("Pinches")
struct ZoomStories {
  private static func article() -> Story {
    var story = Story()
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.scroll(300)
    return story
  }

  @Test("Zooming in hides, zooming out shows")
  func zoomingInHidesAndOutShows() {
    var story = Self.article()
    story.zoomBegin(1)
    story.zoom(1.5).hides("zoomScale 1.5 grew beyond 1.05")
    story.zoom(1.02).decidesNothing()
    story.zoom(1.004).shows("zoomScale 1.004 ≤ 1.005 after zooming in")
    story.zoomEnd(1).decidesNothing()
  }

  @Test("A pinch that trembles around the minimum decides nothing")
  func aPinchThatTremblesDecidesNothing() {
    var story = Self.article()
    story.zoomBegin()
    for scale in [1.01, 0.98, 1.03, 1, 1.049] { story.zoom(scale).decidesNothing() }
    story.zoom(1.06).hides("zoomScale 1.06 grew beyond 1.05")
  }

  /// 1.4 is beyond 1.05, but less than the previous 2.
  @Test("Zooming out never hides, even above the threshold")
  func zoomingOutHidesNothing() {
    var story = Self.article()
    story.zoom(2).hides("zoomScale 2 grew beyond 1.05")
    story.zoomEnd()
    story.scroll(290).shows("travelUp 10 ≥ showDistance 10")
    story.zoom(1.4).decidesNothing()
    story.zoom(1).confirms(.zoomOut, "zoomScale 1 ≤ 1.005 after zooming in")
  }

  /// With a minimum of 0.5, zoomed in begins at 0.525. The scale before the first zoom is the minimum.
  @Test("The thresholds are relative to the minimum zoom scale")
  func theMinimumIsTheMeasure() {
    var story = Self.article()
    story.layout(minimumZoomScale: 0.5)
    story.zoom(0.525).decidesNothing()
    story.zoom(0.53).hides("zoomScale 0.53 grew beyond 0.525")
  }

  @Test("A zoomEnd decides if the zoom events were lost")
  func theEndOfAPinchDecidesWhereTheRestGotLost() {
    var story = Self.article()
    story.zoomBegin(1)
    story.zoomEnd(1.5).hides("zoomScale 1.5 grew beyond 1.05")
  }

  /// The 9 points before the pinch are dropped, and those within it never count.
  @Test("Scrolling within a pinch decides nothing")
  func scrollingInAPinchDecidesNothing() {
    var story = Self.article()
    story.scroll(309).decidesNothing()
    story.zoomBegin()
    story.scroll(400).decidesNothing()
    story.zoomEnd().decidesNothing()
    story.scroll(409).decidesNothing()
    story.scroll(410).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test("Reaching the top within a pinch shows only after the pinch ends")
  func theTopWaitsForTheEndOfThePinch() {
    var story = Self.article()
    story.scroll(310).hides("travelDown 10 ≥ hideDistance 10")
    story.zoomBegin()
    story.scroll(0).decidesNothing()
    story.zoomEnd().shows("at the top: offset 0, top 0")
  }

  /// The dragEnd also counts as a scroll.
  @Test("The end of the next drag ends a pinch whose zoomEnd was lost")
  func aLostZoomEndIsMadeUpForByTheDrag() {
    var story = Self.article()
    story.scroll(310).hides("travelDown 10 ≥ hideDistance 10")
    story.zoomBegin()
    story.dragBegin(310)
    story.scroll(200, pan: 110).decidesNothing()
    story.dragEnd(200, pan: 110).decidesNothing()
    #expect(!story.state.memory.zooming)
    story.scroll(190).shows("travelUp 10 ≥ showDistance 10")
  }

  @Test("A program's scrollEnd does not end a pinch")
  func aProgramsScrollEndDoesNotEndThePinch() {
    var story = Self.article()
    story.zoomBegin()
    story.scrollEnd(300, by: .program)
    #expect(story.state.memory.zooming)
    story.scrollEnd(300)
    #expect(!story.state.memory.zooming)
  }

  /// 9 points up are not 10.
  @Test("Reaching the top of zoomed content shows nothing, but a pull there does")
  func aZoomedPageIsNotShownByTheTop() {
    var story = Self.article()
    story.scroll(0, by: .program)
    story.zoom(2).hides("zoomScale 2 grew beyond 1.05")
    story.zoomEnd()
    story.scroll(9).decidesNothing()
    story.scroll(0).decidesNothing()
    story.scrollEnd(0).decidesNothing()
    story.dragBegin(0)
    story.scroll(-20, pan: 40).shows("pulled up at the top: offset 0, top 0")
  }

  /// The frame becomes lower, and the relayout moves the offset.
  @Test("Rotating the screen while zoomed in is not scrolling")
  func turningAZoomedPage() {
    var story = Self.article()
    story.scroll(310).hides("travelDown 10 ≥ hideDistance 10")
    story.zoom(2, y: 620).confirms(.zoomIn, "zoomScale 2 grew beyond 1.05")
    story.zoomEnd()
    story.layout(contentHeight: 7000, frameHeight: 390, y: 1100).decidesNothing()
    story.scroll(1085, by: .layout).decidesNothing()
    story.scroll(1076).decidesNothing()
    story.scroll(1075).shows("travelUp 10 ≥ showDistance 10")
    // Still zoomed in, scrolling down hides as usual.
    story.scroll(1085).hides("travelDown 10 ≥ hideDistance 10")
  }

  @Test("Zooming in ends the hold at the bottom")
  func zoomingInEndsTheHold() {
    var story = Self.article()
    story.scroll(1200).hides("travelDown 900 ≥ hideDistance 10")
    story.scrollEnd(1200)
    story.scroll(1200, pan: -1).shows("bottomLatch and a pull down of 1")
    #expect(story.state.memory.held)
    story.zoom(1.2).hides("zoomScale 1.2 grew beyond 1.05")
    #expect(!story.state.memory.held)
  }

  @Test("With classic, any scale but the minimum is zoomed in")
  func classicsZoom() {
    var story = Story(.classic)
    story.zoom(1).confirms(.zoomOut, "zoomScale 1 = minimumZoomScale")
    story.zoom(1.000001).hides("zoomScale 1.000001 ≠ minimumZoomScale 1")
    story.zoom(0.9).confirms(.zoomIn, "zoomScale 0.9 ≠ minimumZoomScale 1")
    story.layout(minimumZoomScale: 0.9).decidesNothing()
    story.zoom(0.9).shows("zoomScale 0.9 = minimumZoomScale")
  }
}
