import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

@Suite struct SegmentRemovalTests {
  private let fixture: LogFixture

  /// A log with three sealed segments, which begin at 1, 4 and 7.
  init() throws {
    fixture = try LogFixture()
    for _ in 0..<3 { try fixture.sealSegment() }
    #expect(fixture.segments.firstPositions == [1, 4, 7, 10])
    for first in [1, 4, 7] as [Position] { fixture.segments.setUse(first, SegmentUse(users: [1000: 100])) }
  }

  private func makeRetention(_ configure: (inout Configuration) -> Void = { _ in }) -> Retention {
    var configuration = Configuration()
    configure(&configuration)
    return Retention(
      Retention.Settings(configuration), fixture.segments, usedAtStart: 0, effects: fixture.effects,
      clock: fixture.clock.service, journal: fixture.journal.journal)
  }

  private let diskIsBroken = FileError(.remove, path: "/state/log/x", code: .inputOutput)

  @Test func segmentsLeaveTheLogAtOnceAndTheirFilesOneByOne() throws {
    var retention = makeRetention { $0.maximumUse = .bytes(1) }
    let sealed = fixture.segments.sealedBytes
    _ = retention.apply(activeBytes: 0)
    let bytes = sealed - fixture.segments.sealedBytes
    #expect(fixture.segments.firstPositions == [7, 10], "a log never loses all of its past to its own growth")
    for first in [1, 4] as [Position] {
      let segment = try #require(retention.nextRemoval)
      #expect(segment.firstPosition == first)
      #expect(retention.nextRemoval == segment, "it stays the next one until it is gone")
      retention.didRemove(segment)
    }
    #expect(retention.nextRemoval == nil)
    #expect(retention.segmentsRemoved == 2 && retention.bytesRemoved == bytes)
    #expect(fixture.journal.entries.map(\.kind) == [.removing])
    #expect(fixture.journal.messages.last?.contains("MaxUse=") == true)
  }

  /// Makes the disk so small that it has some bytes left.
  private func leave(_ available: Int64) throws {
    fixture.fileSystem.capacity = 1 << 40
    fixture.fileSystem.capacity -= Int(try fixture.segments.space().available - available)
  }

  /// Every segment went, because the files of those that had left the log did not count as free.
  @Test func aLittleSpaceThatIsMissingCostsOneSegment() throws {
    try leave(9_999)
    var retention = makeRetention { $0.keepFree = .bytes(10_000) }
    // The file of the first one is still there the second time.
    for _ in 0..<2 {
      _ = retention.apply(activeBytes: 0)
      #expect(fixture.segments.firstPositions == [4, 7, 10])
    }
  }

  /// A small disk filled up with segments that there was no space to pack.
  @Test func withoutRoomToPackThemSegmentsGoThatAreAboutToBePacked() throws {
    let sealed = fixture.segments.sealedBytes
    // The active segment is as large as it may be.
    let active: Int64 = 1 << 20
    var retention = makeRetention { $0.maximumUse = .bytes(sealed + active - 1) }
    // Room for the next file and for a packed one.
    try leave(2 << 20)
    _ = retention.apply(activeBytes: active, unpackedBytes: sealed)
    #expect(fixture.segments.firstPositions == [1, 4, 7, 10])
    try leave(2 << 20 - 1)
    _ = retention.apply(activeBytes: active, unpackedBytes: sealed)
    #expect(fixture.segments.firstPositions == [4, 7, 10])
  }

  /// A log of large heads had taken two and a half times what it may.
  @Test func whatTheActiveSegmentWillTakeCountsForTwiceTheMaximum() throws {
    let sealed = fixture.segments.sealedBytes
    let limit: Int64 = 2 << 20
    // The sealed segments are small, so the active one makes up almost all of the log.
    for (active, head, kept) in [
      (limit, 0, [1, 4, 7, 10]), (limit, limit / 2, [1, 4, 7, 10]), (limit, 2 * limit, [7, 10]),
    ] as [(Int64, Int64, [Position])] {
      var retention = makeRetention { $0.maximumUse = .bytes(limit + sealed / 2) }
      try leave(1 << 30)
      _ = retention.apply(activeBytes: active, headBytes: head, unpackedBytes: sealed)
      #expect(fixture.segments.firstPositions == kept)
    }
  }

  @Test func newerSegmentsStayWhereAnOlderOneCannotBeRemoved() throws {
    var retention = makeRetention { $0.maximumUse = .bytes(1) }
    _ = retention.apply(activeBytes: 0)
    retention.didNotRemove(diskIsBroken)
    #expect(retention.nextRemoval == nil)
    #expect(retention.removalError == diskIsBroken)
    #expect(fixture.journal.entries.map(\.kind) == [.removing, .removalFailed])
    // The next time that the limits are applied it is tried again.
    _ = retention.apply(activeBytes: 0)
    #expect(retention.nextRemoval?.firstPosition == 1)
  }

  @Test func sizesThatContradictEachOtherAreLoggedOnce() {
    var retention = makeRetention {
      $0.maximumUse = .percent(95)
      $0.keepFree = .percent(10)
      $0.segmentSize = 32 << 20
    }
    fixture.fileSystem.capacity = 100 << 20
    for _ in 0..<2 { _ = retention.apply(activeBytes: 0) }
    #expect(fixture.journal.entries.map(\.kind) == [.sizesContradict, .sizesContradict])
    #expect(fixture.journal.messages.first?.contains("begins a new file after") == true)
    #expect(fixture.journal.messages.last?.contains("has only 104857600 bytes") == true)
    #expect(retention.segmentSize < 12 << 20)
  }

  /// Only both settings together were compared, and KeepFree= removed all of the past without a warning.
  @Test func aSettingThatDoesNotFitOnTheDiskIsLoggedOnce() {
    for (configure, expected) in [
      ({ $0.maximumUse = .bytes(100 << 20) }, "MaxUse= allows 104857600 bytes"),
      ({ $0.keepFree = .bytes(58 << 20) }, "KeepFree= keeps 60817408 bytes free"),
      ({ ($0.maximumUse, $0.keepFree) = (.bytes(100 << 20), .bytes(58 << 20)) }, "KeepFree= keeps 60817408 bytes free"),
      ({ $0.segmentSize = 32 << 20 }, "SegmentSize= is 33554432 bytes"),
    ] as [((inout Configuration) -> Void, String)] {
      fixture.fileSystem.capacity = 53 << 20
      var retention = makeRetention(configure)
      let before = fixture.journal.entries.count
      for _ in 0..<2 { _ = retention.apply(activeBytes: 0) }
      let added = fixture.journal.entries.dropFirst(before).filter { $0.kind == .sizesContradict }
      #expect(added.count == 1)
      #expect(fixture.journal.messages.dropFirst(before).contains { $0.contains(expected) }, "\(expected)")
    }
  }

  @Test func sizesThatFitAreNotLogged() {
    fixture.fileSystem.capacity = 1 << 30
    for configure in [
      { _ in }, { $0.maximumUse = .bytes(100 << 20) }, { $0.keepFree = .percent(95) },
    ] as [(inout Configuration) -> Void] {
      var retention = makeRetention(configure)
      _ = retention.apply(activeBytes: 0)
    }
    #expect(fixture.journal.entries.isEmpty)
  }

  /// Others had filled the disk but for less than the log may always take, and it filled up.
  @Test func aDiskThatIsFullBeforeTheLogReachesItsLimitIsLoggedOnce() throws {
    try leave(13 << 20)
    var retention = makeRetention()
    for _ in 0..<2 { _ = retention.apply(activeBytes: 0) }
    #expect(fixture.journal.entries.map(\.kind) == [.sizesContradict])
    #expect(fixture.journal.messages.last?.contains("only 13631488 bytes are free") == true)
  }

  @Test func theLimitsAreAppliedEveryMinuteOrSooner() {
    var retention = makeRetention()
    #expect(fixture.clock.monotonic >= retention.due)
    _ = retention.apply(activeBytes: 0)
    #expect(retention.due == fixture.clock.monotonic + 60_000_000)
    retention.applySoon()
    #expect(fixture.clock.monotonic >= retention.due)
  }

  @Test func oldRecordsInTheLastSegmentAskForItsSeal() throws {
    var retention = makeRetention { $0.maximumRetention = 10_000_000 }
    var needsSeal = retention.apply(activeBytes: 0)
    #expect(!needsSeal)
    fixture.open("reader")
    try fixture.write()
    fixture.clock.advance(seconds: 10)
    needsSeal = retention.apply(activeBytes: 0)
    #expect(!needsSeal)
    fixture.clock.advance(seconds: 1)
    needsSeal = retention.apply(activeBytes: 0)
    #expect(needsSeal)
    #expect(fixture.segments.firstPositions == [10])
    #expect(fixture.journal.messages.last?.contains("MaxRetentionSec=") == true)
  }

  @Test func unknownSpaceIsLoggedOnceUntilItIsKnownAgain() {
    var retention = makeRetention()
    for _ in 0..<2 {
      fixture.fileSystem.failNext(.space, with: .inputOutput)
      _ = retention.apply(activeBytes: 0)
    }
    #expect(fixture.journal.entries.map(\.kind) == [.spaceUnknown])
    _ = retention.apply(activeBytes: 0)
    fixture.fileSystem.failNext(.space, with: .inputOutput)
    _ = retention.apply(activeBytes: 0)
    #expect(fixture.journal.entries.map(\.kind) == [.spaceUnknown, .spaceUnknown])
  }

  // MARK: Vacuum

  private var noUse: RetentionLimits {
    var limits = RetentionLimits.none
    limits.maximumUse = 0
    return limits
  }

  @Test func aCallToVacuumIsAnsweredWhenTheLastFileIsGone() throws {
    var retention = makeRetention()
    let bytes = fixture.segments.sealedBytes
    retention.vacuum(to: noUse, activeBytes: 0, for: Caller(9))
    for _ in 0..<3 {
      #expect(fixture.effects.isEmpty)
      retention.didRemove(try #require(retention.nextRemoval))
    }
    #expect(fixture.effects.takeTexts() == ["answer 9: vacuumed(firstPosition: 10, freed: \(bytes))"])
    #expect(retention.nextRemoval == nil)
  }

  @Test func aCallToVacuumWithNothingToRemoveIsAnsweredAtOnce() {
    var retention = makeRetention()
    retention.vacuum(to: .none, activeBytes: 0, for: Caller(9))
    #expect(fixture.effects.takeTexts() == ["answer 9: vacuumed(firstPosition: 1, freed: 0)"])
  }

  @Test func aCallToVacuumIsRefusedWhenAFileStays() throws {
    var retention = makeRetention()
    retention.vacuum(to: noUse, activeBytes: 0, for: Caller(9))
    retention.didNotRemove(diskIsBroken)
    #expect(fixture.effects.takeTexts() == ["refuse 9: NotRemoved"])
    // Another call tries it again.
    retention.vacuum(to: noUse, activeBytes: 0, for: Caller(10))
    while let segment = retention.nextRemoval { retention.didRemove(segment) }
    #expect(fixture.effects.takeTexts().count == 1)
  }

  // MARK: Backups

  @Test func pinnedSegmentsStayAndThatIsLoggedOnce() {
    var retention = makeRetention { $0.maximumUse = .bytes(1) }
    fixture.segments.pin()
    for _ in 0..<2 { _ = retention.apply(activeBytes: 0) }
    #expect(retention.nextRemoval == nil)
    #expect(fixture.journal.entries.map(\.kind) == [.removalDelayed])
    fixture.segments.unpin()
    _ = retention.apply(activeBytes: 0)
    #expect(retention.nextRemoval?.firstPosition == 1)
  }
}
