import Foundation
import Platform
import ScrollLog
import Testing

@testable import ScrollService

@Suite struct ClockFileTests {
  private static func stretch(_ boot: Int64, _ time: Int64, _ pace: LogClock.Pace = .wall) -> LogClock.Stretch {
    LogClock.Stretch(begin: LogClock.Mark(boot: boot, time: time), pace: pace, offset: time - boot)
  }

  @Test func whatWasSavedIsReadAndItsBootToldApart() throws {
    let directory = try Directory.makeTemporary(prefix: "/tmp/scrolld-test-")
    defer { Directory.removeTree(directory) }
    let file = ClockFile(directory: directory, boot: BootID(high: .max, low: 2))
    #expect(file.read() == nil)
    let first = Self.stretch(5, 1_700_000_000_000_000)
    for stretches in [
      [first], [Self.stretch(-(1 << 59), 7, .slow), first, Self.stretch(6, 8, .fast), Self.stretch(6, 9, .boot)],
    ] {
      try file.write(stretches)
      #expect(file.read() == LogClock.Memory(isOfThisBoot: true, stretches: stretches))
      let other = ClockFile(directory: directory, boot: BootID(high: .max, low: 3))
      #expect(other.read() == LogClock.Memory(isOfThisBoot: false, stretches: stretches))
    }
    #expect(try Directory.names(in: directory) == ["clock"])
    let boot = "18446744073709551615-2\n"
    for text in [
      "", "x", boot, boot + "wall 1 2", boot + "wall 1 2 3 4", boot + "idle 1 2 3", boot + "wall 1 -2 3",
      boot + "wall 1 9e9 3", boot + "wall 1 2 9223372036854775807", boot + "wall 2 2 3\nslow 1 2 3",
      boot + "wall -5 2 30", boot + "wall 5 2 -30", boot + "wall 1 2 9007199254740992",
      boot + String(repeating: "wall 1 2 3\n", count: LogClock.maximumStretches + 1),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/clock"))
      #expect(file.read() == nil, "\(text)")
    }
    #expect(throws: SystemError("write", directory + "/none/clock", .noSuchFile)) {
      try ClockFile(directory: directory + "/none", boot: file.boot).write([first])
    }
  }
}
