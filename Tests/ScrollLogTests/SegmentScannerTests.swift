import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The scanner's window, which must not hide newer bytes of the file.
@Suite struct SegmentScannerTests {
  /// The second of two blocks reaches the file in two parts, split at every place.
  @Test func aBlockSeenHalfWrittenIsReadAgain() throws {
    let (source, _, ends) = try LogFixture.filled(blocks: 2, seed: SeededGenerator.seed, calls: 1)
    let whole = try #require(source[LogFixture.firstSegment])
    let identifier = whole.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }
    for cut in Int(ends[1])..<Int(ends[2]) {
      let fileSystem = FaultyFileSystem()
      let file = try fileSystem.create("/segment")
      // Zeros of reserved space follow the first part.
      try file.truncate(to: ends[2])
      try whole[..<cut].withUnsafeBytes { try file.write($0, at: 0) }
      var scanner = SegmentScanner(file, identifier: identifier, offset: ends[0])
      guard case .block(let first, _, _) = try scanner.next() else {
        Issue.record("the first block is not found")
        return
      }
      try whole[cut..<Int(ends[2])].withUnsafeBytes { try file.write($0, at: Int64(cut)) }
      var peeking = scanner
      #expect(try peeking.peek()?.firstPosition == first.nextPosition)
      guard case .block(let second, _, _) = try scanner.next() else {
        Issue.record("the second block is not found after a cut at \(cut)")
        return
      }
      #expect(second.firstPosition == first.nextPosition)
    }
  }
}
