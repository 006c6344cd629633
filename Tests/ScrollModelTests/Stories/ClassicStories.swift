import ScrollModel
import ScrollTesting
import Testing

@Suite("The classic rule")
struct ClassicStories {
  @Test("Momentum without a finger hides, even when the content moves up")
  func momentumUpwardsHides() {
    var story = Story(.classic)
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.dragBegin(500)
    story.scroll(480, pan: 20).confirms(.scrollUp, "translationY 20 > 0")
    story.dragEnd(480, pan: 20).decidesNothing()
    story.scroll(400).hides("translationY 0 ≤ 0")
  }

  /// The bottom is at 1,200.
  @Test("A drag that begins at the bottom latches, and ending it elsewhere releases the latch")
  func theLatch() {
    var story = Story(.classic)
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.dragBegin(1199.5)
    #expect(!story.state.bottomLatch)
    story.dragBegin(1200)
    story.scroll(1210, pan: -20).confirms(.reachBottom, "bottomLatch and translationY -20 ≤ 0")
    story.dragEnd(1210, pan: -20)
    #expect(story.state.bottomLatch)
    story.dragBegin(1000)
    #expect(story.state.bottomLatch)
    story.dragEnd(1000)
    #expect(!story.state.bottomLatch)
  }

  @Test("A drag before any layout latches, because unknown sizes count as 0")
  func beforeAnyLayoutADragLatches() {
    var story = Story(.classic)
    story.dragBegin(0)
    #expect(story.state.bottomLatch)
    #expect(!story.state.reachBottom)
    story = Story(.classic)
    story.dragBegin(-1)
    #expect(!story.state.bottomLatch)
  }

  @Test("The bottom is reached exactly, without a tolerance")
  func theBottomIsReachedToThePoint() {
    var story = Story(.classic)
    story.layout(contentHeight: 2000, frameHeight: 800, insetBottom: 50)
    story.scroll(1199.75)
    #expect(!story.state.reachBottom)
    story.scroll(1200)
    #expect(story.state.reachBottom)
  }

  @Test("A program's scroll counts like a user's")
  func aProgramScrollsAsAPersonDoes() {
    var story = Story(.classic)
    story.layout(contentHeight: 2000, frameHeight: 800, insetTop: 100)
    story.scroll(-100, by: .program).hides("translationY 0 ≤ 0")
  }
}
