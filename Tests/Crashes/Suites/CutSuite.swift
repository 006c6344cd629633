import ScrollLog
import ScrollLogTesting
import ScrollModel

/// The last segment, of 64 KiB, is cut at every length.
struct CutSuite: Suite {
  private let segment: SingleSegment

  init(seed: UInt64) throws {
    segment = try SingleSegment(bytes: 64 << 10, .commit, calls: 5, seed: seed)
  }

  var title: String { "every length of a last segment of \(segment.bytes.count) bytes" }
  var count: Int { segment.bytes.count + 1 }
  var stride: Int { 256 }

  func run(_ cases: Range<Int>, _ report: inout Report) {
    for length in cases {
      report.run(length, "cut to \(length) bytes") { try run(length) }
    }
  }

  private func run(_ length: Int) throws {
    let bytes = Array(segment.bytes[..<length])
    let fileSystem = try segment.fileSystem(bytes)
    switch try segment.open(fileSystem) {
    case .damaged(let damage):
      // Header and checkpoint are synced before the file gets its name.
      try require(length < segment.ends[0], "\(damage), though only what may be torn is missing")
      try require(damage.offset <= length, "byte \(damage.offset) is named")
      try require(fileSystem[SingleSegment.path] == bytes, "the damaged segment was changed")
    case .opened(let log):
      guard let whole = segment.ends.lastIndex(where: { $0 <= length }) else {
        throw Problem("a start uses a missing checkpoint")
      }
      let isTorn = bytes[segment.ends[whole]...].contains { $0 != 0 }
      try segment.requireContent(log, through: segment.lasts[whole], isTorn: isTorn)
      try requireKept(fileSystem, bytes[segment.ends[whole]...], isTorn)
    }
  }

  /// Checks that what is cut off is kept beside the segment.
  private func requireKept(_ fileSystem: FaultyFileSystem, _ tail: ArraySlice<UInt8>, _ isTorn: Bool) throws {
    let names = fileSystem.names(in: Workload.logPath).filter { $0.hasSuffix(".torn") }
    try require(names.count == (isTorn ? 1 : 0), "\(names.count) torn tails are kept")
    guard let name = names.first else { return }
    let kept = fileSystem[Workload.logPath + "/" + name] ?? []
    try require(
      kept.dropFirst(KeptBytes.headSize) == Array(tail).withoutZeros, "the kept tail differs from the torn one")
  }
}
