import Foundation
import Platform
import ScrollLog
import Testing

@testable import ScrollService

@Suite struct ClockFileTests {
  @Test func aMarkIsReadInItsBootOnlyAndUntilTheClocksAgree() throws {
    let directory = try Directory.makeTemporary(prefix: "/tmp/scrolld-test-")
    defer { Directory.removeTree(directory) }
    let file = ClockFile(directory: directory, boot: BootID(high: .max, low: 2))
    #expect(file.read() == nil)
    try file.write(nil)
    for mark in [LogClock.Mark(boot: 5, time: 1_700_000_000_000_000), LogClock.Mark(boot: 6, time: 7)] {
      try file.write(mark)
      #expect(file.read() == mark)
      #expect(ClockFile(directory: directory, boot: BootID(high: .max, low: 3)).read() == nil)
    }
    for text in ["", "x", "18446744073709551615-2 1", "18446744073709551615-2 -1 5", "18446744073709551615-2 1 9e9"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/clock"))
      #expect(file.read() == nil, "\(text)")
    }
    try file.write(nil)
    #expect(try Directory.names(in: directory).isEmpty)
    #expect(throws: SystemError("write", directory + "/none/clock", .noSuchFile)) {
      try ClockFile(directory: directory + "/none", boot: file.boot).write(LogClock.Mark(boot: 1, time: 1))
    }
  }
}
