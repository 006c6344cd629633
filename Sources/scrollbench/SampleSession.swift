import ScrollModel

/// The session that benchmarks use: a person reads an article of 20 screens, with drags and momentum, mostly downwards.
enum SampleSession {
  /// Returns the session's first `count` events, always the same.
  static func events(_ count: Int) -> [Event] {
    var events: [Event] = []
    var time: Int64 = 1_700_000_000_000_000
    var layout = Event(.layout, time: time)
    layout.contentWidth = 390
    layout.contentHeight = 16_880
    layout.frameWidth = 390
    layout.frameHeight = 844
    events.append(layout)
    var y = 0.0
    var direction = 1.0
    while events.count < count {
      var begin = Event(.dragBegin, time: time)
      begin.x = 0
      begin.y = y
      events.append(begin)
      for step in 1...24 {
        time += 16_667
        let moved = direction * (step <= 12 ? 17.25 : Double(25 - step))
        y = min(max(0, y + moved), 16_036)
        var scroll = Event(.scroll, time: time)
        scroll.x = 0
        scroll.y = y
        if step <= 12 {
          scroll.translationX = 0
          scroll.translationY = -direction * 17.25 * Double(step)
        }
        events.append(scroll)
      }
      var end = Event(.scrollEnd, time: time)
      end.x = 0
      end.y = y
      events.append(end)
      if y == 0 || y == 16_036 || events.count % 5 == 0 { direction = -direction }
    }
    return Array(events.prefix(count))
  }
}
