import Testing

@testable import ScrollService

/// Queries by time: the state after the last record that the daemon had received by then.
@Suite struct TimeQueryTests {
  /// Where the log is rolled, and whether the clock stands still before and after it.
  struct Course: CustomTestStringConvertible {
    /// For each step whether time passes after it.
    let passes: [Bool]
    let isPacked: Bool

    var testDescription: String {
      passes.map { $0 ? "passes" : "stands" }.joined(separator: ", ") + (isPacked ? ", packed" : "")
    }

    static let all = (0..<16).flatMap { bits in
      [false, true].map { isPacked in Course(passes: (0..<4).map { bits >> $0 & 1 == 1 }, isPacked: isPacked) }
    }
  }

  /// Records received in the same microsecond may be on both sides of a roll, and in several blocks.
  @Test(arguments: Course.all)
  func aStateByTimeIsTheOneAfterTheLastRecordReceivedByThen(course: Course) throws {
    let daemon = try TestDaemon { $0.compress = course.isPacked }
    let client = try daemon.connect()
    let root = try daemon.connect(user: 0)
    var session = try client.call("Open", ["client": "reader"])["session"]
    func pass(_ step: Int) { if course.passes[step] { daemon.clock.advance(microseconds: 1) } }
    try client.call("Append", ["session": session, "events": .array(Gestures.flips(3))])
    pass(0)
    try client.call("Append", ["session": session, "events": [Gestures.scroll(120)]])
    try root.call("Rotate")
    pass(1)
    try client.call("Append", ["session": session, "events": [Gestures.scroll(777)]])
    // A session that closes and another one that begins.
    try client.call("Close", ["session": session])
    pass(2)
    try root.call("Rotate")
    session = try client.call("Open", ["client": "reader"])["session"]
    pass(3)
    try client.call("Append", ["session": session, "events": .array(Gestures.flips(2))])
    daemon.clock.advance(seconds: 1)
    try root.call("Rotate")
    daemon.settle()

    let records = client.stream("Read").replies
    let times = records.compactMap { $0["received"].int }
    #expect(times == times.sorted() && times.count == records.count)
    for time in Set(times.flatMap { [$0, $0 + 1] }) {
      let last = try #require(records.last { ($0["received"].int ?? .max) <= time }?["position"])
      let expected = try client.call("Get", ["client": "reader", "position": last])["state"]
      let found = try client.call("Get", ["client": "reader", "time": .int(time)])["state"]
      #expect(found == expected, "at \(time), the last position is \(last)")
    }
    let before = try #require(times.first) - 1
    #expect(throws: CallError("NoSuchClient")) { try client.call("Get", ["client": "reader", "time": .int(before)]) }
  }
}
