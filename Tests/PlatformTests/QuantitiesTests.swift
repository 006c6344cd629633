import Platform
import Testing

@Suite("Time spans and sizes in systemd's units")
struct QuantitiesTests {
  private static let second: Int64 = 1_000_000
  private static let day: Int64 = 86_400_000_000

  @Test(
    "Every unit of systemd.time(7) is read",
    arguments: [
      ("usec us \u{B5}s \u{3BC}s", 1), ("msec ms", 1000), ("seconds second sec s", second),
      ("minutes minute min m", 60 * second), ("hours hour hr h", 3600 * second), ("days day d", day),
      ("weeks week w", 7 * day), ("months month M", 2_630_016 * second), ("years year y", 31_557_600 * second),
    ])
  func units(names: String, microseconds: Int64) {
    for name in names.split(separator: " ") {
      #expect(TimeSpan.microseconds("1\(name)") == microseconds, "\(name)")
      #expect(TimeSpan.microseconds("3 \(name)") == 3 * microseconds, "\(name)")
    }
  }

  @Test(
    "Numbers and units are combined and added up",
    arguments: [
      ("0", 0), ("90", 90 * second), ("90s", 90 * second), ("1min 30s", 90 * second), ("1min30", 90 * second),
      ("1h 30min", 5400 * second), ("2d12h", 60 * 3600 * second), ("55s500ms", 55_500_000),
      ("300ms20s 5day", 5 * day + 20_300_000), ("1 year 12 months", 63_117_792 * second), ("2 h", 7200 * second),
      (" 2\th ", 7200 * second), ("1s1s1s", 3 * second), ("00012s", 12 * second),
    ] as [(String, Int64)])
  func combinations(text: String, microseconds: Int64) {
    #expect(TimeSpan.microseconds(text) == microseconds)
  }

  @Test(
    "Decimals are exact, down to the microsecond",
    arguments: [
      ("1.5h", 5400 * second), (".5s", 500_000), ("0.29s", 290_000), ("1.1", 1_100_000), ("1.s", second),
      ("0.000001s", 1), ("0.0000019s", 1), ("1.5us", 1), ("0.5month", 1_315_008 * second),
      ("4611686018427.387904s", 4_611_686_018_427_387_904),
    ] as [(String, Int64)])
  func decimals(text: String, microseconds: Int64) {
    #expect(TimeSpan.microseconds(text) == microseconds)
  }

  @Test("A number of twenty decimals is read like its first six")
  func longDecimals() {
    #expect(TimeSpan.microseconds("1.23456789012345678901s") == 1_234_567)
  }

  @Test("Infinity is the longest span")
  func infinity() {
    #expect(TimeSpan.microseconds("infinity") == .max)
  }

  @Test(
    "Other texts are no time spans",
    arguments: [
      "", " ", "s", "min", "never", "-5", "+5", "- 5s", "1e3", "1e400", "1.5.2", ".", ".s", "1,5h", "5 parsecs", "1S",
      "1 Min", "1D", "1H", "5 min!", "infinity s", "Infinity", "٣s", "1\u{FEFF}s", "10 %", "1m-1s",
    ])
  func notSpans(text: String) {
    #expect(TimeSpan.microseconds(text) == nil)
  }

  @Test(
    "A span that is too long is refused instead of wrapping around",
    arguments: [
      ("9223372036854775807us", Int64.max), ("9223372036854775808us", nil), ("9223372036854775807us1us", nil),
      ("9223372036854s775807us", .max), ("9223372036854.775807s", .max), ("9223372036854.775808s", nil),
      ("292271years", 9_223_371_309_600_000_000), ("292272years", nil), ("99999999999999999999s", nil),
      ("106751991d", 9_223_372_022_400_000_000), ("106751992d", nil),
    ] as [(String, Int64?)])
  func longestSpans(text: String, microseconds: Int64?) {
    #expect(TimeSpan.microseconds(text) == microseconds)
  }

  @Test(
    "Sizes have units of 1,024",
    arguments: [
      ("0", 0), ("4096", 4096), ("64K", 65_536), ("500M", 524_288_000), ("2G", 1 << 31), ("3T", 3 << 40),
      ("5P", 5 << 50),
      ("7E", 7 << 60), ("0E", 0), ("9223372036854775807", .max), ("007K", 7168),
    ] as [(String, Int)])
  func sizes(text: String, bytes: Int) {
    #expect(ByteSize.bytes(text) == bytes)
  }

  @Test(
    "Other texts, and sizes that are too large, are no sizes",
    arguments: [
      "", "K", "-1", "-1M", "+1M", "1.5G", "64 M", "64MB", "64k", "10%", "%", "1 ", " 1", "big", "infinity", "٣", "1KK",
      "9223372036854775808", "8E", "9007199254740992K", "18446744073709551616",
    ])
  func notSizes(text: String) {
    #expect(ByteSize.bytes(text) == nil)
  }
}
