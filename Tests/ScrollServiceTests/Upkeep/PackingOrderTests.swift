import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct PackingOrderTests {
  private let fixture: LogFixture

  /// A log with three sealed segments, which begin at 1, 4 and 7.
  init() throws {
    fixture = try LogFixture()
    for _ in 0..<3 { try fixture.sealSegment() }
  }

  private func makePacking(isEnabled: Bool = true) -> Packing {
    Packing(isEnabled: isEnabled, fixture.segments, journal: fixture.journal.journal)
  }

  private let diskIsFull = PackingError.failed(.file(FileError(.write, path: "/state/log/x", code: .noSpace)))

  @Test func sealedSegmentsArePackedNewestFirst() {
    var packing = makePacking()
    let before = fixture.segments.sealedBytes
    for first in [7, 4, 1] as [Position] {
      #expect(packing.next == first)
      packing.didPack(first, 10)
    }
    #expect(packing.next == nil)
    #expect(packing.segmentsPacked == 3)
    #expect(fixture.segments.sealedBytes == 30 && before > 30)
  }

  @Test func withCompressionOffNothingIsPacked() {
    var packing = makePacking(isEnabled: false)
    #expect(packing.next == nil)
    packing.isEnabled = true
    #expect(packing.next == 7)
  }

  @Test func aSegmentThatRetentionRemovedMeanwhileIsNotCounted() {
    var packing = makePacking()
    packing.didPack(1, nil)
    #expect(packing.segmentsPacked == 0)
  }

  @Test func withoutSpacePackingIsPostponedAndThatIsLoggedOnce() {
    var packing = makePacking()
    packing.didNotPack(7, diskIsFull)
    #expect(packing.next == nil)
    packing.resume()
    #expect(packing.next == 7)
    packing.didNotPack(7, diskIsFull)
    #expect(fixture.journal.entries.map(\.kind) == [.packingPostponed])
    packing.resume()
    packing.didPack(7, 10)
    packing.didNotPack(4, diskIsFull)
    #expect(fixture.journal.entries.map(\.kind) == [.packingPostponed, .packingPostponed])
  }

  @Test func aSegmentThatCannotBePackedIsPassedOver() {
    var packing = makePacking()
    packing.didNotPack(7, .differs(2))
    #expect(packing.next == 4)
    packing.resume()
    #expect(packing.next == 4)
    #expect(fixture.journal.entries.map(\.kind) == [.packingFailed])
  }

  @Test func aCancelledPackingIsTakenUpAgain() {
    var packing = makePacking()
    packing.didNotPack(7, .cancelled)
    #expect(packing.next == 7)
    #expect(fixture.journal.entries.isEmpty)
  }

  @Test func aSegmentWhosePackingIsNotSyncedCountsAsPacked() {
    var packing = makePacking()
    let error = FileError(.syncDirectory, path: "/state/log", code: .inputOutput)
    packing.didNotPack(7, .unsynced(bytes: 10, .file(error)))
    #expect(packing.next == 4)
    #expect(packing.segmentsPacked == 1)
    #expect(fixture.journal.entries.map(\.kind) == [.packingFailed])
  }
}
