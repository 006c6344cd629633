import ScrollLog
import ScrollLogTesting
import ScrollModel
import ScrollTesting

/// A bit is flipped in each byte of every file of a log: of packed segments, of the last segment after a clean shutdown, and of
/// its snapshots. Each is found, and nothing wrong is ever served.
struct DamageSuite: Suite {
  /// A byte of a file.
  private struct Place {
    var name: String
    var part: StoppedLog.Part
    var byte: Int
  }

  /// The distance between the flipped bytes among the zeros reserved after the end of a segment.
  private static let step = 97

  private let log: StoppedLog
  private let places: [Place]
  private let seed: UInt64

  init(_ mode: SyncMode, seed: UInt64) throws {
    let log = try StoppedLog(mode, seed: seed)
    self.log = log
    self.seed = seed
    places = log.parts.flatMap { name, part in
      let bytes = log.files[name] ?? []
      let end = bytes.withoutZeros.count
      let offsets = Array(0..<end) + Array(Swift.stride(from: end, to: bytes.count, by: Self.step))
      return offsets.map { Place(name: name, part: part, byte: $0) }
    }
  }

  var title: String {
    "a flipped bit in each of \(count) bytes of packed segments, snapshots and a stopped one, \(log.mode)"
  }
  var count: Int { places.count }
  var stride: Int { 64 }

  func run(_ cases: Range<Int>, _ report: inout Report) {
    for index in cases {
      var random = SeededRandom(seed: seed &+ UInt64(index) &* 0x9E37)
      let place = places[index]
      let bit = random.whole(0...7)
      report.run(index, "bit \(bit) of byte \(place.byte) of \(place.name) flipped") {
        let damaged = Damaged(log: log, name: place.name, byte: place.byte, mask: 1 << UInt8(bit))
        switch place.part {
        case .packed: try damaged.checkPacked(&random)
        case .last: try damaged.checkLast(&random)
        case .snapshots: try damaged.checkSnapshots(&random)
        }
      }
    }
  }
}
