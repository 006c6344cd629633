import ScrollModel

/// A scroll view with a random user. It has sizes and an offset, bounces, and reports events, some of which are lost as in
/// the field.
public struct SimulatedScrollView {
  /// The events reported so far.
  public private(set) var events: [Event] = []

  private var random: SeededRandom
  private var time: Int64 = 1_700_000_000_000_000
  private var x = 0.0
  private var y = 0.0
  private var contentWidth: Double
  private var contentHeight: Double
  private var frameWidth = 390.0
  private var frameHeight: Double
  private var insetTop = 0.0
  private var insetBottom = 0.0
  private var scale = 1.0
  private var isRightToLeft: Bool
  private var isPinned = false
  private let lossRate: Double
  private let jitter: Double

  /// Creates a view with random sizes, habits and faults. Some views never report their sizes.
  public init(_ random: SeededRandom) {
    self.random = random
    frameHeight = self.random.quarters(300...1000)
    let isShort = self.random.happens(0.15)
    contentHeight = isShort ? self.random.quarters(0...1200) : self.random.quarters(1000...9000)
    contentWidth = Double(self.random.happens(0.3) ? self.random.whole(2...6) : 1) * frameWidth
    isRightToLeft = self.random.happens(0.2)
    lossRate = self.random.happens(0.3) ? 0.05 : 0
    jitter = self.random.happens(0.3) ? 0.75 : 0
    if self.random.happens(0.4) { insetTop = self.random.quarters(0...100) }
    if self.random.happens(0.4) { insetBottom = self.random.quarters(0...100) }
    y = -insetTop
    if self.random.happens(0.9) { reportLayout() }
  }

  private var top: Double { -insetTop }
  private var bottom: Double { max(top, contentHeight + insetBottom - frameHeight) }
  private var width: Double { max(0, contentWidth - frameWidth) }

  /// Simulates a random action of the user, a program or a layout.
  public mutating func doSomething() {
    switch random.whole(0...17) {
    case 0...3: drag(by: random.quarters(-700...700))
    case 4: drag(by: random.quarters(-30...30))
    case 5: drag(by: random.happens(0.5) ? 5000 : -5000)
    case 6: dragSideways()
    case 7, 8: wheel()
    case 9: jump()
    case 10: pinch()
    case 11: resize()
    case 12: grow()
    case 13: pullAtEdge()
    case 14: changeInsets()
    case 15: pin()
    case 16: insertAbove()
    default: time += Int64(random.whole(0...4)) * 1_000_000
    }
  }

  // MARK: User

  /// Simulates a drag and its momentum. A positive distance scrolls down.
  private mutating func drag(by distance: Double) {
    report(.dragBegin)
    let steps = random.whole(2...7)
    var translation = 0.0
    for _ in 0..<steps {
      let part = distance / Double(steps) + random.quarters(-8...8)
      translation -= part
      move(to: y + (isBeyond ? part / 2 : part))
      report(.scroll, translation: (random.quarters(-4...4), translation))
    }
    let isFlung = random.happens(0.6)
    report(.dragEnd, translation: (0, translation)) { $0.willDecelerate = isFlung }
    if isFlung { decelerate(distance / Double(steps) * 2) }
    settle()
  }

  private mutating func dragSideways() {
    report(.dragBegin)
    let distance = random.quarters(-500...500)
    for step in 1...4 {
      x = min(max(isRightToLeft ? -width : 0, x + distance / 4), isRightToLeft ? 0 : width)
      report(.scroll, translation: (-distance * Double(step) / 4, random.quarters(-20...20)))
    }
    report(.dragEnd, translation: (-distance, 0))
    if random.happens(0.7) { x = (x / frameWidth).rounded() * frameWidth }
    report(.scroll)
    report(.scrollEnd)
  }

  private mutating func wheel() {
    let notch = random.quarters(-150...150)
    for _ in 0..<random.whole(1...6) {
      y = min(max(top, y + notch), bottom)
      report(.scroll)
    }
    if random.happens(0.8) { report(.scrollEnd) }
  }

  private mutating func pullAtEdge() {
    y = random.happens(0.7) ? bottom : top
    report(.scroll, source: random.happens(0.5) ? .program : nil)
    if random.happens(0.7) { report(.scrollEnd) }
    if random.happens(0.5) { report(.dragBegin) }
    report(.scroll, translation: (0, random.quarters(-20...20)))
    report(.dragEnd, translation: (0, random.quarters(-20...20)))
  }

  private mutating func pinch() {
    report(.zoomBegin)
    let target = random.happens(0.4) ? 1 : random.quarters(0.75...3)
    let start = scale
    for step in 1...4 {
      scale = start + (target - start) * Double(step) / 4
      move(to: y + random.quarters(-40...40))
      report(.zoom)
      if random.happens(0.3) { report(.scroll) }
    }
    report(.zoomEnd)
    if random.happens(0.3) { settle() }
  }

  // MARK: Programs and layouts

  private mutating func jump() {
    y = random.happens(0.3) ? top : random.quarters(0...max(1, bottom))
    report(.scroll, source: .program)
    if random.happens(0.5) { report(.scrollEnd, source: .program) }
  }

  private mutating func resize() {
    let height = frameHeight
    frameHeight = frameWidth
    let page = (x / frameWidth).rounded()
    contentWidth = contentWidth / frameWidth * height
    frameWidth = height
    x = page * frameWidth
    reportLayout()
    if random.happens(0.5) { report(.scroll, source: .layout) }
  }

  private mutating func grow() {
    contentHeight = max(0, contentHeight + random.quarters(-800...2000))
    reportLayout()
    if y > bottom {
      y = bottom
      report(.scroll, source: random.happens(0.7) ? .layout : nil)
    }
  }

  /// Simulates an app that opens or closes a menu of its bar.
  private mutating func pin() {
    isPinned.toggle()
    reportLayout()
  }

  /// Simulates content that is loaded above the offset, and a browser that keeps the reader's place.
  private mutating func insertAbove() {
    let height = random.quarters(-300...600)
    contentHeight = max(0, contentHeight + height)
    reportLayout()
    y = min(max(top, y + height), bottom)
    report(.scroll, source: random.happens(0.5) ? .layout : nil)
  }

  private mutating func changeInsets() {
    insetTop = random.quarters(0...100)
    insetBottom = random.quarters(0...100)
    reportLayout()
  }

  // MARK: Reports

  private var isBeyond: Bool { y < top || y > bottom }

  private mutating func move(to offset: Double) {
    y = min(max(top - 120, offset), bottom + 120)
  }

  private mutating func decelerate(_ speed: Double) {
    var speed = speed
    for _ in 0..<random.whole(1...8) {
      move(to: y + speed)
      speed = isBeyond ? speed / 4 : speed * 0.75
      report(.scroll)
    }
  }

  /// Returns from beyond a bound and stops.
  private mutating func settle() {
    while isBeyond {
      let bound = y < top ? top : bottom
      y = (y - bound).magnitude < 4 ? bound : bound + (y - bound) / 2
      report(.scroll)
    }
    report(.scrollEnd)
  }

  private mutating func reportLayout() {
    var event = Event(.layout, time: tick())
    event.contentWidth = contentWidth
    event.contentHeight = contentHeight
    event.frameWidth = frameWidth
    event.frameHeight = frameHeight
    if random.happens(0.8) {
      event.insetTop = insetTop
      event.insetBottom = insetBottom
      event.maximumZoomScale = 4
    }
    if isRightToLeft { event.rightToLeft = true }
    if isPinned || random.happens(0.1) { event.toolbarPinned = isPinned }
    if random.happens(0.02) { event.pageWidth = frameWidth * random.quarters(0.5...1.25) }
    if random.happens(0.5) {
      event.x = x
      event.y = y
    }
    events.append(event)
  }

  private mutating func report(
    _ kind: Event.Kind, translation: (x: Double, y: Double)? = nil, source: Event.Source? = nil,
    _ change: (inout Event) -> Void = { _ in }
  ) {
    var event = Event(kind, time: tick())
    if random.happens(lossRate) { return }
    event.x = x
    event.y = y + (jitter > 0 ? random.quarters(-jitter...jitter) : 0)
    if let translation, random.happens(0.95) {
      event.translationX = translation.x
      event.translationY = translation.y
    }
    event.source = source
    if kind == .zoom || (kind.isZoom && random.happens(0.3)) { event.zoomScale = scale }
    change(&event)
    events.append(event)
  }

  private mutating func tick() -> Int64 {
    time += 16_667
    return time
  }
}
