import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The list of segments and its parts, without any files.
@Suite struct SegmentListTests {
  private static let directory = LogDirectory(path: "/state", fileSystem: FaultyFileSystem())

  /// Three segments that begin at 1, 11 and 21. They have no files.
  private static func list(_ setAside: [SetAsideFile] = []) -> SegmentList {
    let sealed: [Position: SealedSegment] = [
      1: SealedSegment(bytes: 100, snapshotBytes: 5, lastReceived: 10),
      11: SealedSegment(bytes: 200, lastReceived: 20, isPacked: true),
    ]
    return SegmentList(directory, [1, 11, 21], sealed: sealed, setAside: SetAsideFiles(setAside))
  }

  private static func trim(_ list: SegmentList, to maximumUse: Int64) -> [TrimmedSegment] {
    var limits = RetentionLimits.none
    limits.maximumUse = maximumUse
    return list.trim(to: limits, activeBytes: 50, available: nil, now: 0)
  }

  @Test func aPositionBelongsToTheSegmentThatBeginsAtOrBeforeIt() {
    let list = Self.list()
    #expect([0, 1, 10, 11, 20, 21, 1000].map(list.segment(of:)) == [nil, 1, 1, 11, 11, 21, 21])
  }

  @Test func sizesCountSnapshotsAndFilesThatWereSetAside() {
    let list = Self.list([SetAsideFile(name: "a.torn", position: 5, bytes: 7)])
    #expect(list.sealedBytes == 312)
    #expect(list.sealedSize(isPacked: true) == (10, 200))
    #expect(list.sealedSize(isPacked: false) == (10, 100))
    list.markPacked(1, bytes: 60)
    #expect(list.sealedBytes == 267)
    #expect(list.nextUnpacked(except: []) == nil)
  }

  @Test func aTrimmedSegmentTakesItsSnapshotsAndWhatWasSetAsideWithIt() {
    let list = Self.list([
      SetAsideFile(name: "a.torn", position: 5, bytes: 7), SetAsideFile(name: "b.torn", position: 15, bytes: 8),
    ])
    let trimmed = Self.trim(list, to: 260)
    #expect(
      trimmed == [
        TrimmedSegment(
          firstPosition: 1, lastPosition: 10, bytes: 112, reason: .use,
          files: [
            "/state/log/00000000000000000001.scrolllog", "/state/log/00000000000000000001.snapshots",
            "/state/log/a.torn",
          ])
      ])
    #expect(list.firstPositions == [11, 21])
    #expect(list.takeSetAside() == ["/state/log/b.torn"])
    #expect(list.takeSetAside().isEmpty)
  }

  @Test func theLastSegmentAlwaysStays() {
    let list = Self.list()
    #expect(Self.trim(list, to: 0).map(\.firstPosition) == [1, 11])
    #expect(list.firstPositions == [21])
  }

  @Test func pinnedSegmentsStayUntilTheLastPinIsGone() {
    let list = Self.list()
    list.pin()
    list.pin()
    #expect(Self.trim(list, to: 300).isEmpty)
    #expect(list.isRemovalDelayed)
    list.unpin()
    #expect(Self.trim(list, to: 300).isEmpty)
    list.unpin()
    #expect(Self.trim(list, to: 300).map(\.firstPosition) == [1])
    #expect(!list.isRemovalDelayed)
  }

  @Test func aPinDelaysNothingWhileNothingHasToGo() {
    var pins = SegmentPins()
    pins.pin()
    let idle = pins.permitsRemoval(of: 0)
    #expect(!idle && !pins.isRemovalDelayed)
    let delayed = pins.permitsRemoval(of: 2)
    #expect(!delayed && pins.isRemovalDelayed)
    pins.unpin()
    #expect(pins.isRemovalDelayed, "until the next attempt")
    let permitted = pins.permitsRemoval(of: 2)
    #expect(permitted && !pins.isRemovalDelayed)
  }

  @Test func filesThatWereSetAsideGoByTheirPosition() {
    var files = SetAsideFiles([5, 15, 25].map { SetAsideFile(name: "\($0)", position: $0, bytes: $0) })
    #expect(files.bytes == 45)
    #expect(files.bytes(before: 15) == 5)
    let first = files.remove(before: 16)
    #expect(first.map(\.name) == ["5", "15"])
    #expect(files.bytes == 25)
    let rest = files.removeAll()
    #expect(rest.map(\.name) == ["25"])
    #expect(files.bytes == 0)
  }

  @Test func aViewFollowsTheListAndNamesItsFiles() {
    let list = Self.list()
    let view = list.view
    #expect(view.firstPosition == 1)
    #expect(view.beginsSegment(at: 11))
    #expect(!view.beginsSegment(at: 12))
    #expect(!view.beginsSegment(at: 0))
    #expect(view.firstPosition(afterSegmentIn: "/state/log/00000000000000000011.scrolllog") == 21)
    #expect(view.firstPosition(afterSegmentIn: "/state/log/00000000000000000021.scrolllog") == nil)
    #expect(view.firstPosition(afterSegmentIn: "/state/lock") == nil)
    #expect(
      view.damage(at: 12, "bad")
        == LogDamage(
          file: "/state/log/00000000000000000011.scrolllog", offset: 0, reason: "the block of position 12: bad"))
    _ = Self.trim(list, to: 300)
    #expect(view.firstPosition == 11)
    #expect(throws: ReadError.positionTrimmed(first: 11)) { _ = try view.checkpoint(before: 10) }
  }
}
