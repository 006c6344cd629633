// The plain rule, which looks at the finger alone.

import ScrollModel
import ScrollTesting
import Testing

@Suite struct ClassicStories {
  /// Content without a finger moves down as far as this rule can see, also when it moves up.
  @Test func momentumUpwardsHides() {
    var story = Story(.classic)
    story.layout(contentHeight: 2000, frameHeight: 800)
    story.dragBegin(500)
    story.scroll(480, pan: 20).confirms(.scrollUp, "translationY 20 > 0")
    story.dragEnd(480, pan: 20).decidesNothing()
    story.scroll(400).hides("translationY 0 ≤ 0")
  }

  /// A drag that begins at 1,200 of 1,200 latches; one that ends away from it does no more.
  @Test func theLatch() {
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

  /// Without sizes both are 0, so every drag at 0 or below begins at the bottom.
  @Test func beforeAnyLayoutADragLatches() {
    var story = Story(.classic)
    story.dragBegin(0)
    #expect(story.state.bottomLatch)
    #expect(!story.state.reachBottom)
    story = Story(.classic)
    story.dragBegin(-1)
    #expect(!story.state.bottomLatch)
  }

  @Test func theBottomIsReachedToThePoint() {
    var story = Story(.classic)
    story.layout(contentHeight: 2000, frameHeight: 800, insetBottom: 50)
    story.scroll(1199.75)
    #expect(!story.state.reachBottom)
    story.scroll(1200)
    #expect(story.state.reachBottom)
  }

  /// Insets and sources are not looked at.
  @Test func aProgramScrollsAsAPersonDoes() {
    var story = Story(.classic)
    story.layout(contentHeight: 2000, frameHeight: 800, insetTop: 100)
    story.scroll(-100, by: .program).hides("translationY 0 ≤ 0")
  }
}
