import JSON
import ScrollJSON
import ScrollModel

/// A session that is made of samples of an offset and of sizes. Its lines are kept as bytes until the whole file is read.
final class ConvertedSession {
  /// The session's identity: rows that have the same one are the same session.
  struct Identity: Hashable {
    var client: String
    var application: String?
    var title: String?
  }

  /// How long nothing may move before the scrolling counts as ended, in microseconds; `nil` to end it nowhere.
  var pause: Int64?

  private(set) var identity: Identity
  private(set) var events = 0
  /// The times of its data.
  private(set) var times = DataTimes()
  /// The times between two samples of the same movement, in microseconds.
  private(set) var intervals: [Int64] = []

  private var lastWritten: Int64 = 0
  private var lastMove: Int64?
  private var isMoving = false
  private var x: Double?
  private var y: Double?
  private var sizes: [Event.Field: Double] = [:]
  /// The heights that an event had.
  private(set) var heights: Set<Event.Field> = []
  private var lines = ByteBuffer()

  init(_ identity: Identity, pause: Int64?) {
    self.identity = identity
    self.pause = pause
  }

  /// Adds an event as it is.
  func add(_ event: Event) throws(EventProblem) {
    try event.validate()
    times.note(event.time)
    write(event)
    x = event.x ?? x
    y = event.y ?? y
  }

  /// Adds the sizes and insets that hold at a time. Those that are known already make no event.
  ///
  /// - Parameters:
  ///   - offset: The offset, if the layout gives one.
  ///   - flags: The flags of the layout.
  func layOut(_ given: [Event.Field: Double], offset: (x: Double, y: Double)? = nil, at time: Int64)
    throws(EventProblem)
  {
    let changed = given.filter { sizes[$0.key] != $0.value }
    if changed.isEmpty, offset == nil || offset?.x == x && offset?.y == y { return }
    var event = Event(.layout, time: time)
    for (field, value) in changed { event[number: field] = value }
    event.x = offset?.x
    event.y = offset?.y
    try event.validate()
    endScroll(by: time)
    try add(event)
    sizes.merge(changed) { $1 }
  }

  /// Adds a sample of the offset. One that moved nothing makes no event.
  func sample(
    x: Double?, y: Double?, translationX: Double? = nil, translationY: Double? = nil, source: Event.Source? = nil,
    at time: Int64
  ) throws(EventProblem) {
    var event = Event(.scroll, time: time)
    event.x = x ?? self.x ?? 0
    event.y = y ?? self.y ?? 0
    event.translationX = translationX
    event.translationY = translationY
    event.source = source
    try event.validate()
    if event.x == self.x, event.y == self.y, translationX == nil, translationY == nil {
      endScroll(by: time)
      times.note(time)
      return
    }
    endScroll(by: time)
    if let lastMove, isMoving, time > lastMove { intervals.append(time - lastMove) }
    try add(event)
    lastMove = time
    isMoving = true
  }

  /// Ends the scrolling if nothing has moved for as long as the pause.
  private func endScroll(by time: Int64) {
    guard let pause, isMoving, let lastMove, time == .max || time - lastMove > pause else { return }
    isMoving = false
    var event = Event(.scrollEnd, time: max(lastMove, lastWritten))
    event.x = x
    event.y = y
    write(event)
  }

  private func write(_ event: Event) {
    events += 1
    for field in Conversion.heights where event[number: field] != nil { heights.insert(field) }
    lastWritten = event.time
    lines.appendJSON { event.write(to: &$0) }
    lines.append(UInt8(ascii: "\n"))
  }

  /// Ends the session. Returns its lines, with the first and the last one; `nil` without events.
  func finish() -> [UInt8]? {
    endScroll(by: .max)
    guard events > 0, let span = times.span else { return nil }
    var text = ByteBuffer()
    text.appendJSON { writer in
      writer.beginObject()
      writer.member("kind", "open")
      writer.member("time", span.first)
      writer.member("client", identity.client)
      writer.member("application", ifPresent: identity.application)
      writer.member("title", ifPresent: identity.title)
      writer.endObject()
    }
    text.append(UInt8(ascii: "\n"))
    let body = lines.bytes
    lines.removeAll()
    text.append(body)
    text.appendJSON { writer in
      writer.beginObject()
      writer.member("kind", "close")
      writer.member("time", span.last)
      writer.endObject()
    }
    text.append(UInt8(ascii: "\n"))
    return text.bytes
  }
}

/// The times of a session's data, in microseconds since the Unix epoch.
struct DataTimes {
  /// The first and the last one; `nil` without data.
  private(set) var span: (first: Int64, last: Int64)?
  /// How many are before the previous one.
  private(set) var backwardSteps = 0
  /// The longest time without data, in microseconds.
  private(set) var longestGap: Int64 = 0
  /// Whether all times are whole seconds.
  private(set) var areWholeSeconds = true
  /// How many are the same as the previous one.
  private(set) var repeats = 0

  mutating func note(_ time: Int64) {
    if time % 1_000_000 != 0 { areWholeSeconds = false }
    guard let span else {
      self.span = (time, time)
      return
    }
    if time < span.last { backwardSteps += 1 }
    if time == span.last { repeats += 1 }
    longestGap = max(longestGap, time - span.last)
    self.span = (span.first, time)
  }
}
