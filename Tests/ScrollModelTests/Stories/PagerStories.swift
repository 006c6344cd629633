import ScrollModel
import ScrollTesting
import Testing

/// Three pages of 390 points, 1,170 in total, scroll by 780. The indicator is 130 wide.
@Suite("Pages")
struct PagerStories {
  private static func pages(_ policy: Policy = .safari, rightToLeft: Bool = false) -> Story {
    var story = Story(policy)
    story.layout(contentWidth: 1170, frameWidth: 390, rightToLeft: rightToLeft ? true : nil)
    return story
  }

  @Test("Pager values are unknown until widths and offset are known")
  func nothingIsKnownBeforeTheWidthsAndTheOffset() {
    var story = Story()
    story.layout(contentWidth: 1170)
    #expect(story.state.pager == Pager())
    story.layout(frameWidth: 390)
    #expect(story.state.pager.count == 3)
    #expect(story.state.pager.indicatorWidth == 130)
    #expect(story.state.pager.index == nil)
    story.scroll(x: 400)
    #expect(story.state.pager.index == 1)
    #expect(story.state.pager.indicatorOffset == 400.0 / 390 * 130)
  }

  /// Offsets run from 0 to −780 while the indicator moves from 0 to 260.
  @Test("Pages from right to left count down from offset 0")
  func pagesFromRightToLeft() {
    var story = Self.pages(rightToLeft: true)
    for (x, page, offset) in [(0.0, 0, 0.0), (-390, 1, 130), (-780, 2, 260), (-850, 2, 260), (50, 0, 0)] {
      story.scroll(x: x)
      #expect(story.state.pager.index == page, "at \(x)")
      #expect(story.state.pager.indicatorOffset == offset, "at \(x)")
      // −0 equals 0, but prints as -0.
      #expect(story.state.pager.indicatorOffset?.sign == .plus, "at \(x)")
    }
  }

  /// 214 / 390 = 0.549 and 215 / 390 = 0.551; back, 176 / 390 is 0.549 from page 1 and 175 / 390 is 0.551.
  @Test("The marked page changes only past the hysteresis")
  func theMarkHasHysteresis() {
    var story = Self.pages()
    story.scroll(x: 0)
    for (x, page) in [(195.0, 0), (214, 0), (215, 1), (195, 1), (176, 1), (175, 0)] {
      story.scroll(x: x)
      #expect(story.state.pager.index == page, "at \(x)")
    }
  }

  /// 195 / 390 is a half.
  @Test("The first known page is the nearest, with halves rounded up")
  func theFirstPageIsTheNearest() {
    var story = Self.pages()
    story.scroll(x: 195)
    #expect(story.state.pager.index == 1)
    story = Self.pages()
    story.scroll(x: 194.75)
    #expect(story.state.pager.index == 0)
  }

  /// 980 / 390 is 2.51, so there are three pages. They scroll by 590, and 588 is at the end although 588 / 390 is only
  /// 0.508 from page 1.
  @Test("The end of the content is the last page, even if it is narrower")
  func theEndIsTheLastPage() {
    var story = Story()
    story.layout(contentWidth: 980, frameWidth: 390)
    story.scroll(x: 390)
    #expect(story.state.pager.index == 1)
    story.scroll(x: 587.75)
    #expect(story.state.pager.index == 1)
    story.scroll(x: 588)
    #expect(story.state.pager.index == 2)
  }

  /// After the rotation, pages are 844 wide and the old offset is 0.46 of one. The view corrects it afterwards.
  @Test("Rotating the screen keeps the page")
  func turningKeepsThePage() {
    var story = Self.pages()
    story.scroll(x: 390)
    story.layout(contentWidth: 2532, frameWidth: 844)
    #expect(story.state.pager.index == 1)
    #expect(story.state.pager.indicatorWidth == 844.0 / 3)
    story.scroll(x: 100, by: .layout)
    #expect(story.state.pager.index == 1)
    story.scroll(x: 844, by: .layout)
    story.scrollEnd(0, x: 844)
    #expect(story.state.pager.index == 1)
  }

  /// The view reports the frame's new width alone, then an offset of 0 before the corrected one.
  @Test("The first offset after a rotation turns no page, however far it is from the last one")
  func theFirstOffsetAfterARotationTurnsNoPage() {
    var story = Self.pages()
    story.scroll(x: 780)
    story.layout(contentWidth: 2532, frameWidth: 844)
    story.layout(x: 0)
    #expect(story.state.pager.index == 2)
    // It is the frame's own offset from now on.
    story.layout(x: 1688)
    #expect(story.state.pager.index == 2)
    story.layout(x: 0)
    #expect(story.state.pager.index == 0)
  }

  @Test("A page that no longer exists is not marked")
  func aPageThatIsGoneIsNotMarked() {
    var story = Self.pages()
    story.scroll(x: 780)
    #expect(story.state.pager.index == 2)
    story.layout(contentWidth: 780)
    #expect(story.state.pager.index == 1)
    #expect(story.state.pager.count == 2)
  }

  @Test("Pages that return after a width of 0 keep the page")
  func pagesThatReturn() {
    var story = Self.pages()
    story.scroll(x: 200)
    #expect(story.state.pager.index == 1)
    story.layout(contentWidth: 0)
    #expect(story.state.pager.index == 1)
    #expect(story.state.pager.count == 3)
    story.layout(contentWidth: 1170, x: 194)
    #expect(story.state.pager.index == 1)
  }

  @Test("A pinch turns no page")
  func aPinchTurnsNoPage() {
    var story = Self.pages()
    story.scroll(x: 0)
    story.zoom(2, x: 780)
    #expect(story.state.pager.index == 0)
    story.dragBegin(0, x: 780)
    #expect(story.state.pager.index == 2)
  }

  /// The content is twice as wide, and so is a page.
  @Test("Zooming a page keeps the pages", arguments: [Policy.safari])
  func zoomedPagesStayPages(_ policy: Policy) {
    var story = Self.pages(policy)
    story.scroll(x: 390)
    story.zoom(2, x: 780)
    #expect(story.state.pager.count == 3)
    #expect(story.state.pager.index == 1)
    story.layout(contentWidth: 2340)
    #expect(story.state.pager.count == 3)
    story.scrollEnd(0, x: 800)
    #expect(story.state.pager.index == 1)
    story.scrollEnd(0, x: 1560)
    #expect(story.state.pager.index == 2)
  }

  /// A page of 390 is put in before the marked one, and the view stays with the same content.
  @Test("A layout that inserts or removes a page before the marked one marks it at its new place")
  func insertedPagesMoveTheMark() {
    var story = Self.pages()
    story.scroll(x: 390)
    story.layout(contentWidth: 1560, x: 780)
    #expect(story.state.pager.index == 2)
    story.layout(contentWidth: 1170)
    story.scroll(x: 390, by: .layout)
    #expect(story.state.pager.index == 1)
  }

  /// Cards of 300 in a view of 390: 300 × 4 + 90 = 1,290 scrolls by 900, in 3 steps.
  @Test("Pages narrower than the frame are counted by their own width")
  func cardsThatPeek() {
    var story = Story()
    story.layout(contentWidth: 1290, frameWidth: 390, pageWidth: 300)
    story.scroll(x: 0)
    #expect(story.state.pager.count == 4)
    #expect(story.state.pager.indicatorWidth == 97.5)
    for (x, page) in [(164.0, 0), (166, 1), (600, 2), (900, 3)] {
      story.scroll(x: x)
      #expect(story.state.pager.index == page, "at \(x)")
    }
    #expect(story.state.pager.indicatorOffset == 292.5)
  }

  /// A tap on the tab bar is a program's scroll.
  @Test("A program's scroll turns pages")
  func aProgramTurnsPages() {
    var story = Self.pages()
    story.scroll(x: 0)
    story.scroll(x: 390, by: .program)
    #expect(story.state.pager.index == 1)
  }

  /// Nothing scrolls, so the end of the content is no reason to mark the last page.
  @Test("A single page stays marked, although its end is everywhere")
  func oneNarrowPage() {
    var story = Story()
    story.layout(contentWidth: 200, frameWidth: 390)
    story.scroll(x: 0)
    #expect(story.state.pager.count == 1)
    #expect(story.state.pager.index == 0)
    #expect(story.state.pager.indicatorWidth == 390)
    #expect(story.state.pager.indicatorOffset == 0)
  }

  /// 195 is half a page.
  @Test("With classic, the page is the offset rounded half up")
  func classicsPages() {
    var story = Self.pages(.classic, rightToLeft: true)
    for (x, page) in [(0.0, 0), (194.75, 0), (195, 1), (194.75, 0), (780, 2), (2000, 2), (-390, 0)] {
      story.scroll(x: x)
      #expect(story.state.pager.index == page, "at \(x)")
      #expect(story.state.pager.indicatorOffset == x / 390 * 130, "at \(x)")
    }
  }
}
