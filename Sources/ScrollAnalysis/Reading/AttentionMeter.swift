/// Active time, in total and for each part of the content.
struct AttentionMeter {
  /// The intervals between samples, each at most `idle`.
  private(set) var activeTime: Int64 = 0
  /// The number of intervals that ended before they began.
  private(set) var backwardSteps = 0

  private let count: Int
  private let idle: Int64
  private var last: (time: Int64, view: ContentView?)?
  private var isKnown = false
  /// What parts of bands got, and the differences between what one whole band and the band above it got. So an interval
  /// costs the same however many bands are on screen.
  private var partial: [Double] = []
  private var steps: [Double] = []

  init(bands: Int, idle: Int64) {
    count = bands
    self.idle = idle
  }

  mutating func add(time: Int64, _ view: ContentView?) {
    advance(to: time)
    last = (time, view)
    if view != nil, !isKnown {
      isKnown = true
      partial = Array(repeating: 0, count: count)
      steps = Array(repeating: 0, count: count + 1)
    }
  }

  mutating func close(at time: Int64) {
    advance(to: time)
    last = nil
  }

  /// The active time of each band; `nil` if the sizes were never known. The rounded times add up to the rounded sum.
  var bands: [Int64]? {
    guard isKnown else { return nil }
    var (whole, sum, given) = (0.0, 0.0, Int64(0))
    return partial.indices.map { index in
      whole += steps[index]
      sum += partial[index] + whole
      let time = max(0, Int64(sum.rounded()) - given)
      given += time
      return time
    }
  }

  private mutating func advance(to time: Int64) {
    guard let last else { return }
    if time < last.time {
      backwardSteps += 1
      return
    }
    let active = min(time - last.time, idle)
    activeTime += active
    if let view = last.view { spread(Double(active), over: view.onScreen) }
  }

  private mutating func spread(_ time: Double, over part: ClosedRange<Double>) {
    let (top, bottom) = (part.lowerBound * Double(count), part.upperBound * Double(count))
    let (first, last) = (min(Int(top), count - 1), min(Int(bottom), count - 1))
    if first == last {
      partial[first] += time
      return
    }
    let density = time / (bottom - top)
    partial[first] += (Double(first + 1) - top) * density
    partial[last] += (bottom - Double(last)) * density
    steps[first + 1] += density
    steps[last] -= density
  }
}
