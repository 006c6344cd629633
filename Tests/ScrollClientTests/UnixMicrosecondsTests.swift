import Foundation
import ScrollClient
import ScrollModel
import Testing

@Suite("Times")
struct UnixMicrosecondsTests {
  @Test("Now is the time since 1970 in microseconds")
  func now() {
    let before = Date().timeIntervalSince1970
    let now = UnixMicroseconds.now
    #expect(abs(Double(now.rawValue) / 1e6 - before) < 60)
    #expect(now < UnixMicroseconds(now.rawValue + 1))
  }

  @Test("An event takes its time in microseconds")
  func event() {
    #expect(Event(.scroll, at: 1_700_000_000_000_000) == Event(.scroll, time: 1_700_000_000_000_000))
  }
}
