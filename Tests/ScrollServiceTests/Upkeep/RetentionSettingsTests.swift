import Platform
import ScrollLog
import Testing

@testable import ScrollService

@Suite struct RetentionSettingsTests {
  private static let mebibyte: Int64 = 1 << 20
  private static let gibibyte: Int64 = 1 << 30

  private func limits(
    total: Int64?, usedAtStart: Int64 = 0, _ configure: (inout Configuration) -> Void = { _ in }
  ) -> RetentionLimits {
    var configuration = Configuration()
    configure(&configuration)
    let space = total.map { FileSystemSpace(total: $0, available: 0) }
    return Retention.Settings(configuration).limits(space, usedAtStart: usedAtStart)
  }

  @Test func onALargeFileSystemTheLogTakes4GiBAndLeaves4GiB() {
    let limits = limits(total: 1000 * Self.gibibyte)
    #expect(limits.maximumUse == 4 * Self.gibibyte)
    #expect(limits.keepFree == 4 * Self.gibibyte)
    #expect(limits.maximumAge == .max)
  }

  @Test func onAMediumFileSystemTheLogTakesATenthAndLeaves15Percent() {
    let limits = limits(total: 10_000_000_000)
    #expect(limits.maximumUse == 1_000_000_000)
    #expect(limits.keepFree == 1_500_000_000)
  }

  @Test func onATinyFileSystemTheLogMayTake16MiB() {
    let limits = limits(total: 20_000_000)
    #expect(limits.maximumUse == 16 * Self.mebibyte)
    #expect(limits.keepFree == 3_000_000)
    #expect(limits.floor == 16 * Self.mebibyte)
  }

  @Test func whatTheLogTookAtTheStartIsNotTakenForOthers() {
    #expect(limits(total: Self.gibibyte, usedAtStart: 17 * Self.mebibyte).floor == 17 * Self.mebibyte)
    #expect(limits(total: Self.gibibyte, usedAtStart: 5) { $0.keepFree = .bytes(7) }.floor == 5)
  }

  @Test func configuredLimitsReplaceTheDefaults() {
    let limits = limits(total: 1000) {
      $0.maximumUse = .percent(30)
      $0.keepFree = .bytes(7)
      $0.maximumRetention = 9
    }
    #expect(limits.maximumUse == 300)
    #expect(limits.keepFree == 7)
    #expect(limits.maximumAge == 9)
  }

  private func segmentSize(
    total: Int64, available: Int64, use: Int64 = 0, _ configure: (inout Configuration) -> Void = { _ in }
  ) -> Int64 {
    var configuration = Configuration()
    configure(&configuration)
    return Retention.Settings(configuration).segmentSize(
      FileSystemSpace(total: total, available: available), use: use, usedAtStart: 0)
  }

  /// With files of 64 MiB, a log of 16 MiB consisted of the last file only.
  @Test func aSegmentTakesAtMostAnEighthOfTheLog() {
    #expect(segmentSize(total: 1000 * Self.gibibyte, available: 900 * Self.gibibyte) == 64 * Self.mebibyte)
    #expect(segmentSize(total: 100 * Self.mebibyte, available: 90 * Self.mebibyte) == 2 * Self.mebibyte)
    #expect(segmentSize(total: 100 * Self.gibibyte, available: 0) == 2 * Self.mebibyte, "a nearly full disk")
    #expect(
      segmentSize(total: 100 * Self.gibibyte, available: 90 * Self.gibibyte) { $0.maximumUse = .bytes(80 << 20) }
        == 10 * Self.mebibyte)
    #expect(
      segmentSize(total: 100 * Self.gibibyte, available: 90 * Self.gibibyte) { $0.maximumUse = .bytes(1000) }
        == Self.mebibyte)
    #expect(segmentSize(total: 1000, available: 0) { $0.segmentSize = 4096 } == 4096)
  }

  @Test func onAFileSystemOfUnknownSizeOnlyBytesLimitTheLog() {
    #expect(limits(total: nil).maximumUse == .max)
    #expect(limits(total: nil) { $0.maximumUse = .percent(30) }.maximumUse == .max)
    #expect(limits(total: nil) { $0.maximumUse = .bytes(7) }.maximumUse == 7)
    #expect(limits(total: nil) { $0.keepFree = .bytes(7) }.keepFree == 0)
  }
}
